#!/usr/bin/python3
"""What is inserted gives no warnings: every program of the corpus is compiled with all that gfortran can warn of, as
it is, instrumented by hand (comshu-instrument, then the compiler), and by comshu-fc. By hand each message of the
instrumented text is one of the original's, of the same line; by comshu-fc they are the same, word for word. The
registration unit gives the C compiler nothing to warn of.

With --sample N only N of them, drawn by COMSHU_TEST_SEED, unless COMSHU_TEST_LONG is 1.

usage: warnings_test.py --bin DIR [--level LEVEL]... [--flag FLAG]... [--sample N] [PROGRAM...]
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import sys
import tempfile

import round_trip

WARNINGS = """-Wall -Wextra -Wpedantic -Wconversion -Wconversion-extra -Wsurprising -Wunused -Wrealloc-lhs
    -Wrealloc-lhs-all -Wcompare-reals -Wuse-without-only -Wimplicit-interface -Wimplicit-procedure -Warray-temporaries
    -Wcharacter-truncation -Wfunction-elimination -Wintrinsics-std -Wintrinsic-shadow -Wfrontend-loop-interchange
    -Waliasing -Wampersand -Wc-binding-type -Wdo-subscript -Winteger-division -Wline-truncation -Wtarget-lifetime
    -Wundefined-do-loop -Wunderflow -Wzerotrip""".split()
C_WARNINGS = """-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes
    -Wcast-align -Wcast-qual -Werror""".split()
# These stay, and docs/fortran.md says why.
STAY = {"-Warray-temporaries": ("d3", "d4"), "-Wfunction-elimination": ("perf", "d1", "d2", "d3", "d4")}


def messages(text):
    """(file, line, message) of what gfortran has to say, each with how often it says it."""
    found = collections.Counter()
    place = ("", 0)
    for line in text.splitlines():
        if where := re.match(r"(\S+?):(\d+):\d+[:-]", line):
            place = (pathlib.Path(where[1]).name, int(where[2]))
        elif said := re.match(r"(?:\S+ )?(Warning|Error): (.*)", line):
            found[(*place, re.sub(r" at \(\d\)", "", said[2]))] += 1
    return found


def one(path, form, options):
    """Lines that say what is new, and how many of each kind stay."""
    flags = re.findall(r"^! flags: *(.*)$", path.read_text(errors="replace"), re.M)
    flags = flags[0].split() if flags else []
    new = []
    stay = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        words = ["-fopenmp", f"-f{form}-form", "-O1", "-c", *flags, *WARNINGS, *options.flag, f"-J{work}"]

        def run(*command):
            return round_trip.command(*command, cwd=path.parent)

        original = run("gfortran", *words, path.name, "-o", work / "original.o")
        for level in options.level:
            source = work / path.name
            round_trip.must(run(options.bin / "bin/comshu-instrument", path.name, "-o", source, "--registration",
                                work / "unit.c", "--modules", work, f"--{form}", f"-d{level.removeprefix('d')}", *flags),
                            "instrumenting")
            round_trip.must(run("cc", "-O2", "-fPIC", *C_WARNINGS, "-c", work / "unit.c", "-o", work / "unit.o"),
                            "the registration unit")
            by_hand = run("gfortran", *words, f"-I{path.parent}", source, "-o", work / "text.o")
            if by_hand.returncode != original.returncode:
                new.append(f"{level}: the exit code is {by_hand.returncode}, not {original.returncode}")
            for (file, line, said), count in (messages(by_hand.stderr) - messages(original.stderr)).items():
                kind = next((k for k, levels in STAY.items() if f"[{k}]" in said and level in levels), None)
                if kind:
                    stay[kind] += count
                else:
                    new.append(f"{level}: {file}:{line}: {said}")
            by_fc = run(options.bin / "bin/comshu-fc", f"-d{level.removeprefix('d')}", "gfortran", *words, path.name,
                        "-o", work / "fc.o")
            if re.sub(r".* left alone \(-v says why\)\n", "", by_fc.stderr) != original.stderr:
                new.append(f"{level}: comshu-fc says\n{by_fc.stderr[:1000]}\nnot\n{original.stderr[:1000]}")
    return new, stay


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--level", action="append")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sample", type=int)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    options.level = options.level or ["perf", "d1", "d2", "d3"]
    chosen = [(p, f) for p, f in round_trip.programs() if not options.names or p.stem in options.names]
    if options.sample and os.environ.get("COMSHU_TEST_LONG") != "1":
        chosen = random.Random(f"{os.environ.get('COMSHU_TEST_SEED') or 1} warnings").sample(chosen, options.sample)

    def attempt(pair):
        try:
            return one(*pair, options)
        except round_trip.Failure as failure:
            return [str(failure)], collections.Counter()

    failed = 0
    stay = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (path, form), (new, stays) in zip(chosen, pool.map(attempt, chosen)):
            failed += bool(new)
            stay += stays
            for line in new:
                print(f"{path.relative_to(round_trip.CORPUS)} ({form}) {line}", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} programs at {' '.join(options.level)} {' '.join(options.flag)}"
          f" have the warnings of the original; stay: {dict(stay)}")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
