#!/usr/bin/python3
"""What a preloaded object needs and exports: libc alone, what its version script names alone, and it is
never unloaded. Usage: check_preloaded.py OBJECT VERSION_SCRIPT"""

import fnmatch
import re
import subprocess
import sys

import repo

MAY_NEED = re.compile(r"libc\.so\.6|ld-linux[\w-]*\.so\.\d")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported_patterns(script):
    """The patterns under global: of a version script."""
    script = re.sub(r"/\*.*?\*/|#[^\n]*", "", script, flags=re.S)
    found = []
    for section in re.findall(r"global\s*:(.*?)(?:local\s*:|\})", script, re.S):
        section = re.sub(r'extern\s+"[^"]*"\s*\{|\}', ";", section)
        found += [p.strip().strip('"') for p in section.split(";") if p.strip()]
    return found


def of_dynamic(dynamic):
    """From the output of `readelf -dW`."""
    for library in re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic):
        if not MAY_NEED.fullmatch(library):
            yield f"needs {library}: a preloaded object may need libc alone"
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.+?)\]", dynamic):
        yield f"has a run path, {path}"
    if "TEXTREL" in dynamic:
        yield "has text relocations"
    if not re.search(r"FLAGS_1.*NODELETE", dynamic):
        yield "may be unloaded: link with -z nodelete"


def of_exports(symbols, script):
    """From the output of `nm -D --defined-only` and the text of the version script."""
    names = set()
    for line in symbols.splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # the name of a version itself
            names.add(name.split("@")[0])
    patterns = exported_patterns(script)
    if not re.search(r"local\s*:\s*\*\s*;", script):
        yield "its version script does not end with local: *;"
    plain = {pattern for pattern in patterns if not re.search(r"[*?\[]", pattern)}
    wild = set(patterns) - plain
    for name in sorted(names - plain):
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in wild):
            yield f"exports {name}, which its version script does not name"
    for name in sorted(plain - names):
        yield f"does not export {name}, which its version script names"


def findings(path, script):
    with open(script) as file:
        text = file.read()
    found = list(of_dynamic(run("readelf", "-dW", path)))
    found += of_exports(run("nm", "-D", "--defined-only", path), text)
    return [f"{path}: {finding}" for finding in found]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(repo.report(findings(*sys.argv[1:])))
