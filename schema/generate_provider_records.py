"""Writes the header of a provider that brings records of its own: the structs (made by flatc), their
traits, and the binary schema that goes into every stream.

generate_provider_records.py OUT.h SCHEMA.fbs SCHEMA.bfbs
"""
import pathlib
import re
import sys

STRUCT = re.compile(r"^struct\s+(\w+)\s*\(([^)]*)\)\s*\{(.*?)^\}", re.M | re.S)

out, schema, binary = map(pathlib.Path, sys.argv[1:])
text = schema.read_text()
namespace = re.search(r"^namespace\s+([\w.]+)\s*;", text, re.M)
if not namespace:
    sys.exit(f"{schema}: has no namespace of its own")
space = namespace[1].replace(".", "::")
lines = [
    f"// Made from {schema.name} by generate_provider_records.py.",
    "#pragma once",
    "",
    "#include <cstdint>",
    "",
    '#include "comshu/schema/record_traits.h"',
    f'#include "{schema.stem}_generated.h"',
    "",
    "namespace comshu::schema {",
    "",
]
for name, attributes, body in STRUCT.findall(text):
    number = re.search(r'\btype_id\s*:\s*"(\d+)"', attributes)
    if not number:
        continue
    head = re.search(r"\bhead\s*:\s*(?:[\w.]*\.)?(\w+)", body)
    lines += [
        "template <>",
        f"struct RecordTraits<{space}::{name}> {{",
        f"    static constexpr uint16_t kType = {number[1]};",
        f"    static constexpr bool kIsSpan = {str(bool(head) and head[1] == 'SpanHead').lower()};",
        f"    static constexpr bool kIsInstant = {str(bool(head) and head[1] == 'EventHead').lower()};",
        "};",
        "",
    ]
data = binary.read_bytes()
lines += ["}  // namespace comshu::schema", "", f"namespace {space} {{", "",
          f"alignas(16) inline constexpr uint8_t kSchema[{len(data)}] = {{"]
lines += ["    " + ", ".join(map(str, data[i:i + 24])) + "," for i in range(0, len(data), 24)]
lines += ["};", "", f"}}  // namespace {space}", ""]
out.write_text("\n".join(lines))
