"""A run that hangs: read while it hangs, after the launcher was told to end, and after SIGKILL."""

import json
import os
import signal
import subprocess
import time
import unittest

from harness import COMSHU, CaptureTest, line_of, plain_environment

STANDING = ("select pid from open_span join process using (process_id) "
            "where name = 'MPI_Recv' and tag = {} or name = 'MPI_Finalize'")


class Hang(CaptureTest):
    """Two ranks, each in a call that never returns."""
    arguments = ()
    tag = 7

    def setUp(self):
        super().setUp()
        self.job = subprocess.Popen(self.run_line(*self.launch_line("deadlock", 3, *self.arguments)),
                                    cwd=self.folder, start_new_session=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_job)
        self.pids = self.wait_until_both_stand()

    def standing(self):
        done = subprocess.run([COMSHU, "sql", self.capture, STANDING.format(self.tag), "--format", "json"],
                              capture_output=True, text=True, env=plain_environment())
        return [row["pid"] for row in json.loads(done.stdout)] if done.returncode == 0 else []

    def wait_until_both_stand(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.assertIsNone(self.job.poll(), "the launcher ended")
            pids = self.standing()
            if len(pids) == 2:
                return pids
            time.sleep(0.1)
        self.fail("the ranks did not come to their last calls")

    def end_job(self):
        for pid in getattr(self, "pids", []):
            self.send(pid, signal.SIGKILL)
        if self.job.poll() is None:
            self.job.kill()
        self.job.wait()

    @staticmethod
    def send(pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Deadlock(Hang):
    def check_stands(self, report, end_is_known=True):
        line = line_of("deadlock.c", "other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE")
        self.assertEqual([(s["rank"], s["call"], s["detail"], s["waits_for"])
                          for s in report["stands"]],
                         [(0, "MPI_Recv", "from 1, tag 7", [1]),
                          (1, "MPI_Recv", "from 0, tag 7", [0])])
        for stand in report["stands"]:
            self.assertEqual(stand["source"], f"deadlock.c:{line}")
            self.assertGreater(stand["begin_ns"], 0)
            if end_is_known:
                self.assertGreater(stand["for_ns"], 0)
        self.assertEqual(report["deadlocks"],
                         ["rank 0 waits in MPI_Recv (from 1, tag 7) for rank 1, which waits in "
                          "MPI_Recv (from 0, tag 7) for rank 0"])
        self.assertEqual(report["messages"],
                         [{"from": 0, "to": 1, "messages": 3, "bytes": 12}])

    def test_while_it_runs_and_ended_as_by_timeout(self):
        report = self.report()
        self.check_stands(report)
        self.assertEqual([rank["state"] for rank in report["ranks"]], ["running"] * 2)
        first = self.text().splitlines()[0]
        self.assertEqual(first, "Where every thread stands now")
        self.job.terminate()
        self.job.wait(timeout=60)
        report = self.report()
        self.check_stands(report)
        self.assertNotIn("finished", [rank["state"] for rank in report["ranks"]])
        text = self.text()
        self.assertTrue(text.startswith("Where every thread stood at the end\n  Deadlock\n"), text)
        self.assertIn("MPI_Recv from 1, tag 7", text)
        self.assertIn("MPI_Recv from 0, tag 7", text)

    def test_killed(self):
        for pid in [self.job.pid, *self.pids]:
            self.send(pid, signal.SIGKILL)
        self.job.wait(timeout=60)
        report = self.report()
        self.check_stands(report, end_is_known=False)
        self.assertEqual([rank["state"] for rank in report["ranks"]], ["killed"] * 2)


class Tags(Hang):
    arguments = ("tags",)
    tag = 8

    def test_near_miss(self):
        report = self.report()
        self.assertEqual(report["waits_for_gone"],
                         ["rank 1 waits in MPI_Recv (from 0, tag 8) for rank 0, which is in MPI_Finalize"])
        self.assertEqual(report["near_misses"],
                         ["rank 1 waits for a message from 0, tag 8, and rank 0 sent it one with tag 7 "
                          "that nobody received"])
        self.assertIn("Near miss", self.text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
