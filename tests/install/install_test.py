#!/usr/bin/python3
"""An installed comshu stands on its own: everything is there, it works after the tree was moved, and it
does not look back into the build. Usage: install_test.py CMAKE BUILD PREFIX LIBRARY..."""

import pathlib
import re
import shutil
import subprocess
import sys


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    cmake, build, prefix, *libraries = sys.argv[1:]
    prefix = pathlib.Path(prefix)
    moved = prefix.with_name("moved")
    for folder in (prefix, moved):
        shutil.rmtree(folder, ignore_errors=True)
    output(cmake, "--install", build, "--prefix", str(prefix))
    prefix.rename(moved)

    wrong = [f"lib/comshu/{name} is missing" for name in libraries if not (moved / "lib/comshu" / name).is_file()]
    program = moved / "bin/comshu"
    if not program.is_file():
        sys.exit("bin/comshu is not installed: install(TARGETS comshu) is missing")
    for file in [program, *(moved / "lib/comshu").glob("*.so")]:
        for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.+)\]", output("readelf", "-dW", file)):
            if not path.startswith("$ORIGIN"):
                wrong.append(f"{file.relative_to(moved)} looks for libraries in {path}")
    if "mpi" not in output(program, "list"):
        wrong.append("comshu list does not name the provider mpi")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
