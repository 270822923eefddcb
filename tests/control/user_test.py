"""Regions, marks, counters and messages that programs tell of, through comshu.h and the Fortran module."""

import json
import os
import subprocess

from harness import COMMAND, ControlTest, PROGRAMS, main

SPANS = ("SELECT s.rank, s.name, p.name, count(*) FROM span s LEFT JOIN span p ON p.span_id = s.parent_id "
         "WHERE s.layer = 'user' GROUP BY ALL ORDER BY ALL")
MARKS = "SELECT rank, name, value FROM mark ORDER BY rank, time_ns"
COUNTERS = "SELECT rank, name, value FROM counter ORDER BY rank, time_ns"
INSIDE = ("SELECT s.rank, p.name, count(*) FROM span s JOIN span p ON p.span_id = s.parent_id "
          "WHERE s.name = 'MPI_Barrier' GROUP BY ALL ORDER BY ALL")


class User(ControlTest):
    def test_c(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "user", options=("-p", "mpi,user"))
            spans, inside, unwound, marks, counters, messages, unmatched, places = self.answers(
                mpi, SPANS, INSIDE,
                "SELECT name, bool_or(unwound) FROM span WHERE layer = 'user' GROUP BY name ORDER BY name",
                MARKS, COUNTERS, "SELECT send_rank, recv_rank, tag, bytes, recv_bytes, transport FROM message "
                "WHERE layer = 'user' ORDER BY send_rank, bytes",
                "SELECT side, rank, peer, tag, why, count(*) FROM unmatched WHERE layer = 'user' GROUP BY ALL ORDER BY ALL",
                "SELECT DISTINCT source FROM span WHERE name = 'inner'")
            self.assertEqual(spans, [
                row for rank in "01" for row in ([rank, "inner", "outer", "3"],
                                                 [rank, "left open inside", "outer", "1"],
                                                 [rank, "outer", "", "1"])])
            self.assertEqual(inside, [["0", "inner", "3"], ["1", "inner", "3"]])
            self.assertEqual(unwound, [["inner", "false"], ["left open inside", "true"], ["outer", "false"]])
            self.assertEqual(marks, [[rank, "step", value] for rank in "01" for value in ("0", "1", "2")])
            self.assertEqual(counters, [[rank, "level", value] for rank in "01" for value in ("0.5", "1.5", "2.5")])
            # Each row is the same message on both sides, though half of rank 0's were sent in a pause.
            self.assertEqual(messages, [["0", "1", "3", str(i), str(i), "pigeon"] for i in range(6, 11)] +
                             [["1", "0", "3", str(i), str(i), "pigeon"] for i in range(1, 11)])
            self.assertEqual(unmatched, [["receive", "1", "0", "3", "no send", "5"],
                                         ["send", "0", "1", "4", "no receive", "5"]])
            # The place of a call is in the program.
            source, line = places[0][0].rsplit(":", 1)
            self.assertEqual(os.path.basename(source), "user.c")
            with open(source, encoding="utf8") as file:
                self.assertIn("/* here */", file.read().splitlines()[int(line) - 1])
            # What is inside of a region is not its own time: calls add up to no more than there was.
            report = json.loads(self.comshu("read", mpi, "--json").stdout)
            self.assertLessEqual(sum(call["time_ns"] for call in report["calls"]),
                                 sum(rank["total_ns"] for rank in report["ranks"]))

    def test_fortran(self):
        for mpi in self.each_mpi():
            if not (PROGRAMS / mpi / "user_fortran").exists():
                self.skipTest("no Fortran wrapper compiler")
            self.run_program(mpi, "user_fortran", options=("-p", "mpi,user"))
            spans, inside, marks, counters, messages = self.answers(
                mpi, SPANS, INSIDE, "SELECT name, value FROM mark WHERE rank = 1 ORDER BY ALL",
                "SELECT name, value FROM counter WHERE rank = 0 ORDER BY ALL",
                "SELECT send_rank, recv_rank, bytes, recv_bytes FROM message WHERE transport = 'tube' ORDER BY ALL")
            self.assertEqual(spans, [row for rank in "01" for row in
                                     ([rank, "solve", "", "1"], [rank, "step", "solve", "2"])])
            self.assertEqual(inside, [["0", "step", "2"], ["1", "step", "2"]])
            self.assertEqual(marks,
                             [["double", "1.25"], ["double", "2.25"], ["here", "0"], ["here", "0"], ["iteration", "1"],
                              ["iteration", "2"], ["long", str(2**40 + 1)], ["long", str(2**40 + 2)], ["whole", "1"],
                              ["whole", "2"]])
            self.assertEqual(counters,
                             [["bytes", str(2**40)], ["bytes", str(2**41)], ["points", "100"], ["points", "200"],
                              ["residual", "0.5"], ["residual", "1"]])
            self.assertEqual(messages, [["0", "1", "64", "64"], ["1", "0", "64", "64"]])

    def test_cpp_without_mpi(self):
        program = PROGRAMS / "user_cpp"
        done = subprocess.run([COMMAND, "run", "-p", "user", "-o", "two", "--", "sh", "-c",
                               f"{program} 1 && {program} 0"], cwd=self.work, text=True, capture_output=True,
                              timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [["first", "", "4"], ["second", "first", "2"], ["second odd", "first", "2"], ["throws", "timed", "4"],
                ["timed", "second", "2"], ["timed", "second odd", "2"]]
        spans, unwound, marks, messages = self.answers(
            "two", SPANS, "SELECT * FROM span WHERE unwound",
            "SELECT rank, count(*) FROM mark WHERE name = 'caught' GROUP BY rank ORDER BY rank",
            "SELECT send_rank, recv_rank, bytes FROM message")
        self.assertEqual(spans, [[rank, *row] for rank in "01" for row in rows])
        self.assertEqual(unwound, [])
        self.assertEqual(marks, [["0", "4"], ["1", "4"]])
        self.assertEqual(messages, [["0", "1", "100"]])

    def test_without_comshu_nothing_happens(self):
        for mpi in self.each_mpi():
            done = subprocess.run([PROGRAMS / "user_cpp"], cwd=self.work, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
            # The recorder is there, and the provider is not.
            self.run_program(mpi, "user", options=("-p", "mpi"))
            self.assertEqual(self.number(mpi, "SELECT count(*) FROM span WHERE layer = 'user'"), 0)


if __name__ == "__main__":
    main()
