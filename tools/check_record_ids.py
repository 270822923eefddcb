#!/usr/bin/python3
"""Records in schema/*.fbs: ids unique and in the range of their layer, attributes known and complete,
scalars only."""

import re
import sys

import fbs
import repo

RANGES = {
    "core": (1, 99), "openmp": (100, 199), "ompt": (200, 299), "mpi": (300, 399), "user": (400, 499),
    "gpumem": (500, 599), "ibverbs": (600, 699), "ucx": (700, 799), "ucx_deep": (800, 899),
    "import": (900, 999),
}
ARCHETYPES = {"event", "entity", "artifact", "edge"}
STRUCT_ATTRIBUTES = {"type_id", "archetype", "table", "layer", "force_align"}
FIELD_ATTRIBUTES = {"unit", "null", "artifact"}
NULLS = {"max", "min", "zero"}


def of_record(record, enums, structs):
    """What is wrong with one record."""
    where = f"{record.path.name}: {record.name}"
    if record.kind != "struct":
        yield f"{where}: a record is a struct"
    low, high = RANGES.get(record.layer, (0, -1))
    if not record.type_id.isdigit() or not low <= int(record.type_id) <= high:
        yield f"{where}: type_id {record.type_id} is outside of {record.layer}'s {low}-{high}"
    if record.attributes.get("archetype") not in ARCHETYPES:
        yield f"{where}: archetype is none of {', '.join(sorted(ARCHETYPES))}"
    if not record.doc:
        yield f"{where}: has no /// comment"
    for name in set(record.attributes) - STRUCT_ATTRIBUTES:
        yield f"{where}: unknown attribute {name}"
    for field in record.fields:
        if field.type not in fbs.SCALARS | enums | structs:
            yield f"{where}.{field.name}: {field.type} is not a scalar; text and lists are artifacts"
        for name in set(field.attributes) - FIELD_ATTRIBUTES:
            yield f"{where}.{field.name}: unknown attribute {name}"
        if field.attributes.get("null", "max") not in NULLS:
            yield f"{where}.{field.name}: null is none of {', '.join(sorted(NULLS))}"


def of_reading(root):
    """Declarations that fbs.py did not understand: it reads a part of the language only."""
    for path in sorted((root / "schema").glob("*.fbs")):
        types, _ = fbs.read(path)
        bare = re.sub(r"//[^\n]*", "", path.read_text())
        declared = len(re.findall(r"^\s*(?:struct|enum|table)\b", bare, re.M))
        inside = "".join(re.findall(r"^struct[^{]*\{(.*?)\}", bare, re.M | re.S))
        fields = sum(len(t.fields) for t in types if t.kind == "struct")
        if (declared, inside.count(";")) != (len(types), fields):
            yield f"{path.name}: {declared} declarations with {inside.count(';')} fields, but tools/fbs.py " \
                  f"reads {len(types)} with {fields}"


def findings(root):
    types = fbs.read_all(root / "schema")
    enums = {t.name for t in types if t.kind == "enum"}
    structs = {t.name for t in types if t.kind == "struct" and t.type_id is None}
    records = [t for t in types if t.type_id is not None]
    found = list(of_reading(root)) if records else ["schema/*.fbs declare no record"]
    ids, tables = {}, {}
    for record in records:
        found += of_record(record, enums, structs)
        for kind, key, seen in (("type_id", record.type_id, ids), ("table", record.table, tables)):
            if key in seen:
                found.append(f"{record.path.name}: {record.name}: {kind} {key} is that of {seen[key]} too")
            seen.setdefault(key, record.name)
    return found


if __name__ == "__main__":
    sys.exit(repo.report(findings(repo.arguments(__doc__).parse_args().root)))
