"""Signals reach the program exactly once, and comshu ends as the program does."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import time

from harness import COMMAND, LaunchTest, MPIEXEC, main

# Counts the signals it gets, one letter each; ends when it is told to by the file `stop`.
COUNTER = r"""
trap 'printf I >>got' INT
trap 'printf T >>got' TERM
trap 'printf U >>got' USR1
echo $$ >ready.tmp; mv ready.tmp ready
while [ ! -e stop ]; do sleep 0.02; done
"""


class Signals(LaunchTest):
    def start(self, *command, **options):
        return subprocess.Popen([COMMAND, "run", "-p", "mpi", "--mpi", "mpich", "--", *command], cwd=self.work,
                                env=self.environment, text=True, stderr=subprocess.PIPE, **options)

    def wait_for(self, name):
        deadline = time.monotonic() + 30
        while not (self.work / name).exists():
            self.assertLess(time.monotonic(), deadline, f"{name} did not appear")
            time.sleep(0.01)

    def got(self, expected, more_to_come=False):
        """What the counter got; waits until it is as much as expected, then for what is too much."""
        file = self.work / "got"
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and (not file.exists() or len(file.read_text()) < len(expected)):
            time.sleep(0.01)
        if not more_to_come:
            time.sleep(0.3)
        return file.read_text() if file.exists() else ""

    def stop(self, process):
        (self.work / "stop").touch()
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)

    def test_sent_to_comshu_alone(self):
        process = self.start("sh", "-c", COUNTER, start_new_session=True)
        self.wait_for("ready")
        expected = ""
        for number, letter in ((signal.SIGUSR1, "U"), (signal.SIGINT, "I"), (signal.SIGTERM, "T")):
            process.send_signal(number)
            expected += letter
            self.assertEqual(self.got(expected, more_to_come=True), expected)
        self.assertEqual(self.got(expected), expected)
        self.stop(process)

    def test_sent_to_the_whole_group(self):
        process = self.start("sh", "-c", COUNTER, start_new_session=True)
        self.wait_for("ready")
        expected = ""
        for number, letter in ((signal.SIGUSR1, "U"), (signal.SIGINT, "I"), (signal.SIGTERM, "T")):
            os.killpg(process.pid, number)
            expected += letter
            self.assertEqual(self.got(expected, more_to_come=True), expected)
        self.assertEqual(self.got(expected), expected)
        self.stop(process)

    def test_interrupt_key_of_a_terminal(self):
        control, terminal = pty.openpty()

        def own_terminal():
            os.setsid()
            os.close(os.open(os.ttyname(terminal), os.O_RDWR))

        process = self.start("sh", "-c", COUNTER, stdin=terminal, preexec_fn=own_terminal)
        self.wait_for("ready")
        os.write(control, b"\x03")
        self.assertEqual(self.got("I"), "I")
        self.stop(process)
        os.close(control)
        os.close(terminal)

    def test_program_in_a_group_of_its_own(self):
        process = self.start("setsid", "sh", "-c", COUNTER, start_new_session=True)
        self.wait_for("ready")
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.got("U"), "U")
        self.stop(process)

    def test_dies_by_the_signal_of_the_program(self):
        folders = ("comshu-out", "comshu-out.2", "comshu-out.3", "comshu-out.4")
        for number, folder in zip((signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR2), folders):
            process = self.start("sh", "-c", f"kill -{int(number)} $$")
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, -number)
            description = json.loads((self.work / folder / "capture.json").read_text())
            self.assertEqual(description["signal"], number)
            self.assertNotIn("exit_code", description)
        process = self.start("sleep", "60")
        while not self.seen():
            time.sleep(0.01)
        process.terminate()
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGTERM)

    def test_signals_are_as_the_program_expects_them(self):
        process = self.start("sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status >mask")
        process.communicate(timeout=30)
        plain = subprocess.run(["sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"], text=True,
                               capture_output=True, check=True)
        self.assertEqual((self.work / "mask").read_text(), plain.stdout)

    def test_terminated_launcher_takes_its_ranks_along(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                self.forget_seen()
                process = subprocess.Popen([COMMAND, "run", "-o", mpi, "--", mpiexec, "-n", "2", "sleep", "50"],
                                           cwd=self.work, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                while len(self.seen()) < 2:
                    time.sleep(0.01)
                process.terminate()
                errors = process.communicate(timeout=30)[1]
                self.assertIn("nothing was recorded", errors)
                self.assertIn('"finished"', (self.work / mpi / "capture.json").read_text())
                ranks = [int(file.name.rsplit(".", 1)[1]) for file in self.seen_folder.iterdir()]
                deadline = time.monotonic() + 10
                while time.monotonic() < deadline and any(pathlib.Path(f"/proc/{pid}").exists() for pid in ranks):
                    time.sleep(0.01)
                self.assertEqual([pid for pid in ranks if pathlib.Path(f"/proc/{pid}").exists()], [])

    def test_no_process_is_left_behind(self):
        process = self.start("sleep", "60", start_new_session=True)
        while not self.seen():
            time.sleep(0.01)
        process.kill()
        process.wait(timeout=30)
        process.stderr.close()
        # The program lives on, as it would without comshu; the witness does not.
        deadline = time.monotonic() + 10
        while len(self.session(process.pid)) > 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        members = self.session(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        self.assertEqual(members, ["sleep 60"])

    def session(self, leader):
        """The command lines of a session that are still there."""
        listing = subprocess.run(["ps", "-o", "args=", "-g", str(leader)], text=True, capture_output=True,
                                 check=False)
        return [line for line in listing.stdout.split("\n") if line]


if __name__ == "__main__":
    main()
