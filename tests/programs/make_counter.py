#!/usr/bin/python3
"""Writes a plain PMPI tool in C that counts calls: of each function that mpi.h declares with a PMPI_
name, one wrapper that adds one and goes on. Usage: make_counter.py MPICC OUT.c

It shares nothing with comshu: the declarations come from the compiler's own view of mpi.h.
"""

import pathlib
import re
import subprocess
import sys

DECLARED = re.compile(r"\b(int|double|MPI_Fint|MPI_Aint|MPI_\w+)\s+(P?)(MPI_\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)[^;{]*;")
# Of variable arguments.
LEFT_OUT = {"MPI_Pcontrol"}


def declarations(mpicc):
    text = subprocess.run([mpicc, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True,
                          check=True).stdout
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    found, profiled = {}, set()
    for result, p, name, parameters in DECLARED.findall(re.sub(r"\s+", " ", text)):
        if p:
            profiled.add(name)
        else:
            found[name] = (result, [part.strip() for part in split(parameters)])
    return {name: found[name] for name in sorted(found) if name in profiled and name not in LEFT_OUT}


def split(parameters):
    depth, part = 0, ""
    for c in parameters:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            yield part
            part = ""
        else:
            part += c
    yield part


def named(parameter, i):
    """The parameter with a name of our own."""
    array = re.search(r"(\s*\[[^]]*\])+$", parameter)
    tail = array[0].strip() if array else ""
    head = parameter[:array.start()] if array else parameter
    word = re.search(r"\b(\w+)$", head)
    types = {"int", "char", "void", "double", "const", "long", "unsigned", "MPI_Fint"}
    if word and word[1] not in types and not word[1].startswith("MPI_") and " " in head.replace("*", " * ").strip():
        head = head[:word.start()]
    return f"{head.strip()} a{i}{tail}"


def main():
    mpicc, out = sys.argv[1:]
    functions = declarations(mpicc)
    lines = ["#include <mpi.h>", "#include <stdio.h>", "#include <stdlib.h>",
             "#include <unistd.h>", "", f"#define FUNCTIONS {len(functions)}",
             "static unsigned long counts[FUNCTIONS];", "static const char* const names[FUNCTIONS] = {"]
    lines += [f'    "{name}",' for name in functions]
    lines += ["};", "", "__attribute__((destructor)) static void Write(void) {",
              "    const char* folder = getenv(\"COUNTER_FOLDER\");", "    unsigned long sum = 0;",
              "    for (int i = 0; i < FUNCTIONS; ++i) sum += counts[i];",
              "    if (folder == NULL || sum == 0) return;", "    char path[4096];",
              "    snprintf(path, sizeof path, \"%s/%d\", folder, (int)getpid());",
              "    FILE* file = fopen(path, \"w\");",
              "    for (int i = 0; i < FUNCTIONS; ++i) if (counts[i]) fprintf(file, \"%s %lu\\n\", names[i], counts[i]);",
              "    fclose(file);", "}", ""]
    for number, (name, (result, parameters)) in enumerate(functions.items()):
        if parameters in (["void"], [""]):
            declared, passed = "void", ""
        else:
            declared = ", ".join(named(parameter, i) for i, parameter in enumerate(parameters))
            passed = ", ".join(f"a{i}" for i in range(len(parameters)))
        lines.append(f"{result} {name}({declared}) {{ ++counts[{number}]; return P{name}({passed}); }}")
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
