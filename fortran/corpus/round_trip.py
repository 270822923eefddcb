#!/usr/bin/python3
"""Every program of the corpus, instrumented at one level: it compiles, prints what the original prints, its
events balance on every thread, each handle is registered once, context strings are well formed, and counts
that a program names (`! count: LEVEL ENTRY NUMBER`, T being the number of threads) are met.

With --conditional 1 or 2 (option -dbif) the counts named are those with the data of odd iterations alone (levels
d3if1, d3if2); with the data of all, one thread meets what it meets without conditions.

With --sample N only N of them, drawn by COMSHU_TEST_SEED, unless COMSHU_TEST_LONG is 1.

usage: round_trip.py --bin DIR --level LEVEL [--kind8] [--conditional 1|2] [--sample N] [--update] [PROGRAM...]
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent
THREADS = (1, 2, 4)


def programs():
    """(file, form) of all programs; those in both/ are valid in either form."""
    for path in sorted(CORPUS.glob("both/*.f")):
        yield path, "fixed"
        yield path, "free"
    for path in sorted(CORPUS.glob("fixed/*.f")):
        yield path, "fixed"
    for path in sorted(CORPUS.glob("free/*.[fF]90")):
        yield path, "free"


def command(*arguments, cwd=None, env=None):
    return subprocess.run([str(a) for a in arguments], cwd=cwd, env=env, capture_output=True, text=True,
                          errors="replace", timeout=120)


class Failure(Exception):
    pass


def must(result, what):
    if result.returncode != 0:
        raise Failure(f"{what} failed ({result.returncode}):\n{(result.stdout + result.stderr)[:2000]}")
    return result


def run(program, threads, work, check=None, library=None, odd=False):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC="false", OMP_MAX_ACTIVE_LEVELS="2")
    if check:
        env.update(LD_PRELOAD=str(library), COMSHU_DBG_CHECK=str(check))
    if odd:
        env["COMSHU_DBG_CHECK_ODD"] = "1"
    return command(program, cwd=work, env=env)


def read_report(text, threads):
    counts = {}
    for line in text.splitlines():
        word, value = line.split(" ", 1)
        if word == "error":
            raise Failure(f"with {threads} threads: {value}")
        counts[word] = int(value)
    return counts


def check_report(text, expected, level, threads):
    counts = read_report(text, threads)
    for wanted_level, entry, number in expected:
        if wanted_level == level:
            wanted = eval(number, {"T": threads})  # written in the program itself
            if counts.get(entry, 0) != wanted:
                raise Failure(f"with {threads} threads: {entry} {counts.get(entry, 0)} times, not {wanted}")


def one(path, form, options):
    text = path.read_text(errors="replace")
    flags = re.findall(r"^! flags: *(.*)$", text, re.M)
    flags = flags[0].split() if flags else []
    expected = re.findall(r"^! count: (\w+) (\w+) (\S+)", text, re.M)
    compile_flags = ["-fopenmp", f"-f{form}-form", "-O0", "-w", *flags]
    if options.kind8:
        compile_flags.append("-fdefault-integer-8")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        must(command("gfortran", *compile_flags, f"-J{work}", path, "-o", work / "original", cwd=path.parent),
             "compiling the original")
        source = work / path.name
        level = ["-d" + options.level.removeprefix("d")]
        conditions = [f"-dbif{options.conditional}"] if options.conditional else []

        def build(program, more):
            must(command(options.bin / "bin/comshu-instrument", path.name, "-o", source, "--registration",
                         work / "unit.c", "--modules", work, f"--{form}", *level, *more, *flags, cwd=path.parent),
                 "instrumenting")
            must(command("cc", "-O2", "-c", "-fPIC", work / "unit.c", "-o", work / "unit.o"), "registration unit")
            must(command("gfortran", *compile_flags, f"-J{work}", f"-I{path.parent}", source, work / "unit.o",
                         f"-L{options.bin}/lib/comshu", "-lcomshu_dbg", f"-Wl,-rpath,{options.bin}/lib/comshu",
                         "-o", program, cwd=path.parent), "compiling the instrumented program")

        if conditions:
            build(work / "whole", [])
        build(work / "instrumented", conditions)
        compare_golden(path, form, source, options)
        if conditions:
            compare_all_told(work, options)
        for threads in THREADS:
            original = run(work / "original", threads, work)
            plain = run(work / "instrumented", threads, work)
            checked = run(work / "instrumented", threads, work, work / "report",
                          options.bin / "test/libcomshu_dbg_check.so", odd=bool(conditions))
            for what, result in (("without a provider", plain), ("with one", checked)):
                if (result.stdout, result.returncode) != (original.stdout, original.returncode):
                    raise Failure(f"{what}, {threads} threads, it prints\n{result.stdout}{result.stderr}\nnot\n"
                                  f"{original.stdout}{original.stderr}")
            check_report((work / "report").read_text(), expected, named_level(options), threads)


def named_level(options):
    return options.level + (f"if{options.conditional}" if options.conditional else "")


def compare_all_told(work, options):
    """Where all iterations are told the conditions change nothing but the names of these events."""
    found = []
    for program in ("whole", "instrumented"):
        run(work / program, 1, work, work / "report", options.bin / "test/libcomshu_dbg_check.so")
        counts = read_report((work / "report").read_text(), 1)
        for name in [name for name in counts if name.endswith("_if_iter")]:
            plain = name.replace("_if_iter", "_iter")
            counts[plain] = counts.get(plain, 0) + counts.pop(name)
        found.append(counts)
    if found[0] != found[1]:
        different = sorted(set(found[0].items()) ^ set(found[1].items()))
        raise Failure(f"without conditions it tells other events: {different}")


def compare_golden(path, form, source, options):
    """What is inserted stands in golden/: at the performance level for every program, in free form where both
    are tested; at other levels for those that have a file there."""
    golden = CORPUS / "golden" / f"{path.stem}.{form}.{named_level(options)}"
    wanted = named_level(options) == "perf" and (form == "free" or path.parent.name != "both")
    text = source.read_text(errors="replace")
    if options.update and (wanted or golden.exists()):
        golden.write_text(text)
    elif (wanted or golden.exists()) and (not golden.exists() or golden.read_text(errors="replace") != text):
        raise Failure(f"{golden.name} differs (--update writes it anew)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--level", default="perf")
    parser.add_argument("--kind8", action="store_true")
    parser.add_argument("--conditional", choices=("1", "2"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sample", type=int)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    failed = 0
    chosen = [(p, f) for p, f in programs() if not options.names or p.stem in options.names]
    if options.sample and os.environ.get("COMSHU_TEST_LONG") != "1":
        seed = f"{os.environ.get('COMSHU_TEST_SEED') or 1} {options.level}"
        chosen = random.Random(seed).sample(chosen, options.sample)

    def attempt(pair):
        try:
            one(*pair, options)
        except (Failure, subprocess.TimeoutExpired) as failure:
            return f"{pair[0].relative_to(CORPUS)} ({pair[1]}): {failure}"
        return None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for message in pool.map(attempt, chosen):
            if message:
                failed += 1
                print(message, flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} programs at level {named_level(options)}")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
