"""Messages, bytes, calls and sizes of the examples, as their head comments give them."""

import unittest

from harness import CaptureTest, line_of

ONCE = ("MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize")


class Halo2d(CaptureTest):
    N = 101
    ITERATIONS = 50

    def test_numbers(self):
        self.record("halo2d", self.N, self.ITERATIONS)
        counts = self.counts()
        for rank in (0, 1):
            expected = {"MPI_Irecv": 4 * self.ITERATIONS, "MPI_Isend": 4 * self.ITERATIONS,
                        "MPI_Waitall": self.ITERATIONS, "MPI_Allreduce": self.ITERATIONS // 10,
                        "MPI_Reduce": 1, "MPI_Cart_shift": 2, "MPI_Wtime": 2}
            expected.update({name: 1 for name in ONCE + (
                "MPI_Dims_create", "MPI_Cart_create", "MPI_Cart_coords", "MPI_Type_vector",
                "MPI_Type_commit", "MPI_Type_free", "MPI_Comm_free")})
            self.assertEqual({name: calls for (r, name), calls in counts.items() if r == rank},
                             expected)
        # One rank above the other: down with tag 1, up with tag 0.
        size = 8 * self.N
        self.assertEqual(
            self.rows("select send_rank, recv_rank, tag, count(*), sum(bytes)::bigint, "
                      "sum(recv_bytes)::bigint from message group by all order by all"),
            [(0, 1, 1, self.ITERATIONS, self.ITERATIONS * size, self.ITERATIONS * size),
             (1, 0, 0, self.ITERATIONS, self.ITERATIONS * size, self.ITERATIONS * size)])
        self.assertEqual(self.rows("select count(*) from unmatched"), [(0,)])
        self.assertEqual(
            self.rows("select name, count(*), count(distinct instance) from collective "
                      "group by name order by name"),
            [("MPI_Allreduce", 2 * (self.ITERATIONS // 10), self.ITERATIONS // 10),
             ("MPI_Reduce", 2, 1)])
        # Times are in the order in which things happen, on one clock.
        self.assertEqual(
            self.rows("select count(*) from message where not (send_begin_ns <= send_end_ns and "
                      "send_end_ns <= send_done_ns and recv_begin_ns < recv_end_ns and "
                      "send_begin_ns < recv_end_ns)"), [(0,)])

    def test_report(self):
        self.record("halo2d", self.N, self.ITERATIONS)
        report = self.report()
        self.assertEqual(report["run"]["ranks"], 2)
        self.assertEqual(report["run"]["lost"], 0)
        self.assertEqual(report["run"]["calls"], sum(self.counts().values()))
        self.assertEqual(report["stands"], [])
        size = 8 * self.N * self.ITERATIONS
        self.assertEqual(report["messages"],
                         [{"from": 0, "to": 1, "messages": self.ITERATIONS, "bytes": size},
                          {"from": 1, "to": 0, "messages": self.ITERATIONS, "bytes": size}])
        self.assertEqual(report["sizes"], [{"from_bytes": 512, "messages": 2 * self.ITERATIONS,
                                            "bytes": 2 * size}])
        waitall = [c for c in report["calls"] if c["name"] == "MPI_Waitall"]
        line = line_of("halo2d.cpp", "MPI_Waitall(8,")
        self.assertEqual([c["source"] for c in waitall], [f"halo2d.cpp:{line}"])
        for rank in report["ranks"]:
            self.assertGreater(rank["mpi_ns"], 0)
            self.assertLessEqual(rank["mpi_ns"], rank["total_ns"])

    def test_text(self):
        self.record("halo2d", self.N, self.ITERATIONS)
        plain = self.text()
        self.assertNotIn("\x1b", plain)
        self.assertTrue(plain.isascii())
        for line in plain.splitlines():
            self.assertLessEqual(len(line), 80, line)
        self.assertIn("MPI_Waitall", plain)
        self.assertIn("halo2d.cpp:", plain)
        self.assertIn("\u2588", self.text(LC_ALL="C.UTF-8"))
        wide = self.text(COLUMNS="120")
        self.assertGreater(max(map(len, wide.splitlines())), 80)


class Ring(CaptureTest):
    def test_numbers(self):
        laps, integers = 5, 16
        self.record("ring", laps, integers)
        counts = self.counts()
        for rank in (0, 1):
            expected = {"MPI_Isend": laps, "MPI_Recv": laps, "MPI_Wait": laps, "MPI_Allreduce": 1}
            expected.update({name: 1 for name in ONCE})
            self.assertEqual({name: calls for (r, name), calls in counts.items() if r == rank},
                             expected)
        self.assertEqual(
            self.rows("select send_rank, recv_rank, tag, bytes from message order by all"),
            [(rank, 1 - rank, lap, 4 * integers) for rank in (0, 1) for lap in range(1, laps + 1)])
        self.assertEqual(self.rows("select count(*) from unmatched"), [(0,)])


class Pingpong(CaptureTest):
    def test_numbers(self):
        repetitions, largest = 3, 1024
        sizes = largest.bit_length()
        self.record("pingpong", repetitions, largest)
        counts = self.counts()
        for rank in (0, 1):
            self.assertEqual(counts[rank, "MPI_Send"], sizes * repetitions)
            self.assertEqual(counts[rank, "MPI_Recv"], sizes * repetitions)
            self.assertEqual(counts[rank, "MPI_Barrier"], sizes)
        self.assertEqual(counts[0, "MPI_Wtime"], 2 * sizes)
        self.assertNotIn((1, "MPI_Wtime"), counts)
        report = self.report()
        for pair in report["messages"]:
            self.assertEqual(pair["messages"], sizes * repetitions)
            self.assertEqual(pair["bytes"], repetitions * (2 * largest - 1))
        self.assertEqual([(s["from_bytes"], s["messages"]) for s in report["sizes"]],
                         [(1 << power, 2 * repetitions) for power in range(sizes)])
        # A receive cannot end before its message was sent.
        self.assertEqual(
            self.rows("select count(*) from message where recv_end_ns < send_begin_ns"), [(0,)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
