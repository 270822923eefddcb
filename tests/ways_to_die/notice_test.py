"""What a program can notice of comshu: nothing it looks at, and how much memory and time it takes."""

import os
import re
import statistics
import subprocess
import time

from harness import LONG, MPIEXEC, OBJECTS, Scene, check, equal, launch_words, program, run_table

# Rings of 1 MiB, the stack of open calls, and what the C library needs for a thread that allocates.
KIB_PER_THREAD = 1024 + 256
# Engine, schema, modules, definitions, drain; what the provider keeps.
KIB_PER_PROCESS = 12 * 1024


def seen_by(text):
    """The lines; which number a descriptor of MPI's own has depends on what its threads open first."""
    lines = []
    for line in text.splitlines():
        when, _, descriptors = line.partition(": descriptors")
        if descriptors and when != "at main":
            line = f"{when}: {sorted(word[word.index('('):] for word in descriptors.split())}"
        lines.append(line)
    return sorted(lines)


def look(mpi, ranks, *words):
    with Scene() as scene:
        command = [program(mpi, "look"), *words]
        if ranks > 1:
            command = [*launch_words(mpi, ranks), *command]
        environment = {"LC_ALL": "C.UTF-8"}
        seen = []
        for traced in (False, True):
            text = scene.folder / "input"
            text.write_text("a line for standard input\n")
            with text.open() as stdin:
                run = scene.traced if traced else scene.plain
                seen.append(run(command, stdin=stdin, **environment))
        plain, result = seen
        equal(result.code, plain.code, f"exit code ({result.all_errors})")
        equal(seen_by(result.out), seen_by(plain.out), "what the program sees")
        equal(result.errors, plain.errors, "standard error")
        # Calls may be lost where the drain gets no CPU for long; the program does not notice that either.
        equal(len([line for line in result.said if "next: comshu read" in line]), 1, "lines that end the run")


def preload(mpi):
    names = (f"libqmpi-{mpi}.so", "libcomshu_engine.so", f"libcomshu_mpi-{mpi}.so")
    return ":".join(str(OBJECTS / name) for name in names)


def kib(text, name):
    return int(re.search(rf"{name}:\s+(\d+) kB", text).group(1))


def footprint(mpi):
    """Bounded, and told: what a process and each further thread take."""
    with Scene() as scene:
        used = {}
        for threads in (0, 32):
            for traced in (False, True):
                folder = scene.fresh("capture")
                extra = {"LD_PRELOAD": preload(mpi), "COMSHU_DIR": str(folder)} if traced else {}
                done = scene.plain([program(mpi, "footprint"), str(threads)], **extra)
                equal(done.code, 0, done.all_errors)
                used[threads, traced] = kib(done.out, "VmRSS")
        process = used[0, True] - used[0, False]
        thread = (used[32, True] - used[32, False] - process) / 32
        check(process <= KIB_PER_PROCESS, f"{process} KiB for a process")
        check(thread <= KIB_PER_THREAD, f"{thread:.0f} KiB for a thread")
        return f"resident: {process} KiB for the process and its first thread, {thread:.0f} KiB for each further thread"


def start_up(mpi):
    """Told, not judged: what the first traced call and the end cost a process."""
    with Scene() as scene:
        times = {False: [], True: []}
        for _ in range(30 if LONG else 12):
            for traced in (False, True):
                environment = dict(scene.environment)
                if traced:
                    environment.update(LD_PRELOAD=preload(mpi), COMSHU_DIR=str(scene.fresh("capture")))
                begin = time.perf_counter()
                subprocess.run([program(mpi, "footprint"), "0"], env=environment, check=True, stdout=subprocess.DEVNULL)
                times[traced].append((time.perf_counter() - begin) * 1000)
        without, with_comshu = (statistics.median(times[traced]) for traced in (False, True))
        fastest = min(times[True]) - min(times[False])
        return (f"start, one call, end: {with_comshu - without:.1f} ms more (median; {without:.1f} ms without), "
                f"{fastest:.1f} ms more (fastest)")


def sleeps(mpi):
    """A program that makes no traced call leaves no trace, and starts no thread."""
    with Scene() as scene:
        folder = scene.fresh("capture")
        extra = {"LD_PRELOAD": preload(mpi), "COMSHU_DIR": str(folder)}
        words = ["sh", "-c", "ls /proc/self/task | wc -l; ls -l /proc/self/fd | grep -c comshu; cat /dev/stdin"]
        plain, result = scene.plain(words), scene.plain(words, **extra)
        equal((result.code, result.out, result.all_errors), (plain.code, plain.out, plain.all_errors), "a shell")
        equal(os.listdir(folder), [], "files")


def table():
    cases = []
    for mpi in MPIEXEC:
        cases += [
            (f"{mpi} a program before MPI_Init", lambda mpi=mpi: look(mpi, 1)),
            (f"{mpi} one rank", lambda mpi=mpi: look(mpi, 1, "mpi")),
            (f"{mpi} a rank under its launcher", lambda mpi=mpi: look(mpi, 2, "mpi")),
            (f"{mpi} programs without MPI", lambda mpi=mpi: sleeps(mpi)),
            (f"{mpi} memory", lambda mpi=mpi: footprint(mpi)),
            (f"{mpi} start-up", lambda mpi=mpi: start_up(mpi)),
        ]
    return cases


if __name__ == "__main__":
    run_table("what a program notices", table())
