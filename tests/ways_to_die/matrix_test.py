"""Every way to die x one rank or all x how it was started x each MPI: one table, one check.

    python3 matrix_test.py [WORD...]     only the cases with one of these words in their name
"""

import pathlib
import signal

from harness import MPIEXEC, COMMAND, Scene, check, counts, equal, launch_words, program, run_table, same


class Way:
    """How the dying ranks end: their state in the capture and their exit code there (None: not known)."""

    def __init__(self, name, state, code=None, finishes=False, core=False, calls=None, by=None):
        self.name, self.state, self.code, self.finishes, self.core = name, state, code, finishes, core
        self.signal = by
        # Fortran programs do not count; they make so many calls.
        self.program, self.calls = ("die_fortran", calls) if calls else ("die", None)


WAYS = [
    Way("normal", "finished", 0, finishes=True),
    Way("exit-code", "finished", 3, finishes=True),
    Way("finalize-_exit", "finished", 0, finishes=True),
    Way("finalize-abort", "killed", finishes=True, core=True, by=signal.SIGABRT),
    Way("exit", "exited", 4),
    Way("_exit", "exited", 5),
    Way("quick_exit", "exited", 6),
    Way("abort", "killed", core=True, by=signal.SIGABRT),
    Way("mpi-abort", None),
    Way("segv", "killed", core=True, by=signal.SIGSEGV),
    Way("term", "killed", by=signal.SIGTERM),
    Way("kill", "killed", by=signal.SIGKILL),
    Way("truncation", None),
    Way("exception", "killed", core=True, by=signal.SIGABRT),
    Way("fortran-stop", "exited", 4, calls=29),
    Way("fortran-error-stop", "exited", 5, calls=29),
    Way("fortran-segv", "killed", core=True, calls=29, by=signal.SIGSEGV),
    Way("fortran-runtime-error", "exited", 2, calls=29),
    Way("fortran-end", "finished", 0, finishes=True, calls=30),
]
FORMS = ("alone", "around", "behind")


def cores_are_files():
    return not pathlib.Path("/proc/sys/kernel/core_pattern").read_text().startswith(("|", "/"))


def traced(scene, form, mpi, command):
    if form == "behind":
        words = [COMMAND, "run", "-p", "mpi", "-o", str(scene.work / "capture"), "--", *command]
        return scene.run([*launch_words(mpi, 2), *words])
    if form == "around":
        return scene.traced([*launch_words(mpi, 2), *command])
    return scene.traced(command, cores=True)


AGAIN = 8


def same_job(plain, result, form, way, mpi, again):
    """Ranks that a launcher kills end in an order that differs from run to run, and so does what it says."""
    if form == "alone":
        # Open MPI's messages of errors go over a socket that may be closed before they are sent.
        same(plain, result, errors=mpi == "mpich" or way.state is not None)
        return
    if way.finishes and way.code == 0:
        same(plain, result, errors=False)
        return
    lines = [line for line in result.out.splitlines() if line.startswith("program:")]
    check(set(lines) <= {f"program: rank {rank} of 2" for rank in range(2)} and len(lines) <= 2,
          f"standard output: {lines}")
    if form == "behind":
        # With any process between, hydra may see the end of the ranks that it kills before that of the first.
        check(result.code != 0, "the failure is not told")
    elif mpi == "mpich" and way.finishes:
        # Of ranks that it saw finalize and then die, hydra tells now this, now that.
        check(result.code != 0, "the failure is not told")
    else:
        # Of several that fail at once hydra now and then tells another code, without comshu too.
        codes = [plain.code]
        while mpi == "mpich" and result.code not in codes and len(codes) < AGAIN:
            codes.append(again().code)
        check(result.code in codes, f"exit code {result.code}, without comshu {codes} ({result.all_errors[-2000:]})")


def as_meant(row, way):
    return (row["state"], row["exit_code"]) == (way.state, way.code)


def check_signal(row, way, form):
    """Whoever stands around the process itself sees its signal, if it is not killed before it can say so."""
    seen = {"alone": (way.signal,), "behind": (way.signal, None), "around": (None,)}[form]
    check(row["signal"] in seen, f"rank {row['rank']}: signal {row['signal']}, expected {way.signal}")


def check_rank(row, told, way, dies):
    begun, returned = told
    where = f"rank {row['rank']}"
    check(returned <= row["closed"] <= begun, f"{where}: {row['closed']} calls, made were {returned} to {begun}")
    equal(row["lost"], 0, f"{where}: calls lost")
    if dies and way.state is not None:
        equal((row["state"], row["exit_code"]), (way.state, way.code), f"{where}: how it ended")
    elif way.finishes and way.code == 0:
        equal((row["state"], row["exit_code"]), ("finished", 0), f"{where}: how it ended")
    elif not way.finishes:
        check(row["state"] in ("killed", "exited"), f"{where}: {row['state']}")
    if row["state"] == "killed":
        # The call it died in stands there open.
        equal(row["open"], begun - row["closed"], f"{where}: open calls")


def check_wait(report, row, way, code):
    """Of a rank that waits for the one that died it is said how that one did, where somebody saw it."""
    if "MPI_Recv from 1, tag 1000" not in report:
        return  # It was killed before it came there.
    how = None
    if way.name == "mpi-abort":
        how = "is in MPI_Abort"
    elif row["state"] == "exited":
        how = "ended without MPI_Finalize"
    elif way.signal in (signal.SIGSEGV, signal.SIGABRT) and (row["signal"] or code in (way.signal, 128 + way.signal)):
        how = f"died of {way.signal.name}"
    if how:
        check(f"rank 0 waits in MPI_Recv (from 1, tag 1000) for rank 1, which {how}" in report, report)


def case(way, who, form, mpi):
    def run():
        with Scene() as scene:
            ranks = 1 if form == "alone" else 2
            folder = scene.fresh("counts")
            command = [program(mpi, way.program), way.name, who, folder]
            if form == "alone":
                plain = scene.plain(command, cores=True)
            else:
                plain = scene.plain([*launch_words(mpi, 2), *command])
            for file in folder.iterdir():
                file.unlink()
            result = traced(scene, form, mpi, command)
            same_job(plain, result, form, way, mpi, lambda: scene.plain(
                [*launch_words(mpi, 2), *command[:-1], scene.fresh("again")]))
            if form == "alone" and way.core and cores_are_files():
                check(result.cores, "no core dump")
            scene.await_complete()
            lines = len([line for line in result.said if "next: comshu read" in line])
            # After MPI_Abort hydra hears nobody out, nor does Open MPI's launcher after any failure if it takes
            # long; what is left of comshu completes the capture unheard then.
            unheard = form == "behind" and not way.finishes and (mpi == "openmpi" or way.state is None)
            check(lines == 1 or unheard and lines == 0, f"{lines} lines that end the run ({result.all_errors})")
            rows = scene.processes()
            equal([row["rank"] for row in rows], list(range(ranks)), "ranks in the capture")
            told = counts(folder)
            if way.calls is not None:
                # The last call before the end lets the first rank go, and then the others are killed.
                least = way.calls if ranks == 1 or way.finishes else way.calls - 1
                told = {rank: (way.calls, least) for rank in range(ranks)}
            dying = range(ranks) if who == "all" else [ranks - 1]
            if way.state is not None:
                # Launchers kill the others as soon as the first has ended.
                check(any(as_meant(rows[rank], way) for rank in dying),
                      f"how they ended: {[(row['state'], row['exit_code']) for row in rows]}")
            for row in rows:
                dies = len(dying) == 1 and row["rank"] in dying
                check_rank(row, told[row["rank"]], way, dies)
                if dies and way.state is not None:
                    check_signal(row, way, form)
            equal(scene.reads(), False, "whether it was left incomplete")
            if ranks == 2 and who == "one" and way.program == "die":
                check_wait(scene.report, rows[1], way, result.code)

    return f"{mpi} {form} {way.name} {who}", run


CASES = [case(way, who, form, mpi) for mpi in MPIEXEC for form in FORMS for way in WAYS
         for who in (("all",) if form == "alone" or way.calls else ("one", "all"))]

if __name__ == "__main__":
    run_table("ways to die", CASES, sample=12)
