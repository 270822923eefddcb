"""What the report says of clocks, of ranks that play hosts with different ones (COMSHU_TEST_HOSTS); how clocks come
to be compared, and what comes of it to the nanosecond, is tested in tests/mpi/clocks_test.py."""

import json
import os
import subprocess
import unittest

from harness import COMSHU, EXAMPLES, EXEC, MPI, CaptureTest

REPETITIONS = 5
SIZES = 3  # 1, 2 and 4 bytes.


class Clocks(CaptureTest):
    def setUp(self):
        super().setUp()
        played = {"COMSHU_TEST_HOSTS": "1:100000000000:0",  # Rank 1 is 100 s ahead, longer than the run.
                  "COMSHU_TEST_CLOCKS_MS": "60000"}
        for name, value in played.items():
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)

    def clocks(self, *options):
        return json.loads(self.comshu("read", self.capture, "--json", *options))["run"]["clocks"]

    def test_around_the_launcher(self):
        self.record("pingpong", REPETITIONS, 4)
        # By its own clock all that rank 1 sends arrives before, and every barrier is left before it has come.
        before = {"messages_backward_before": SIZES * REPETITIONS, "collectives_left_early_before": SIZES}
        shown = self.clocks()
        self.assertLessEqual(before.items(), shown.items())
        self.assertEqual((shown["clocks"], shown["measured"], shown["choice"]), (2, 1, "measured"))
        self.assertGreater(shown["bound_ns"], 0)
        logical = self.clocks("--clock", "logical")
        self.assertLessEqual(before.items(), logical.items())
        self.assertEqual((logical["choice"], logical["messages_backward"], logical["collectives_left_early"]),
                         ("logical", 0, 0))
        host = self.clocks("--clock", "host")
        self.assertEqual((host["messages_backward"], host["collectives_left_early"]),
                         (SIZES * REPETITIONS, SIZES))
        self.assertRegex(self.text(), r"clocks +2, compared in MPI_Init and MPI_Finalize: within ")
        self.assertRegex(self.text(), rf"order .*\(own clocks: {SIZES * REPETITIONS}, {SIZES}\)")

    def behind(self, *options):
        command = [EXEC, "-n", "2", COMSHU, "run", "-p", "mpi", "--mpi", MPI, "-o", self.capture, "--force", *options,
                   "--", os.path.join(EXAMPLES, "pingpong"), "1", "1"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.clocks()["measured"]

    def test_behind_the_launcher(self):
        self.assertEqual(self.behind(), 0)
        self.assertEqual(self.rows("select distinct kind from note"), [("clocks",)])
        self.assertIn("--mpi.clocks on", self.text())
        self.assertEqual(self.behind("--mpi.clocks", "on"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
