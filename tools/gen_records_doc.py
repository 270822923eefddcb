#!/usr/bin/python3
"""Writes docs/records.md and docs/records.svg from schema/*.fbs. --check only compares."""

import html
import pathlib
import sys

import fbs
import repo
from check_record_ids import RANGES

ORDER = ["event", "entity", "artifact", "edge"]
LONG_ENUM = 60


class Schema:
    def __init__(self, root):
        self.types = []
        self.about = {}
        for path in sorted((root / "schema").glob("*.fbs")):
            types, head = fbs.read(path)
            self.types += types
            # "Layer mpi: what it is. Record ids 300-399." -> what it is
            sentence = " ".join(head).split(" Record ids")[0]
            about = sentence.split(": ", 1)[-1]
            self.about[path.stem] = about[:1].upper() + about[1:]
        self.by_name = {t.name: t for t in self.types}
        self.records = sorted((t for t in self.types if t.type_id), key=lambda t: int(t.type_id))
        self.layers = sorted({t.layer for t in self.records}, key=lambda layer: RANGES[layer])

    def of(self, layer):
        return [t for t in self.records if t.layer == layer]

    def heads(self):
        used = {f.type for t in self.records for f in t.fields}
        return [t for t in self.types if t.kind == "struct" and not t.type_id and t.name in used]

    def enums(self):
        return [t for t in self.types if t.kind == "enum"]


def cell(text):
    return text.replace("|", "\\|")


def field_rows(schema, record):
    yield "| column | type | unit | not known | meaning |"
    yield "|---|---|---|---|---|"
    for field in record.fields:
        kind = field.type
        if kind in schema.by_name:
            kind = f"[{kind}](#{kind.lower()})"
        meaning = field.doc
        if "artifact" in field.attributes:
            meaning = f"{meaning} (artifact: {field.attributes['artifact']})".strip()
        null = field.attributes.get("null", "")
        yield f"| `{field.name}` | {kind} | {field.attributes.get('unit', '')} | {null} | {cell(meaning)} |"


def markdown(schema):
    yield "# Records"
    yield ""
    yield "<!-- Made from schema/*.fbs by tools/gen_records_doc.py -->"
    yield ""
    yield "Every record that a capture can hold. `comshu types` lists those of this build, `comshu dump DIR` prints"
    yield "them, and each is a table in `comshu sql`. Times are ticks of the recording process's clock here and ns"
    yield "in tables. A field that can be unknown names the value that stands for it: the largest (`max`) or"
    yield "smallest (`min`) of its type, or zero."
    yield ""
    yield "![record families](records.svg)"
    for layer in schema.layers:
        low, high = RANGES[layer]
        yield ""
        yield f"## {layer} ({low}-{high})"
        yield ""
        yield schema.about[layer]
        yield ""
        yield "| id | record | archetype | table | meaning |"
        yield "|---|---|---|---|---|"
        for t in schema.of(layer):
            yield f"| {t.type_id} | [{t.name}](#{t.name.lower()}) | {t.attributes['archetype']} | `{t.table}` | {cell(t.doc)} |"
        for t in schema.of(layer):
            yield ""
            yield f"### {t.name}"
            yield ""
            yield from field_rows(schema, t)
    yield ""
    yield "## Heads"
    for t in schema.heads():
        yield ""
        yield f"### {t.name}"
        yield ""
        yield t.doc
        yield ""
        yield from field_rows(schema, t)
    yield ""
    yield "## Enumerations"
    yield ""
    yield "Columns hold the numbers; table `enum_value` has the names."
    for t in schema.enums():
        yield ""
        yield f"### {t.name}"
        yield ""
        if t.doc:
            yield t.doc
            yield ""
        if len(t.values) > LONG_ENUM:
            yield f"{len(t.values)} values, from `{t.values[0][0]}` to `{t.values[-1][0]}`: schema/{t.path.name}."
            continue
        for name, doc in t.values:
            yield f"- `{name}`" + (f": {doc}" if doc else "")


COLOURS = {"event": "#2f6fb3", "entity": "#3c7d4a", "artifact": "#9a6413", "edge": "#8a3f87"}
WIDTH = 960
LEFT = 150
CHIP_HEIGHT = 24
LETTER = 7.3


class Canvas:
    """Rectangles and text of an SVG picture, and how far down they reach."""

    def __init__(self):
        self.parts = []
        self.y = 16

    def box(self, x, y, width, height, fill, stroke="none"):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" '
                          f'fill="{fill}" stroke="{stroke}"/>')

    def text(self, x, y, text, size=12, fill="#1c1f24", weight="normal"):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" '
                          f'font-weight="{weight}">{html.escape(text)}</text>')

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.y}" width="{WIDTH}" '
                f'height="{self.y}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">\n'
                "<!-- Made from schema/*.fbs by tools/gen_records_doc.py -->\n"
                f'<rect width="{WIDTH}" height="{self.y}" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>")


def chips(canvas, records):
    """The records of a family, from left to right, in as many lines as it takes."""
    x, y = LEFT, canvas.y + 10
    for t in records:
        label = f"{t.type_id} {t.name}"
        width = round(len(label) * LETTER) + 16
        if x + width > WIDTH - 24:
            x, y = LEFT, y + CHIP_HEIGHT + 6
        canvas.box(x, y, width, CHIP_HEIGHT, COLOURS[t.attributes["archetype"]])
        canvas.text(x + 8, y + 16, label, fill="#ffffff")
        x += width + 6
    return y + CHIP_HEIGHT + 10


def figure(schema):
    canvas = Canvas()
    x = LEFT
    for archetype in ORDER:
        canvas.box(x, canvas.y, 12, 12, COLOURS[archetype])
        canvas.text(x + 18, canvas.y + 11, archetype)
        x += 110
    canvas.y += 28
    for layer in schema.layers:
        top = canvas.y
        records = sorted(schema.of(layer), key=lambda t: ORDER.index(t.attributes["archetype"]))
        mark = len(canvas.parts)
        bottom = max(chips(canvas, records), top + 56)
        canvas.text(28, top + 26, layer, size=15, weight="bold")
        canvas.text(28, top + 44, "{}-{}".format(*RANGES[layer]), fill="#5b626d")
        behind = Canvas()
        behind.box(16, top, WIDTH - 32, bottom - top, "#f4f6f8", "#d5dae0")
        canvas.parts[mark:mark] = behind.parts
        canvas.y = bottom + 10
    canvas.y += 6
    yield canvas.svg()


def outputs(root):
    schema = Schema(root)
    return {
        root / "docs" / "records.md": "\n".join(markdown(schema)) + "\n",
        root / "docs" / "records.svg": "\n".join(figure(schema)) + "\n",
    }


def findings(root):
    return [f"{path.relative_to(root)} is not what schema/*.fbs say now: run tools/gen_records_doc.py"
            for path, text in outputs(root).items() if not path.exists() or path.read_text() != text]


def main():
    parser = repo.arguments(__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        return repo.report(findings(options.root))
    for path, text in outputs(options.root).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
