"""Writes <name>_traits.h: the declared number and shape of each record type, for C++ at compile time.

generate_traits.py OUT FILE.fbs...
"""
import re
import sys

STRUCT = re.compile(r"^struct\s+(\w+)\s*\((.*?)\)\s*\{(.*?)^\}", re.M | re.S)


def records(paths):
    for path in paths:
        for name, attributes, body in STRUCT.findall(open(path).read()):
            found = dict(re.findall(r'(\w+)\s*:\s*"([^"]*)"', attributes))
            if "type_id" not in found:
                continue
            head = re.search(r"\bhead\s*:\s*(\w+)", body)
            yield name, int(found["type_id"]), head.group(1) if head else ""


out, *paths = sys.argv[1:]
guard = f"COMSHU_SCHEMA_{out.rsplit('/', 1)[-1][:-2].upper()}_H_"
text = f"""// Made from schema/*.fbs by generate_traits.py.
#ifndef {guard}
#define {guard}

#include <cstdint>

"""
found = list(records(paths))
for path in paths:
    text += f'#include "comshu/schema/{path.rsplit("/", 1)[-1][:-4]}_generated.h"\n'
text += """
namespace comshu::schema {

// kType: number of the record type. kIsSpan / kIsInstant: begins with SpanHead / EventHead.
template <typename Record>
struct RecordTraits;

"""
for name, number, head in found:
    text += (
        f"template <>\nstruct RecordTraits<{name}> {{\n"
        f"    static constexpr uint16_t kType = {number};\n"
        f"    static constexpr bool kIsSpan = {'true' if head == 'SpanHead' else 'false'};\n"
        f"    static constexpr bool kIsInstant = {'true' if head == 'EventHead' else 'false'};\n}};\n\n"
    )
text += f"}}  // namespace comshu::schema\n\n#endif  // {guard}\n"
open(out, "w").write(text)
