"""The launcher is killed, as at the end of wall time: what the ranks had published is there, and it is said in
which call they stood.

    python3 launcher_test.py [WORD...]     only the cases with one of these words in their name
"""

import os
import pathlib
import signal
import subprocess
import time

from harness import COMMAND, MPIEXEC, TIMEOUT, Scene, check, counts, equal, launch_words, program, run_table


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def launcher_under(pid):
    """comshu run has two children: a witness of signals, and the launcher."""
    found = [child for child in children(pid)
             if "mpi" in pathlib.Path(f"/proc/{child}/cmdline").read_text().split("\0")[0]]
    equal(len(found), 1, "launchers")
    return found[0]


def await_ranks(process, folder):
    deadline = time.monotonic() + TIMEOUT
    while len(list(folder.glob("there.[01]"))) < 2:
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            check(False, f"the ranks did not come ({process.communicate()})")
        time.sleep(0.01)
    return [int(file.read_text()) for file in sorted(folder.glob("there.[01]"))]


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def await_death(ranks):
    """Launchers take their ranks along, sooner or later; a batch system sees to it."""
    deadline = time.monotonic() + 5
    while any(alive(rank) for rank in ranks):
        if time.monotonic() > deadline:
            for rank in filter(alive, ranks):
                os.kill(rank, signal.SIGKILL)
        time.sleep(0.01)


def start(scene, command):
    return subprocess.Popen([str(word) for word in command], cwd=scene.work, env=scene.environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)


def send(process, whom, number, traced):
    if whom == "launcher":
        os.kill(launcher_under(process.pid) if traced else process.pid, number)
    elif whom == "comshu":
        process.send_signal(number)
    else:
        os.killpg(process.pid, number)


def case(mpi, whom, number):
    def once(scene, folder, traced):
        command = [*launch_words(mpi, 2), program(mpi, "die"), "wait", "all", folder]
        if traced:
            command = [COMMAND, "run", "-p", "mpi", "-o", "capture", "--", *command]
        process = start(scene, command)
        ranks = await_ranks(process, folder)
        send(process, whom, number, traced)
        # Ranks that outlive their launcher hold its pipes.
        deadline = time.monotonic() + TIMEOUT
        while alive(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        await_death(ranks)
        errors = process.communicate(timeout=TIMEOUT)[1]
        return process.returncode, errors

    def run():
        with Scene() as scene:
            plain, _ = once(scene, scene.fresh("counts"), False)
            folder = scene.fresh("counts")
            code, errors = once(scene, folder, True)
            # Of its own end and that of its ranks, hydra tells which it saw first.
            if mpi != "mpich":
                equal(code, plain, f"exit code ({errors})")
            if not (whom == "all" and number == signal.SIGKILL):
                equal(errors.count("next: comshu read"), 1, f"lines that end the run ({errors})")
            rows = scene.processes()
            told = counts(folder)
            equal([row["rank"] for row in rows], [0, 1], "ranks")
            for row in rows:
                begun, returned = told[row["rank"]]
                check(row["state"] in ("killed", "exited"), f"state {row['state']}")
                check(returned <= row["closed"] <= begun, f"{row['closed']} calls, made were {returned} to {begun}")
                if row["state"] == "killed":
                    equal(row["open"], begun - row["closed"], "open calls")
            equal(scene.reads(), "next: comshu read" not in errors, "whether it was left incomplete")
            # Completed afterwards it says the same.
            equal(scene.comshu("pack", "capture").code, 0, "comshu pack")
            equal(scene.processes(), rows, "processes after comshu pack")
            check(not scene.reads(), "left incomplete after comshu pack")

    return f"{mpi} {signal.Signals(number).name} to {whom}", run


CASES = [case(mpi, whom, number) for mpi in MPIEXEC for whom, number in (
    ("launcher", signal.SIGTERM), ("launcher", signal.SIGKILL), ("launcher", signal.SIGINT),
    ("comshu", signal.SIGTERM), ("all", signal.SIGTERM), ("all", signal.SIGKILL))]

if __name__ == "__main__":
    run_table("launchers", CASES, sample=3)
