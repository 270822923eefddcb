"""Writes the wrappers of the tool "comshu" for one MPI: providers/mpi's generated sources.

    generate_wrappers.py --mpicc mpicc.mpich --functions schema/mpi_function.fbs --out DIR --parts N

Which functions exist and what their arguments are comes from qmpi/generate (prototypes of the
installed mpi.h, the table of argument roles); what each records from wrapper_kinds.txt and the
kinds below. Writes wrappers_0.cpp ... and wrapper_table.cpp; files that would not change are left
alone.
"""

import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "qmpi", "generate"))

from function_numbers import Rows  # noqa: E402
from mpi_model import ModelError, enumerator, load_mpi  # noqa: E402
from mpi_roles import RoleError, load_roles  # noqa: E402
from wrapper_templates import KINDS, collective_volume  # noqa: E402

NOTICE = "// Generated from this MPI's mpi.h by providers/mpi/generate_wrappers.py.\n"
INCLUDES = ["mpi/calls.h", "mpi/library.h", "mpi/wrappers.h"]


class TableError(Exception):
    """wrapper_kinds.txt does not fit the functions it names."""


def parse_kinds(path):
    kinds, categories = {}, {}
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0].startswith("@"):
                categories[words[0][1:]] = words[1]
                continue
            for name in words[1:]:
                if name in kinds or words[0] not in KINDS:
                    raise TableError(f"{path}:{number}: {words[0]} {name}")
                kinds[name] = words[0]
    return kinds, categories


def kind_of(function, signature, kinds, categories):
    for name in (function.name, function.base):
        if name in kinds:
            return kinds[name]
    return categories.get(signature.category, "call")


def names_of(function, signature):
    """{name} -> C++: the arguments by their standard names, and what follows from them."""
    names = {a.name: a.parameter.name for a in signature.arguments}

    def derive(name, given, otherwise, expression="{}"):
        names[name] = expression.format(names[given]) if given else otherwise

    def first(role, test):
        return next((a.name for a in signature.all(role) if test(a)), None)

    names["function_number"] = f"schema::MpiFunction::{function.name}"
    derive("root_rank", "root" if "root" in names else None, "kNoRank", "NormalRank({})")
    derive("operation", first("op", lambda a: not a.is_pointer), "schema::MpiOperation::none",
           "Operation({})")
    names["send_count"] = names.get("sendcount") or names.get("count")
    names["send_type"] = names.get("sendtype") or names.get("datatype")
    names["receive_count"] = names.get("recvcount") or names.get("count")
    names["receive_type"] = names.get("recvtype") or names.get("datatype")
    request = signature.first("request")
    if request:
        names["request_address"] = ("" if request.is_pointer else "&") + request.parameter.name
        if signature.form != "blocking":
            names["made_request"] = request.parameter.name
            names["persistent"] = "true" if signature.form == "persistent" else "false"
    derive("target_normal", first("target", lambda a: not a.is_pointer), "kNoRank", "NormalRank({})")
    derive("offset_or_none", first("offset", lambda a: not a.is_pointer), "INT64_MIN")
    derive("window_bytes", first("size", lambda a: not a.is_pointer), "kNoBytes",
           "static_cast<uint64_t>({})")
    derive("window_unit", first("disp_unit", lambda a: not a.is_pointer), "kNoRank",
           "static_cast<int32_t>({})")
    given_comm = first("comm", lambda a: not a.is_pointer)
    derive("comm_id", given_comm, "0", "CommIdOf({})")
    derive("parent_comm", given_comm, "nullptr", "comms.Find({})")
    made_comm = first("comm", lambda a: a.direction == "out")
    if made_comm:
        names["new_comm"] = names[made_comm]
    if signature.category == "collective":
        names["volume"] = collective_volume(function, signature, names)
    return names


def fill(template, names, function):
    """C++ of a template; an argument that the function lacks is an error of wrapper_kinds.txt."""
    def name(match):
        if match.group(1) not in names:
            raise TableError(f"{function.name} has no argument {match.group(1)}")
        return names[match.group(1)]

    return re.sub(r"\{(\w+)\}", name, template)


def returns_error_code(function, signature):
    return (function.result == "int" and signature.category != "convert"
            and not function.name.startswith("MPIX_Query_"))


def emit_call(function):
    arguments = function.arguments()
    return (f"NextFunction<Q{function.name}_t>(next_{function.name})(context, "
            f"next_{function.name}.tool_id{', ' + arguments if arguments else ''})")


def open_wrapper(function):
    own = ["QMPI_Context context", "int"] + [p.declaration for p in function.parameters]
    return [f"static Next next_{function.name}{{nullptr, 0, {enumerator(function.name)}}};",
            f"static {function.result} Wrap_{function.name}({', '.join(own)}) {{"]


# They move no data, complete nothing and make nothing.
PLAIN_KINDS = ("call", "quick", "comm")


def emit_plain(function, signature):
    """Functions that carry nothing: the span is opened and closed out of line."""
    error = returns_error_code(function, signature)
    return open_wrapper(function) + [
        f"    schema::MpiCall* call = OpenCall(context, schema::MpiFunction::{function.name}, "
        "__builtin_frame_address(0));",
        f"    const auto result = {emit_call(function)};",
        f"    CloseCall(call, {'result != MPI_SUCCESS' if error else 'false'});",
        "    return result;",
        "}", ""]


def emit_span(function, signature, kind):
    names = names_of(function, signature)
    error = returns_error_code(function, signature)

    def lines(templates, indent):
        chosen = [t[1:] if t.startswith("?") else t for t in templates
                  if not t.startswith("?") or "made_request" in names]
        return [" " * indent + fill(t, names, function) for t in chosen]

    out = open_wrapper(function)
    out.append(f"    Span<schema::{kind.record}> span(context, schema::MpiFunction::{function.name}, "
               "__builtin_frame_address(0));")
    out += lines(kind.declare, 4)
    out += ["    if (span) {", *lines(kind.before, 8), "        span.Begin();", "    }"]
    out += lines(kind.begun, 4)
    out.append(f"    const auto result = {emit_call(function)};")
    out += lines(kind.returned, 4)
    out.append(f"    if (span) span.Stop({'result' if error else ''});")
    out += lines(kind.always, 4)
    out += ["    if (span) {", *lines(kind.after, 8)]
    if not kind.ends_itself:
        out.append("        span.End();")
    return out + ["    }", *lines(kind.last, 4), "    return result;", "}", ""]


def emit_function(function, signature, name):
    kind = KINDS[name]
    return emit_plain(function, signature) if kind is None else emit_span(function, signature, kind)


def write(folder, name, lines):
    text = "\n".join(lines)
    path = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def rename_parameters(function):
    """Keeps names of the header's parameters apart from those that wrappers use themselves."""
    for p in function.parameters:
        name = f"{p.name}_argument"
        p.declaration = re.sub(rf"\b{p.name}\b(?!.*\b{p.name}\b)", name, p.declaration)
        p.name = name


def generate(mpi, roles, kinds, categories, out, parts):
    for function in mpi.functions:
        rename_parameters(function)
    functions = [(f, roles.of(f)) for f in mpi.functions]
    registered = []
    plain = []
    for part in range(parts):
        mine = functions[part::parts]
        lines = [NOTICE, *(f'#include "{i}"' for i in INCLUDES), "",
                 "namespace comshu::provider::mpi {", ""]
        rows = []
        for f, signature in mine:
            kind = kind_of(f, signature, kinds, categories)
            if f.variadic:
                if kind != "variadic":
                    raise TableError(f"{f.name} has variable arguments and no wrapper for them")
                continue
            lines += emit_function(f, signature, kind)
            if kind in PLAIN_KINDS:
                plain.append(enumerator(f.name))
            rows.append(f"    {{{enumerator(f.name)}, reinterpret_cast<void (*)()>(Wrap_{f.name})}},")
        lines += [f"extern const Wrapper kWrappers{part}[] = {{", *rows, "};", "",
                  "}  // namespace comshu::provider::mpi", ""]
        write(out, f"wrappers_{part}.cpp", lines)
        registered.append(len(rows))
    table = [NOTICE, "#include <qmpi.h>", "", '#include "mpi/wrappers.h"', "",
             "namespace comshu::provider::mpi {", ""]
    table += [f"extern const Wrapper kWrappers{p}[{n}];" for p, n in enumerate(registered)]
    table += ["", "const WrapperPart kWrapperParts[] = {"]
    table += [f"    {{kWrappers{p}, {n}}}," for p, n in enumerate(registered)]
    table += ["};", f"const size_t kWrapperPartCount = {parts};", "",
              "const int kPlainFunctions[] = {", *(f"    {name}," for name in plain), "};",
              f"const size_t kPlainFunctionCount = {len(plain)};", "",
              "}  // namespace comshu::provider::mpi", ""]
    write(out, "wrapper_table.cpp", table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--functions", required=True, help="the frozen list of functions (.fbs)")
    parser.add_argument("--out", required=True)
    parser.add_argument("--parts", type=int, default=8)
    options = parser.parse_args()
    with open(options.functions, encoding="ascii") as file:
        listed = set(re.findall(r"^\s+(MPIX?_\w+)", file.read(), re.M))
    try:
        mpi = load_mpi(options.mpicc)
        numbered = Rows(mpi).numbers
        unknown = [f.name for f in mpi.functions if f.name not in listed or f.name not in numbered]
        if unknown:
            # A newer MPI than the list knows: its new functions go straight on.
            print(f"providers/mpi: {mpi.name}: not recorded until tools/update_mpi_functions.py has "
                  "listed them: " + " ".join(unknown), file=sys.stderr)
            mpi.functions = [f for f in mpi.functions if f.name not in unknown]
        kinds, categories = parse_kinds(os.path.join(HERE, "wrapper_kinds.txt"))
        generate(mpi, load_roles(), kinds, categories, options.out, options.parts)
    except (ModelError, RoleError, TableError, ValueError) as error:
        sys.exit(f"generate_wrappers.py: {error}")


if __name__ == "__main__":
    main()
