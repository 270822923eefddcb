"""Where a capture goes when the place is full, read-only, gone, taken, elsewhere or oddly named: the program
ends as it would, and what could be written reads.

    python3 files_test.py [WORD...]     only the cases with one of these words in their name
"""

import os
import pathlib
import shutil
import subprocess
import time

from harness import COMMAND, MPIEXEC, TIMEOUT, Scene, Skip, check, equal, launch_words, program, run_table

CALLS = "SELECT count(*) FROM span WHERE name = 'MPI_Get_version'"
NAMES = ("with blank", "it's \"quoted\"", "semi;colon, comma", "$HOME `id` \\ back", "a=b:c", "näch*te?", "-dash")


def in_own_mounts(scene, script, *words, **options):
    """Runs a shell script that may mount; DIR is an empty folder."""
    folder = scene.fresh("mounted")
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], check=False,
                           capture_output=True, text=True)
    if probe.returncode != 0:
        raise Skip(f"no mounts here: {probe.stderr.strip()}")
    return scene.run(["unshare", "-m", "sh", "-c", script, *words], DIR=str(folder), OUT=str(scene.work), **options)


def full_disk(mpi, size, calls):
    with Scene() as scene:
        marks = scene.fresh("marks")
        (marks / "go").touch()
        script = f"""
            mount -t tmpfs -o size={size} none "$DIR" || exit 99
            "$0" run -p mpi -o "$DIR/capture" -- "$@"; code=$?
            cp -r "$DIR/capture" "$OUT/capture"
            exit $code"""
        command = [program(mpi, "halves"), marks, str(calls)]
        plain = scene.plain(command)
        result = in_own_mounts(scene, script, COMMAND, *command)
        equal((result.code, result.out), (plain.code, plain.out), f"the program ({result.all_errors})")
        check(result.said, "nothing is said")
        lost = 0
        recorded = 0
        if list((scene.work / "capture").glob("run/*.cst")):
            recorded = scene.value("SELECT count(*) FROM span")
            lost = scene.value("SELECT sum(lost)::BIGINT FROM process")
            equal(recorded + lost, 2 * calls + 4, "recorded and lost")
        return f"{recorded} recorded, {lost} lost; said: {result.said[-1]}"


def over_quota(mpi, first):
    """The errors of a quota, from the first, second ... write to the stream on."""
    strace = shutil.which("strace")
    if strace is None:
        raise Skip("there is no strace, which makes writes fail")
    with Scene() as scene:
        calls = 100000
        words = [program(mpi, "family"), f"calls-{calls}"]
        fails = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=writev,fallocate", "-e",
                 f"inject=writev,fallocate:error=EDQUOT:when={first}+"]
        if scene.plain([*fails, *words]).code != 9:
            raise Skip("strace cannot trace here")
        result = scene.traced([*fails, *words], "--mpi", mpi)
        equal(result.code, 9, f"exit code ({result.all_errors})")
        if not list((scene.work / "capture" / "run").glob("*.cst")):
            check(any("nothing was recorded" in line for line in result.said), result.said)
            return "nothing could be recorded"
        recorded = scene.value(CALLS)
        lost = scene.value("SELECT sum(lost)::BIGINT FROM process")
        equal(recorded + lost, calls, "recorded and lost")
        return f"{recorded} recorded, {lost} lost"


def read_only(mpi):
    """The folder cannot be written to from the middle of the run on."""
    with Scene() as scene:
        marks = scene.fresh("marks")
        script = """
            mount -t tmpfs -o size=64m none "$DIR" || exit 99
            "$0" run -p mpi -o "$DIR/capture" -- "$@" & run=$!
            while [ ! -e "$MARKS/half.0" ]; do sleep 0.02; done
            mount -o remount,ro "$DIR" 2>/dev/null || mount -r --bind "$DIR" "$DIR"
            touch "$MARKS/go"
            wait $run; code=$?
            cp -r "$DIR/capture" "$OUT/capture"
            exit $code"""
        result = in_own_mounts(scene, script, COMMAND, program(mpi, "halves"), marks, MARKS=str(marks))
        equal((result.code, result.out), (0, "program: rank 0 is done\n"), f"the program ({result.all_errors})")
        check(scene.value(CALLS) >= 200, "calls of the first half")


def from_the_start(mpi):
    """It cannot be written to at all: said before the program starts."""
    with Scene() as scene:
        script = 'mount -t tmpfs -o ro none "$DIR" || exit 99; exec "$0" run -p mpi -o "$DIR/capture" -- "$@"'
        result = in_own_mounts(scene, script, COMMAND, program(mpi, "die"), "normal", "all")
        equal((result.code, result.out), (1, ""), f"comshu run ({result.all_errors})")
        check("-o DIR" in result.all_errors, result.all_errors)


def removed(mpi, ranks):
    """Somebody removes the folder while the program runs."""
    with Scene() as scene:
        marks = scene.fresh("marks")
        command = [program(mpi, "halves"), marks]
        if ranks > 1:
            command = [*launch_words(mpi, ranks), *command]
        process = started(scene, [COMMAND, "run", "-p", "mpi", "-o", "capture", "--", *command])
        await_marks(process, marks, "half", ranks)
        shutil.rmtree(scene.work / "capture")
        (marks / "go").touch()
        out, errors = process.communicate(timeout=TIMEOUT)
        equal(process.returncode, 0, f"exit code ({errors})")
        equal(sorted(out.splitlines()), [f"program: rank {n} is done" for n in range(ranks)], "standard output")
        ours = [line for line in errors.splitlines() if line.startswith("comshu ")]
        equal(len(ours), 1, f"lines of comshu ({errors})")
        check("capture" in ours[0], ours[0])
        check(not list(pathlib.Path("/dev/shm").glob(f"comshu-*.{process.pid}.*")), "something is left in /dev/shm")


def started(scene, command, **changes):
    return subprocess.Popen([str(word) for word in command], cwd=scene.work, env={**scene.environment, **changes},
                            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def await_marks(process, marks, what, ranks):
    deadline = time.monotonic() + TIMEOUT
    while len(list(marks.glob(f"{what}.[0-9]"))) < ranks:
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            check(False, f"the ranks did not come ({process.communicate()})")
        time.sleep(0.01)


def other_rings(mpi):
    """Rings in /dev/shm, as on a network file system; killed there, they come home."""
    with Scene() as scene:
        shared = pathlib.Path("/dev/shm") / scene.folder.name
        shared.mkdir()
        try:
            folder = scene.fresh("counts")
            command = [*launch_words(mpi, 2), program(mpi, "die"), "kill", "all", folder]
            result = scene.traced(command, COMSHU_LIVE_DIR=str(shared))
            check(result.code != 0, "exit code")
            equal(list(shared.iterdir()), [], "files in /dev/shm")
            rows = scene.processes()
            equal([row["state"] for row in rows], ["killed", "killed"], "states")
            check(all(row["closed"] >= 100 for row in rows), f"calls {[row['closed'] for row in rows]}")
        finally:
            shutil.rmtree(shared)


def two_jobs(mpi):
    """The second is refused while the first runs, and the first is whole."""
    with Scene() as scene:
        marks = scene.fresh("marks")
        first = started(scene, [COMMAND, "run", "-p", "mpi", "-o", "capture", "--", program(mpi, "halves"), marks])
        await_marks(first, marks, "half", 1)
        command = [program(mpi, "die"), "normal", "all"]
        second = scene.traced(command)
        equal((second.code, second.out), (2, ""), f"the second ({second.all_errors})")
        check("another run" in second.all_errors, second.all_errors)
        (marks / "go").touch()
        first.communicate(timeout=TIMEOUT)
        equal(first.returncode, 0, "the first")
        equal(scene.value(CALLS), 400, "calls")
        # And again, when it is there: refused, or kept aside.
        equal(scene.traced(command).code, 2, "the same folder again")
        equal(scene.traced(command, "--force").code, 0, "the same folder by force")
        equal(scene.value(CALLS, "capture.old"), 400, "calls of the capture that was moved")
        equal(scene.value("SELECT count(*) FROM rank"), 1, "ranks of the new one")


def relative(mpi):
    """-o is relative to where comshu was called; `halves` goes to / before its second half."""
    with Scene() as scene:
        marks = scene.fresh("marks")
        (marks / "go").touch()
        result = scene.traced([*launch_words(mpi, 2), program(mpi, "halves"), marks], folder="some/where")
        equal(result.code, 0, f"exit code ({result.all_errors})")
        equal(scene.value(CALLS, "some/where"), 800, "calls")
        check(not pathlib.Path("/some").exists(), "a folder in /")


def odd_name(mpi, name, form):
    with Scene() as scene:
        marks = scene.fresh("marks")
        (marks / "go").touch()
        words = [program(mpi, "halves"), marks]
        if form == "around":
            result = scene.traced([*launch_words(mpi, 2), *words], folder=f"./{name}")
        else:
            result = scene.run([*launch_words(mpi, 2), COMMAND, "run", "-p", "mpi", "-o", f"./{name}", "--", *words])
        equal(result.code, 0, f"exit code ({result.all_errors})")
        equal(sorted(os.listdir(scene.work)), [name], "folders")
        equal(scene.value(CALLS, f"./{name}"), 800, "calls")


def table():
    cases = []
    for mpi in MPIEXEC:
        def add(name, function, *arguments, mpi=mpi):
            cases.append((f"{mpi} {name}", lambda: function(mpi, *arguments)))

        add("a disk of 64 KiB", full_disk, "64k", 500)
        add("a disk of 4 MiB", full_disk, "4m", 500)
        add("a disk of 1500 KiB, many calls", full_disk, "1500k", 200000)
        for first in (1, 2, 3, 4, 6):
            add(f"over quota from write {first} on", over_quota, first)
        add("read-only during the run", read_only)
        add("read-only from the start", from_the_start)
        add("removed during the run", removed, 1)
        add("removed during the run, two ranks", removed, 2)
        add("rings in /dev/shm", other_rings)
        add("two jobs, one folder", two_jobs)
        add("a relative folder", relative)
        for name in NAMES:
            for form in ("around", "behind"):
                add(f"{form}, folder {name}", odd_name, name, form)
    return cases


if __name__ == "__main__":
    run_table("files", table(), sample=10)
