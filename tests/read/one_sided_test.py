"""Epochs of one-sided communication and accesses to a file, of a program that uses every kind of them."""

import json
import os
import unittest

from harness import CaptureTest

INT = 4
# (rank, kind, target, puts, gets, accumulates, bytes put, got, accumulated, flushes), in order.
EPOCHS = [
    (0, "fence", 0, 1, 0, 0, INT, 0, 0, 0),
    (0, "fence", 1, 1, 1, 0, 10 * INT, 5 * INT, 0, 0),
    (0, "fence", None, 0, 0, 0, 0, 0, 0, 0),
    (0, "start", 1, 1, 0, 0, 7 * INT, 0, 0, 0),
    (0, "start", 1, 1, 0, 0, 7 * INT, 0, 0, 0),
    (0, "lock", 1, 1, 1, 0, 2 * INT, INT, 0, 1),
    (0, "lock all", 0, 1, 0, 0, 6 * INT, 0, 0, 1),
    (0, "lock all", 1, 0, 0, 1, 0, 0, INT, 1),
    (1, "fence", None, 0, 0, 0, 0, 0, 0, 0),
    (1, "fence", 0, 0, 0, 1, 0, 0, 3 * INT, 0),
    (1, "post", None, 0, 0, 0, 0, 0, 0, 0),
    (1, "post", None, 0, 0, 0, 0, 0, 0, 0),
    (1, "lock", 0, 0, 0, 0, 0, 0, 0, 0),
    (1, "lock all", 0, 0, 0, 1, 0, 0, INT, 1),
    (1, "lock all", 1, 1, 0, 0, 6 * INT, 0, 0, 1),
]


class OneSided(CaptureTest):
    def test_epochs_and_accesses(self):
        path = os.path.join(self.folder, "data")
        self.record("one_sided", path)
        self.assertEqual(self.rows(
            "select rank, kind, target, puts, gets, accumulates, put_bytes, get_bytes, accumulate_bytes, "
            "flushes from rma_epoch order by rank, begin_ns, target nulls last"), EPOCHS)
        # Each is opened and closed by calls of its rank, and lasts at least as long as they do.
        self.assertEqual(self.rows(
            "select count(*) from rma_epoch e join span o on o.span_id = e.open_span join span c on "
            "c.span_id = e.close_span where o.rank = e.rank and c.rank = e.rank and e.begin_ns = "
            "o.begin_ns and e.end_ns = c.end_ns and e.sync_ns between 0 and e.end_ns - e.begin_ns"),
            [(len(EPOCHS),)])
        self.assertEqual(self.rows("select count(distinct window_id) from rma_epoch"), [(1,)])
        # Every transfer but those to MPI_PROC_NULL is in one of them.
        self.assertEqual(self.rows(
            "select sum(bytes) = (select sum(put_bytes + get_bytes + accumulate_bytes) from rma_epoch) "
            "from span where category = 'rma' and name not like 'MPI_Win%' and peer >= 0"), [(True,)])

        accesses = []
        for rank in (0, 1):
            at = 100 * rank
            accesses += [(rank, None, "MPI_File_open", None, None),
                         (rank, "write", "MPI_File_write_at", at, 4 * INT),
                         (rank, "write", "MPI_File_iwrite_at", at + 16, 2 * INT),
                         (rank, "write", "MPI_File_write_at_all_begin", at + 24, INT),
                         (rank, None, "MPI_File_sync", None, None),
                         (rank, None, "MPI_File_seek", 120, None),
                         (rank, "read", "MPI_File_read", None, 2 * INT),
                         (rank, None, "MPI_File_close", None, None)]
        self.assertEqual(self.rows("select rank, access, name, file_offset, bytes from file_access "
                                   "order by rank, begin_ns"), accesses)
        self.assertEqual(self.rows(f"select count(*) from file_access where path = '{path}' and not failed "
                                   "and end_ns >= begin_ns + call_ns and source like '%one_sided.c:%'"),
                         [(len(accesses),)])
        self.assertEqual(self.rows(
            "select a.name, d.name as done from file_access a join span d on d.span_id = a.done_span where "
            "a.done_span <> a.span_id and a.rank = 0 order by a.begin_ns"),
            [("MPI_File_iwrite_at", "MPI_Wait"),
             ("MPI_File_write_at_all_begin", "MPI_File_write_at_all_end")])
        counts = {row["what"]: (row["rows"], row["bytes"]) for row in
                  json.loads(self.comshu("link", self.capture, "--format", "json"))}
        self.assertEqual(counts["epochs"], (12, sum(sum(epoch[6:9]) for epoch in EPOCHS)))
        self.assertEqual(counts["file reads and writes"], (8, 2 * 9 * INT))
        for name in ("unclosed", "outside", "unfinished"):
            self.assertEqual(counts[name][0], 0, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
