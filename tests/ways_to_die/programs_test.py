"""Programs that fork, thread, load, jump and interrupt as programs do: each is unharmed, and what it called is
in the capture.

    python3 programs_test.py [WORD...]     only the cases with one of these words in their name
"""

import subprocess
import time

from harness import (COMMAND, MPIEXEC, PROGRAMS, SOURCES, Scene, Skip, check, equal, launch_words, program,
                     run_table, same)

VERSION_CALLS = "SELECT count(*) FROM span WHERE name = 'MPI_Get_version'"
BY_IMAGE = """
    SELECT pid, parent_pid, exec_number, state, exit_code, lost,
           (SELECT count(*) FROM span s WHERE s.process_id = p.process_id AND name = 'MPI_Get_version'
                AND end_ns IS NOT NULL) AS calls
    FROM process p ORDER BY exec_number, begin_ns"""


def both(scene, command, **options):
    plain = scene.plain(command)
    result = scene.traced(command)
    same(plain, result, **options)
    return result


def images(scene):
    rows = scene.rows(BY_IMAGE)
    equal([row["lost"] for row in rows], [0] * len(rows), "calls lost")
    equal(scene.value("SELECT count(*) FROM problem"), 0, "problems")
    return rows


def family(mpi, way, expected):
    """`expected`: how each image ended and how many calls it made, the first rank's own process first."""
    with Scene() as scene:
        both(scene, [program(mpi, "family"), way, scene.fresh("marks")])
        rows = images(scene)
        got = sorted((row["exec_number"], row["state"], row["exit_code"], row["calls"]) for row in rows)
        equal(got, sorted(expected), "process images")


PARENT = (0, "finished", 0, 5)


def forked(code):
    return (0, "finished", code, 5)


def daemon(mpi):
    with Scene() as scene:
        marks = scene.fresh("marks")
        result = scene.traced([program(mpi, "family"), "daemon", marks])
        equal(result.code, 0, "exit code")
        # It lives on when the run has ended, and records into its own stream.
        (marks / "go").touch()
        deadline = time.monotonic() + 60
        while not (marks / "daemon.1").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        while time.monotonic() < deadline:
            rows = scene.rows(BY_IMAGE)
            if all(row["state"] != "running" for row in rows):
                break
            time.sleep(0.05)
        equal(sorted((row["state"], row["calls"]) for row in rows), [("exited", 11), ("finished", 5)], "images")
        equal(scene.comshu("pack", "capture").code, 0, "comshu pack")
        equal(sorted(row["calls"] for row in images(scene)), [5, 11], "calls after comshu pack")


def chain(mpi):
    with Scene() as scene:
        both(scene, [program(mpi, "family"), "chain-5", scene.fresh("marks")])
        rows = images(scene)
        equal([(row["exec_number"], row["calls"]) for row in rows], [(n, 6 - n) for n in range(6)], "images")
        equal(len({row["pid"] for row in rows}), 1, "processes")
        equal(rows[-1]["exit_code"], 8, "exit code of the last")


def many(mpi):
    """As many files as 1,000 ranks have, made and read with few descriptors."""
    with Scene() as scene:
        result = scene.run(["sh", "-c", 'ulimit -n 40; exec "$0" "$@"', COMMAND, "run", "-p", "mpi", "-o", "capture",
                            "--", program(mpi, "family"), "many"])
        equal(result.code, 0, f"exit code ({result.all_errors})")
        check("nothing lost" in result.all_errors, result.all_errors)
        streams = [file for file in (scene.work / "capture" / "run").glob("*.cst") if "sources" not in file.name]
        equal(len(streams), 1001, "streams")
        read = scene.run(["sh", "-c", 'ulimit -n 40; exec "$0" "$@"', COMMAND, "sql", "capture", VERSION_CALLS,
                          "--format", "csv"])
        equal((read.code, read.out.split()[-1]), (0, str(1000 * 2 + 5)), f"calls ({read.all_errors})")
        scene.reads()


def threads(mpi, way, calls, count, ranks=1):
    with Scene() as scene:
        command = [program(mpi, "threads"), way]
        if ranks > 1:
            command = [*launch_words(mpi, ranks), *command]
        both(scene, command)
        name = "MPI_Sendrecv" if way == "at-once" else "MPI_Get_version"
        equal(scene.value(f"SELECT count(*) FROM span WHERE name = '{name}'"), calls, name)
        equal(scene.value("SELECT count(*) FROM thread"), count, "threads")
        equal(scene.value("SELECT sum(lost)::BIGINT FROM thread"), 0, "calls lost")
        equal(scene.value("SELECT count(*) FROM problem"), 0, "problems")
        if way == "detached":
            equal(scene.value("SELECT count(*) FROM rank WHERE state = 'finished'"), ranks, "ranks that finished")


def thread_local(mpi):
    with Scene() as scene:
        both(scene, [program(mpi, "thread_local")])
        # Ten threads and main, the static object, and the atexit function.
        equal(scene.value(VERSION_CALLS), 13 - 1, "calls")
        equal(scene.value("SELECT state FROM rank"), "finished", "state")


def handler(mpi, way):
    with Scene() as scene:
        command = [program(mpi, "handler"), way]
        equal(scene.plain(command).code, 0, "plain")
        result = scene.traced(command)
        equal(result.code, 0, f"exit code ({result.all_errors})")
        (line,) = [line for line in result.errors if line.startswith("calls ")]
        made = int(line.split()[1])
        lost = scene.value("SELECT sum(lost)::BIGINT FROM process")
        equal(scene.value(VERSION_CALLS) + lost, made, "recorded and lost")
        if way == "raised":
            equal(lost, 0, "calls lost")
        return f"{lost} of {made} calls came while the recorder was at work and were counted as lost"


def leave(mpi):
    with Scene() as scene:
        both(scene, [program(mpi, "leave")])
        equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Send'"), 10, "calls that were left")
        # What comes after is not inside what was left.
        equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Barrier' AND parent_id IS NULL"), 1, "barrier")
        equal(scene.value("SELECT count(*) FROM mpi_point_to_point WHERE flags & 1 = 1"), 10, "marked as left")


def loader(mpi, scope, modules):
    with Scene() as scene:
        files = [PROGRAMS / mpi / f"{name}.so" for name in modules]
        command = [PROGRAMS / mpi / "loader", scope, *files]
        plain = scene.plain(command)
        result = scene.traced(command, "--mpi", mpi)
        same(plain, result)
        equal(scene.value(VERSION_CALLS), 15 * len(modules), "calls")
        equal(scene.value("SELECT state FROM rank"), "finished", "state")
        where = scene.rows("SELECT DISTINCT source FROM span WHERE name = 'MPI_Get_version'")
        check(all("module.c:" in (row["source"] or "") for row in where), f"source positions: {where}")


def spawn(mpi):
    with Scene() as scene:
        both(scene, [*launch_words(mpi, 1), program(mpi, "spawn")])
        equal(scene.value("SELECT count(*) FROM rank"), 3, "ranks")
        equal(scene.value("SELECT count(DISTINCT world) FROM rank"), 2, "worlds")
        # A message between worlds has an end in each.
        sent = "SELECT count(*) FROM span WHERE name IN ('MPI_Send', 'MPI_Recv') AND end_ns IS NOT NULL"
        equal(scene.value(sent), 4, "calls between the worlds")


def worlds(mpi):
    """What is sent between worlds that were spawned, and that met at a port, matches (programs/worlds.c)."""
    with Scene() as scene:
        # Open MPI's launcher ends by SIGPIPE now and then after a spawn, without comshu as well.
        for _ in range(3):
            result = scene.traced([*launch_words(mpi, 2), program(mpi, "worlds")], "--force")
            if result.code != 141:
                break
        equal(result.code, 0, f"exit code ({result.all_errors})")
        equal(sorted(result.out.splitlines()), ["world 0: 3 together", "world 1: 3 together"], "standard output")
        equal([(row["rank"], row["world_rank"]) for row in scene.rows("SELECT rank, world_rank FROM mpi_rank ORDER BY 1")],
              [(0, 0), (1, 1), (2, 0), (3, 0)], "ranks of the capture and of their worlds")
        found = scene.rows("SELECT send_rank, recv_rank, tag, bytes FROM message WHERE tag < 40 ORDER BY tag, send_rank")
        expected = [(rank, 2 + world, 10 + world, 8 * (1 + rank + 2 * world)) for world in (0, 1) for rank in (0, 1)]
        expected += [(2, 0, 20, 4), (3, 0, 21, 4), (3, 2, 30, 40)]
        equal([tuple(row.values()) for row in found], expected, "messages between worlds")
        equal(scene.value("SELECT count(*) FROM message"), 9, "all messages")
        equal(scene.rows("SELECT * FROM unmatched"), [], "messages without a partner")
        together = scene.rows("""SELECT string_agg(rank, ' ' ORDER BY rank) AS ranks FROM collective
                                 WHERE name = 'MPI_Allreduce' GROUP BY instance ORDER BY ranks""")
        equal([row["ranks"] for row in together], ["0 1 2", "0 1 3"], "MPI_Allreduce of two worlds at a time")


def mpmd(mpi):
    with Scene() as scene:
        folder = scene.fresh("counts")
        words = launch_words(mpi, 1)
        command = [*words, program(mpi, "die"), "normal", "all", folder, ":", *words[1:], program(mpi, "die"), "normal",
                   "all", folder]
        both(scene, command)
        equal(scene.value("SELECT count(*) FROM rank WHERE state = 'finished'"), 2, "ranks")
        equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Send'"), 50, "MPI_Send")


def python(mpi, way):
    if subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], check=False, capture_output=True).returncode != 0:
        raise Skip("python3-mpi4py is not installed")
    with Scene() as scene:
        command = [*launch_words(mpi, 2), "/usr/bin/python3", SOURCES / "exchange.py", way]
        plain = scene.plain(command)
        result = scene.traced(command)
        equal(result.code, plain.code, f"exit code ({result.all_errors})")
        rows = scene.processes()
        equal([row["rank"] for row in rows], [0, 1], "ranks")
        equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Sendrecv' AND end_ns IS NOT NULL"), 20, "calls")
        expected = {"normal": "finished", "sys-exit": "finished", "os-exit": "exited", "raise": "finished",
                    "abort": "killed"}[way]
        check(expected in [row["state"] for row in rows], f"states {[row['state'] for row in rows]}")


def sanitized(mpi, sanitizer, byte):
    with Scene() as scene:
        command = [program(mpi, f"heap-{sanitizer}"), str(byte)]
        # Leaks of the MPI library are not the matter here.
        quiet = {"ASAN_OPTIONS": "detect_leaks=0:exitcode=23", "TSAN_OPTIONS": "exitcode=0:report_bugs=0"}
        plain = scene.plain(command, **quiet)
        if plain.code not in (3, 23):
            raise Skip(f"it does not run here without comshu either: {plain.errors[-1:]}")
        result = scene.traced(command, **quiet)
        equal(result.code, plain.code, f"exit code ({result.all_errors[-1000:]})")
        equal(result.out, plain.out, "standard output")
        if plain.code == 3:
            equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Barrier'"), 1, "calls")
        else:
            check("heap-buffer-overflow" in result.all_errors, result.all_errors)


def table():
    cases = []

    def add(name, function, *arguments, only=None):
        for mpi in MPIEXEC:
            if only in (None, mpi):
                cases.append((f"{mpi} {name}", lambda mpi=mpi: function(mpi, *arguments)))

    add("fork, the child exits", family, "fork-exits", [forked(5)])
    add("fork, the child records", family, "fork-records", [forked(5), (0, "exited", 5, 6)])
    add("fork, the child execs", family, "fork-execs", [forked(7), (0, "exited", 7, 4)])
    add("posix_spawn", family, "spawn", [forked(7), (0, "exited", 7, 4)])
    add("system and popen", family, "shell", [PARENT])
    add("a daemon", daemon)
    add("a chain of execs", chain)
    add("1,001 processes, 40 descriptors", many)
    add("3,000 short threads", threads, "short", 6000, 3001)
    add("64 threads at once", threads, "at-once", 2 * 64 * 5, 130, 2)
    add("detached threads at exit", threads, "detached", 24, 9)
    add("destructors of threads", threads, "destructor", 40, 11)
    add("destructors of thread_local objects", thread_local)
    add("signal handler, raised", handler, "raised")
    add("signal handler, by a timer", handler, "timer")
    add("longjmp and exceptions", leave)
    add("dlopen, RTLD_LOCAL", loader, "local", ["module"])
    add("dlopen, RTLD_GLOBAL", loader, "global", ["module"])
    add("dlopen of two", loader, "local", ["module", "module2"])
    add("MPI_Comm_spawn", spawn, only="openmpi")
    add("worlds", worlds, only="openmpi")
    add("two programs", mpmd)
    for way in ("normal", "sys-exit", "os-exit", "raise", "abort"):
        add(f"Python, {way}", python, way, only="openmpi")
    add("AddressSanitizer", sanitized, "address", 3)
    add("AddressSanitizer, an error", sanitized, "address", 16)
    add("UndefinedBehaviorSanitizer", sanitized, "undefined", 3)
    add("ThreadSanitizer", sanitized, "thread", 3)
    return cases


if __name__ == "__main__":

    run_table("programs", table(), sample=12)
