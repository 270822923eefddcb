"""What an installed MPI offers, read from its own header and its own library.

The wrappers of this project are generated per MPI, and no two MPIs declare the same set: handles
are ints here and pointers there, functions are macros here and symbols there, and some that are
declared are missing from the library. So nothing is listed by hand: the preprocessed mpi.h gives
the prototypes, the library's dynamic symbols say which of them exist.

    from mpi_model import load_mpi
    mpi = load_mpi("mpicc.mpich")         # or load_mpi(cc, cache="model.json")
    mpi.name                              # "mpich" or "openmpi"
    for f in mpi.functions:               # sorted by name, all of them exported as MPI_X and PMPI_X
        f.name, f.base                    # "MPI_Send_c", "MPI_Send" (the name without _c)
        f.result                          # "int", "double", "MPI_Aint", ...
        f.parameters                      # [Parameter(...)]
        f.variadic                        # true for MPI_Pcontrol alone
        f.declaration("wrap_MPI_Send")    # "int wrap_MPI_Send(const void *buf, ...)"
        f.arguments()                     # "buf, count, ..."
        p.name, p.type                    # "ranges", "int (*)[3]": the type after array decay
        p.declaration                     # "int ranges[][3]"
    mpi.function("MPI_Send")

Roles of the arguments are in mpi_roles.py.
"""

import json
import os
import re
import subprocess
import tempfile
from dataclasses import asdict, dataclass, field

# The last one makes Open MPI declare the functions of MPI-1 that its library still exports; code
# that names their types needs the same definitions.
HEADER_DEFINES = ["-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX", "-DMPI_NO_CPPBIND",
                  "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"]


class ModelError(Exception):
    """The wrapper compiler, its header or its library is not what the generator needs."""


@dataclass
class Parameter:
    name: str
    type: str
    declaration: str


@dataclass
class Function:
    name: str
    result: str
    parameters: list = field(default_factory=list)
    variadic: bool = False

    @property
    def base(self):
        return self.name[:-2] if self.name.endswith("_c") else self.name

    def parameter_list(self):
        parts = [p.declaration for p in self.parameters] + (["..."] if self.variadic else [])
        return ", ".join(parts) if parts else "void"

    def declaration(self, name=None):
        return f"{self.result} {name or self.name}({self.parameter_list()})"

    def arguments(self):
        return ", ".join(p.name for p in self.parameters)

    def type_list(self):
        parts = [p.type for p in self.parameters] + (["..."] if self.variadic else [])
        return ", ".join(parts) if parts else "void"


@dataclass
class Mpi:
    name: str
    compiler: str
    library: str
    soname: str
    functions: list
    not_exported: list
    qmpi_numbers: dict  # function name -> enumerator of the header's QMPI_Functions_enum, if any

    def function(self, name):
        for f in self.functions:
            if f.name == name:
                return f
        raise KeyError(name)


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ModelError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise ModelError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def preprocess(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "header.c")
        with open(source, "w", encoding="ascii") as out:
            out.write("#include <mpi.h>\n")
        return run([compiler, *HEADER_DEFINES, "-E", "-P", source])


def strip_attributes(text):
    """Removes every __attribute__((...)), whose strings may hold parentheses and semicolons."""
    out = []
    at = 0
    for match in re.finditer(r"__attribute__\s*\(", text):
        if match.start() < at:
            continue
        out.append(text[at : match.start()])
        depth, i, quoted = 1, match.end(), False
        while depth:
            c = text[i]
            if c == '"' and text[i - 1] != "\\":
                quoted = not quoted
            elif not quoted:
                depth += {"(": 1, ")": -1}.get(c, 0)
            i += 1
        at = i
    out.append(text[at:])
    return "".join(out)


def split_top_level(text, separator):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return parts


TYPE_WORDS = {"int", "char", "void", "double", "long", "short", "unsigned", "signed", "float"}


def parse_parameter(text, position):
    text = " ".join(text.split())
    pointer = re.fullmatch(r"(.*\(\s*\*\s*)(\w*)(\s*\)\s*\(.*\))", text)
    if pointer:  # a function pointer spelled out in the prototype
        name = pointer.group(2) or f"arg{position}"
        return Parameter(name, f"{pointer.group(1)}{pointer.group(3)}",
                         f"{pointer.group(1)}{name}{pointer.group(3)}")
    match = re.fullmatch(r"([^\[]*?)(\w+)?\s*((?:\[[^\]]*\]\s*)*)", text)
    if not match:
        raise ModelError(f"parameter not understood: {text}")
    before, name, arrays = match.group(1).strip(), match.group(2), match.group(3).replace(" ", "")
    if name and (not before or before == "const" or name in TYPE_WORDS):
        before, name = f"{before} {name}".strip(), None
    name = name or f"arg{position}"
    glue = "" if before.endswith("*") else " "
    declaration = f"{before}{glue}{name}{arrays}"
    dimensions = re.findall(r"\[[^\]]*\]", arrays)
    if not dimensions:
        decayed = before
    elif len(dimensions) == 1:
        decayed = f"{before}{glue}*"
    else:
        decayed = f"{before} (*){''.join(dimensions[1:])}"
    return Parameter(name, decayed, declaration)


PROTOTYPE = re.compile(r"^\s*([A-Za-z_][\w\s\*]*?)\b(MPIX?_\w+)\s*\((.*)\)\s*$", re.DOTALL)


def parse_prototypes(text):
    functions = {}
    for statement in split_top_level(strip_attributes(text), ";"):
        match = PROTOTYPE.match(statement)
        if not match or "typedef" in match.group(1).split():
            continue
        result = " ".join(w for w in match.group(1).split() if w != "extern").replace(" *", "*")
        function = Function(match.group(2), result)
        arguments = match.group(3).strip()
        if arguments not in ("", "void"):
            for position, part in enumerate(split_top_level(arguments, ",")):
                if part.strip() == "...":
                    function.variadic = True
                else:
                    function.parameters.append(parse_parameter(part, position))
        # The first declaration wins: later ones (PMPI, macros' leftovers) may lack names.
        functions.setdefault(function.name, function)
    return functions


def parse_qmpi_enum(text, functions):
    """MPICH declares QMPI's function numbers itself, and they differ between its versions."""
    match = re.search(r"enum\s+QMPI_Functions_enum\s*\{(.*?)\}", text, re.DOTALL)
    if not match:
        return {}
    numbers = {}
    following = 0
    for entry in match.group(1).split(","):
        name, _, value = (part.strip() for part in entry.partition("="))
        if name:
            following = int(value, 0) if value else following
            numbers[name] = following
            following += 1
    by_enumerator = {enumerator(f): f for f in functions}
    return {by_enumerator[n]: v for n, v in numbers.items() if n in by_enumerator}


def enumerator(function_name):
    return function_name.upper() + "_T"


def link_line(compiler):
    for option in ("--showme:link", "-show"):
        try:
            return run([compiler, option]).split()
        except ModelError as error:
            last = error
    raise last


def soname_of(path):
    match = re.search(r"\(SONAME\).*\[(.*)\]", run(["readelf", "-d", path]))
    return match.group(1) if match else os.path.basename(path)


def exported_symbols(path):
    names = set()
    for line in run(["nm", "-D", "--defined-only", path]).splitlines():
        fields = line.split()
        if len(fields) >= 3 and fields[-2] in "TWti":
            names.add(fields[-1].split("@")[0])
    return names


def library_paths(compiler):
    """Paths of the shared libraries that a wrapper compiler links, in its order."""
    flags = link_line(compiler)
    folders = [f[2:] for f in flags if f.startswith("-L") and len(f) > 2]
    folders += [flags[i + 1] for i, f in enumerate(flags[:-1]) if f == "-L"]
    match = re.search(r"^libraries: =(.*)$", run([compiler, "-print-search-dirs"]), re.MULTILINE)
    folders += match.group(1).split(":") if match else []
    for flag in flags:
        if flag.startswith("-l"):
            paths = (os.path.join(folder, f"lib{flag[2:]}.so") for folder in folders)
            path = next((p for p in paths if os.path.exists(p)), None)
            if path and not is_script(path):
                yield os.path.realpath(path)


def find_library(compiler):
    """The library on the wrapper's link line that holds PMPI_Init, and all that it exports."""
    for path in library_paths(compiler):
        symbols = exported_symbols(path)
        if "PMPI_Init" in symbols:
            return path, symbols
    raise ModelError(f"{compiler}: no library on its link line exports PMPI_Init")


def is_script(path):
    with open(path, "rb") as file:
        return file.read(4) != b"\x7fELF"


def name_of(preprocessed, symbols):
    if "ompi_mpi_comm_world" in preprocessed:
        return "openmpi"
    if any(s.startswith("MPIR_") for s in symbols):
        return "mpich"
    raise ModelError("neither MPICH nor Open MPI")


def load_mpi(compiler, cache=None):
    """The model of one MPI; with cache, a JSON file that is written once and then read."""
    if cache and os.path.exists(cache):
        with open(cache, encoding="utf-8") as file:
            data = json.load(file)
        if data["compiler"] == compiler:
            functions = [Function(f["name"], f["result"], [Parameter(**p) for p in f["parameters"]],
                                  f["variadic"]) for f in data.pop("functions")]
            return Mpi(functions=functions, **data)
    text = preprocess(compiler)
    library, symbols = find_library(compiler)
    declared = parse_prototypes(text)
    present = [declared[n] for n in sorted(declared) if n in symbols and "P" + n in symbols]
    missing = sorted(set(declared) - {f.name for f in present})
    mpi = Mpi(name_of(text, symbols), compiler, library, soname_of(library), present, missing,
              parse_qmpi_enum(text, declared))
    if cache:
        with open(cache, "w", encoding="utf-8") as file:
            json.dump(asdict(mpi), file, indent=1)
    return mpi
