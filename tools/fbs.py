"""Reads schema/*.fbs: as much of the FlatBuffers language as the schema uses (see schema/core.fbs)."""

import pathlib
import re

SCALARS = {
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
}

# Files that hold a part of another one's layer, so that little is compiled again when it changes.
LAYERS = {"mpi_clock": "mpi"}

DECLARATION = re.compile(
    r"((?:^[ \t]*///[^\n]*\n)*)^(struct|enum|table)\s+(\w+)([^{;]*)\{(.*?)\}", re.M | re.S)
FIELD = re.compile(
    r"((?:[ \t]*///[^\n]*\n)*)[ \t]*(\w+)\s*:\s*(\w+)\s*(?:\(([^)]*)\))?\s*;")


class Type:
    """A struct, enum or table: name, kind, doc, attributes, fields (of a struct), values (of an enum)."""

    def __init__(self, path, kind, name, head, body, doc):
        self.path = path
        self.kind = kind
        self.name = name
        self.doc = comment(doc)
        self.attributes = attributes(head)
        self.base = (re.match(r"\s*:\s*(\w+)", head) or [None, ""])[1]
        self.fields = []
        self.values = []
        if kind == "enum":
            for doc_of, value in re.findall(r"((?:[ \t]*///[^\n]*\n)*)[ \t]*(\w+)\s*(?:=\s*\d+\s*)?(?:,|$)", body):
                self.values.append((value, comment(doc_of)))
        else:
            for doc_of, field, type_name, attribute_text in FIELD.findall(body):
                self.fields.append(Field(field, type_name, attributes(attribute_text), comment(doc_of)))

    @property
    def layer(self):
        return LAYERS.get(self.path.stem, self.path.stem)

    @property
    def type_id(self):
        return self.attributes.get("type_id")

    @property
    def table(self):
        return self.attributes.get("table") or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name).lower()


class Field:
    def __init__(self, name, type_name, attributes_of, doc):
        self.name = name
        self.type = type_name
        self.attributes = attributes_of
        self.doc = doc


def comment(text):
    return " ".join(line.strip()[3:].strip() for line in text.strip().split("\n")).strip()


def attributes(text):
    inside = text[text.index("(") + 1 : text.rindex(")")] if "(" in text else text
    found = {}
    for part in re.findall(r'(\w+)\s*(?::\s*(?:"([^"]*)"|([\w.]+)))?', inside):
        found[part[0]] = part[1] or part[2]
    return found


def read(path):
    """(all types of one file, comment at its head)."""
    text = pathlib.Path(path).read_text()
    head = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        head.append(line.lstrip("/").strip())
    types = []
    for doc, kind, name, rest, body in DECLARATION.findall(text):
        types.append(Type(pathlib.Path(path), kind, name, rest, body, doc))
    return types, head


def read_all(folder):
    """All types of a schema folder, file by file."""
    everything = []
    for path in sorted(pathlib.Path(folder).glob("*.fbs")):
        everything += read(path)[0]
    return everything
