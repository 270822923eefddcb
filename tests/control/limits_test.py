"""What of a run is recorded: ranks, sizes, the last part, communication alone. Both MPIs."""

import json

from harness import ControlTest, main

SENT = 6000


class Limits(ControlTest):
    def test_ranks(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 10, options=("--ranks", "1,5-7"))
            self.assertEqual(len(list((self.work / mpi / "run").glob("*.cst"))), 2)  # and the source lines
            ranks, unmatched, problems = self.answers(
                mpi, "SELECT rank, world_rank, lost FROM rank",
                "SELECT side, why, count(*) FROM unmatched GROUP BY ALL", "SELECT * FROM problem")
            self.assertEqual(ranks, [["1", "1", "0"]])
            self.assertEqual(unmatched, [["receive", "peer not in the capture", "10"]])
            self.assertEqual(problems, [])  # A rank that was not chosen is not missed.

    def test_no_rank_of_these(self):
        for mpi in self.each_mpi():
            done = self.run_program(mpi, "pauses", "send", 10, options=("--ranks", "2"))
            self.assertIn("nothing was recorded in " + mpi + ": there is no rank of --ranks 2, or ", done.stderr)

    def test_largest_size(self):
        for mpi in self.each_mpi():
            # At the latest the flush makes the stream larger than that.
            self.run_program(mpi, "pauses", "send", 100, "flush", -1, "send", 50, options=("--max-size", "1K"))
            recorded, skipped, later, lost, notes, matched = self.answers(
                mpi, "SELECT count(*) FROM span", "SELECT sum(skipped) FROM pause WHERE reason = 1",
                "SELECT count(*) FROM span WHERE bytes > 100 OR name = 'MPI_Finalize'", "SELECT sum(lost) FROM rank",
                "SELECT DISTINCT kind FROM note",
                "SELECT count(*) = coalesce(max(bytes), 0), coalesce(bool_and(bytes = recv_bytes), true) FROM message")
            # MPI_Init, MPI_Comm_rank, messages, MPI_Pcontrol, MPI_Finalize of each rank.
            self.assertEqual(int(skipped[0][0]), 2 * (1 + 1 + 150 + 1 + 1) - int(recorded[0][0]))
            self.assertEqual([later, lost, notes], [[["0"]], [["0"]], [["max_size"]]])
            # What is there is the beginning, each message as it was.
            self.assertEqual(matched, [["true", "true"]])
            self.assertIn("stopped by --max-size", self.comshu("read", mpi).stdout)

    def test_flight_recorder(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", SENT, options=("--window", "64K"))
            (kept,), ((spans,),) = self.answers(
                mpi, "SELECT count(*), min(bytes), max(bytes), bool_and(bytes = recv_bytes) FROM message",
                "SELECT sum(lost + spans) FROM (SELECT rank, lost FROM rank) JOIN "
                "(SELECT rank, count(*) AS spans FROM span GROUP BY rank) USING (rank)")
            self.assertEqual(kept[2:], [str(SENT), "true"])
            self.assertEqual(int(kept[0]), SENT - int(kept[1]) + 1)
            self.assertLess(int(kept[0]), 64 * 1024 // 64)
            self.assertEqual(int(spans), 2 * (SENT + 3))
            self.assertIn("flight recorder", self.comshu("read", mpi).stdout)

    def test_flushes_of_a_flight_recorder(self):
        """What each flush kept is matched with what the other side kept, whatever was overwritten between."""
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 1500, "flush", -1, "send", 2000, "flush", 0, "send", 150, "flush", -1,
                             "send", 1500, "flush", 1, "send", 1000, options=("--window", "64K"))
            kept, why, gaps = self.answers(
                mpi, "SELECT max(bytes), bool_and(bytes = recv_bytes) FROM message", "SELECT DISTINCT why FROM unmatched",
                "SELECT * FROM gap WHERE rank = 0")
            self.assertEqual(kept, [["6150", "true"]])
            self.assertEqual(why, [["partner lost"]])
            self.assertGreater(len(gaps), 2)

    def test_flight_recorder_by_time(self):
        for mpi in self.each_mpi():
            # A day: nothing is so old. The rings hold it all.
            self.run_program(mpi, "pauses", "send", 1000, options=("--window", "1d"))
            self.assertEqual(self.answers(mpi, "SELECT count(*) FROM message", "SELECT sum(lost) FROM rank"),
                             [[["1000"]], [["0"]]])

    def test_communication_alone(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "pauses", "send", 10, options=("--mpi.calls", "communication"))
            self.assertEqual(self.query(mpi, "SELECT name, count(*) FROM span GROUP BY name ORDER BY name"),
                             [["MPI_Finalize", "2"], ["MPI_Init", "2"], ["MPI_Recv", "10"], ["MPI_Send", "10"]])
            description = json.loads((self.work / mpi / "capture.json").read_text())
            self.assertEqual(description["environment"]["COMSHU_MPI_CALLS"], "communication")


if __name__ == "__main__":
    main()
