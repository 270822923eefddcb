"""comshu read --follow: how a running program goes, then the report of the whole."""

import subprocess

from harness import COMMAND, ControlTest, main


class Follow(ControlTest):
    def test_until_the_end(self):
        for mpi in self.each_mpi():
            process = self.start_program(mpi, "pauses", "send", 10, "meet", f"{mpi}-a", "send", 5)
            self.met(f"{mpi}-a")
            shown = self.work / f"{mpi}.follow"
            with open(shown, "w", encoding="utf8") as output:
                follow = subprocess.Popen([COMMAND, "read", "--follow", "--every", "0.05", mpi], cwd=self.work,
                                          stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            self.addCleanup(self.end, follow)
            # MPI_Init, MPI_Comm_rank, 10 messages, on two ranks.
            self.wait_for(lambda: " s: 2 ranks, 24 calls, " in shown.read_text(), "the running program")
            self.go(f"{mpi}-a")
            self.assertEqual(process.wait(60), 0)
            self.assertEqual(follow.wait(60), 0)
            report = self.comshu("read", mpi).stdout
            self.assertTrue(shown.read_text().endswith(report), shown.read_text())

    def test_nothing_to_follow(self):
        self.assertIn("start the run first", self.comshu("read", "--follow", "nowhere", code=1).stderr)

    def test_a_run_that_has_ended_is_read(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 3)
            self.assertEqual(self.comshu("read", "--follow", mpi).stdout, self.comshu("read", mpi).stdout)


if __name__ == "__main__":
    main()
