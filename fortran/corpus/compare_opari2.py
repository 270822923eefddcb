#!/usr/bin/python3
"""Which programs of the corpus OPARI2 handles: its output must compile. Prints those that it does not.
(What comshu handles is tested by round_trip.py: all of them.)  usage: compare_opari2.py"""

import pathlib
import shutil
import tempfile

from round_trip import CORPUS, command, programs


def opari2(path, form, work):
    shutil.copytree(path.parent, work, dirs_exist_ok=True)
    suffix = {"fixed": ".F", "free": ".F90"}[form]
    result = command("opari2", "--fix-form" if form == "fixed" else "--free-form", "--f90", path.name,
                     f"out{suffix}", cwd=work)
    if result.returncode != 0:
        return "refuses it: " + (result.stdout + result.stderr).strip().splitlines()[0]
    compiled = command("gfortran", "-fopenmp", "-DEXTRA=1", "-c", "-w", f"out{suffix}", cwd=work)
    if compiled.returncode != 0:
        lines = [line for line in compiled.stderr.splitlines() if line.startswith("Error")]
        return "its output does not compile: " + (lines[0] if lines else "")
    return ""


def main():
    handled = 0
    pairs = list(programs())
    for path, form in pairs:
        with tempfile.TemporaryDirectory() as folder:
            why = opari2(path, form, pathlib.Path(folder))
        handled += not why
        if why:
            print(f"{path.relative_to(CORPUS)} ({form}): {why}")
    print(f"OPARI2 handles {handled} of {len(pairs)}")


if __name__ == "__main__":
    main()
