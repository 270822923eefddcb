"""Writes the binary schema, plain and packed, as a C++ source: embed_schema.py OUT BFBS BFBS_ZST"""
import sys


def array(name, path):
    data = open(path, "rb").read()
    lines = [", ".join(str(b) for b in data[i : i + 24]) for i in range(0, len(data), 24)]
    body = ",\n    ".join(lines)
    return (
        f"alignas(16) const uint8_t {name}[] = {{\n    {body}}};\n"
        f"const size_t {name}Bytes = {len(data)};\n"
    )


out, plain, packed = sys.argv[1:]
with open(out, "w") as f:
    f.write('#include "comshu/schema/schema_data.h"\n\nnamespace comshu::schema {\n\n')
    f.write(array("kSchema", plain) + "\n" + array("kPackedSchema", packed))
    f.write("\n}  // namespace comshu::schema\n")
