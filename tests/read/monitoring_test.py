"""The matrix of messages compared with what Open MPI's own component `monitoring` of the pml counted in
the same run: bytes and messages that the program sent, from each rank to each other."""

import glob
import os
import unittest

from harness import CaptureTest


class Monitoring(CaptureTest):
    def monitored(self):
        return ["--mca", "pml_monitoring_enable", "2",  # tells the program's messages from the library's
                "--mca", "pml_monitoring_enable_output", "3",
                "--mca", "pml_monitoring_filename", os.path.join(self.folder, "monitor")]

    def open_mpi_counted(self):
        """(from, to) -> bytes, messages, messages by power of two of their size + 1 (0: empty)."""
        pairs = {}
        for path in glob.glob(os.path.join(self.folder, "monitor.*.prof")):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if not line.startswith("E\t"):
                        continue
                    _, sender, receiver, size, messages, powers = line.rstrip("\n").split("\t")
                    counts = [int(count) for count in powers.split(",")]
                    pairs[int(sender), int(receiver)] = (
                        int(size.split()[0]), int(messages.split()[0]),
                        {power: count for power, count in enumerate(counts) if count})
        return pairs

    def comshu_counted(self):
        pairs = {}
        for sender, receiver, size, messages in self.rows(
                "select send_rank, recv_rank, sum(bytes)::bigint, count(*) from message group by all"):
            powers = dict(self.rows(
                "select case when bytes = 0 then 0 else floor(log2(bytes))::int + 1 end as power, "
                f"count(*) from message where send_rank = {sender} and recv_rank = {receiver} "
                "group by power"))
            pairs[sender, receiver] = (size, messages, powers)
        return pairs

    def compare(self, program, *arguments):
        self.record(program, *arguments, launcher=self.monitored())
        counted = self.open_mpi_counted()
        ours = self.comshu_counted()
        self.assertEqual(set(counted), {(0, 1), (1, 0)})
        self.assertEqual({pair: row[:2] for pair, row in ours.items()},
                         {pair: row[:2] for pair, row in counted.items()})
        # The sizes it counts are those of the library's own messages too.
        for pair, (_, _, powers) in ours.items():
            for power, messages in powers.items():
                self.assertGreaterEqual(counted[pair][2].get(power, 0), messages, (pair, power))

    def test_halo2d(self):
        self.compare("halo2d", 101, 50)

    def test_pingpong(self):
        self.compare("pingpong", 3, 4096)

    def test_ring(self):
        self.compare("ring", 7, 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
