"""Recording that is stopped and started: by MPI_Pcontrol, by comshu ctl, from the start; both MPIs."""

from harness import ControlTest, main

UNMATCHED = "SELECT side, why, count(*) FROM unmatched GROUP BY ALL"
MATCHED = "SELECT bytes, recv_bytes FROM message WHERE tag = 7 ORDER BY bytes"


def numbers(first, last):
    return [[str(i), str(i)] for i in range(first, last + 1)]


class Pauses(ControlTest):
    def test_both_ranks_pause(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 10, "stop", -1, "send", 20, "start", -1, "send", 5)
            matched, unmatched, pauses, lost, controls = self.answers(
                mpi, MATCHED, "SELECT * FROM unmatched", "SELECT rank, skipped, reason FROM pause ORDER BY rank",
                "SELECT sum(lost), count(*) FROM rank", "SELECT count(*) FROM span WHERE name = 'MPI_Pcontrol'")
            self.assertEqual(matched, numbers(1, 10) + numbers(31, 35))
            self.assertEqual(unmatched, [])
            # Per rank 20 sends or receives; MPI_Pcontrol(0) and (1) are seen.
            self.assertEqual(pauses, [["0", "20", "0"], ["1", "20", "0"]])
            self.assertEqual(lost, [["0", "2"]])
            self.assertEqual(controls, [["4"]])

    def test_one_rank_pauses_and_the_rest_still_meets(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 10, "stop", 0, "send", 20, "start", 0, "send", 5)
            self.assertEqual(self.answers(mpi, MATCHED, UNMATCHED),
                             [numbers(1, 10) + numbers(31, 35), [["receive", "partner lost", "20"]]])

    def test_started_paused(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 10, "start", -1, "send", 5, "stop", 1, "send", 3,
                             options=("--start", "paused"))
            self.assertEqual(self.answers(mpi, MATCHED, UNMATCHED), [numbers(11, 15), [["send", "partner lost", "3"]]])

    def test_orders_from_outside(self):
        for mpi in self.each_mpi():
            process = self.start_program(mpi, "pauses", "send", 10, "meet", f"{mpi}-a", "send", 20, "meet",
                                         f"{mpi}-b", "send", 5)
            self.met(f"{mpi}-a")
            self.assertEqual(self.comshu("ctl", mpi, "status").stdout.count("recording"), 2)
            self.comshu("ctl", mpi, "stop")
            self.assertEqual(self.comshu("ctl", mpi, "status").stdout.count("paused"), 2)
            self.go(f"{mpi}-a")
            self.met(f"{mpi}-b")
            self.comshu("ctl", mpi, "start")
            self.assertEqual(self.comshu("ctl", mpi, "status").stdout.count("recording"), 2)
            self.go(f"{mpi}-b")
            self.assertEqual(process.wait(60), 0)
            self.assertEqual(self.answers(mpi, MATCHED, "SELECT sum(skipped) FROM pause"),
                             [numbers(1, 10) + numbers(31, 35), [["40"]]])
            result = self.comshu("ctl", mpi, "status", code=1)
            self.assertIn("no program that records", result.stderr)

    def test_flush_of_a_flight_recorder(self):
        for mpi in self.each_mpi():
            for order in ("program", "ctl"):
                folder = f"{mpi}-{order}"
                name = f"{folder}-meet"
                flush = ("flush", -1) if order == "program" else ()
                process = self.start_program(mpi, "pauses", "send", 10, *flush, "meet", name, "send", 5,
                                             options=("--on-full", "newest"))
                self.met(name)
                if order == "ctl":
                    self.comshu("ctl", mpi, "flush")
                # What is in the streams, without the rings of the running program.
                for live in (self.work / mpi / "run").glob("*.live"):
                    live.rename(live.with_suffix(".away"))
                self.assertEqual(self.query(mpi, MATCHED), numbers(1, 10))
                for live in (self.work / mpi / "run").glob("*.away"):
                    live.rename(live.with_suffix(".live"))
                self.go(name)
                self.assertEqual(process.wait(60), 0)
                self.assertEqual(self.query(mpi, MATCHED), numbers(1, 15))
                (self.work / mpi).rename(self.work / folder)

    def test_wrong_values_are_refused_before_the_start(self):
        for option, value, why in (("--start", "off", "one of on, paused"),
                                   ("--on-full", "loose", "one of wait, drop, newest"),
                                   ("--ring", "63", "a number from 64 to 1048576")):
            result = self.comshu("run", option, value, "-p", "mpi", "--", "true", code=2)
            self.assertIn(f"{option} (", result.stderr)
            self.assertIn(f"cannot be '{value}': {why}", result.stderr)
            self.assertFalse((self.work / "comshu-out").exists())


if __name__ == "__main__":
    main()
