"""Delays that a program put in on purpose, found again as waiting, in the efficiencies and on the critical path.

How late a rank comes is known; how early the other one is waiting depends on the machine, so that is taken from
the capture: what is asserted holds however slow the ranks are."""

import json
import unittest

from harness import CaptureTest

DELAY_NS = 20_000_000
# Kind, late rank, the call of the late one, the call of the one that waits.
STEPS = [("late sender", 0, "MPI_Send", "MPI_Recv"),
         ("late receiver", 1, "MPI_Recv", "MPI_Ssend"),
         ("wait at barrier", 0, "MPI_Barrier", "MPI_Barrier"),
         ("wait at NxN", 1, "MPI_Allreduce", "MPI_Allreduce"),
         ("early reduce", 0, "MPI_Reduce", "MPI_Reduce"),
         ("late broadcast", 1, "MPI_Bcast", "MPI_Bcast"),
         ("early scan", 0, "MPI_Scan", "MPI_Scan"),
         ("wait at NxN", 1, "MPI_Iallreduce", "MPI_Wait")]


class Waits(CaptureTest):
    def section(self, *options):
        return json.loads(self.comshu("read", self.capture, "--json", *options))

    def calls(self, rank):
        """Calls of a rank in order: name, begin, end, span."""
        return self.rows("select name, begin_ns, end_ns, span_id from span "
                         f"where rank = {rank} and layer = 'mpi' order by begin_ns")

    def steps(self):
        """Of each step, the barrier before, the call, and the call that waits if the other one is late, on both ranks."""
        by_rank = []
        for rank in (0, 1):
            calls = self.calls(rank)
            found = []
            for index, (name, *_) in enumerate(calls):
                if name in ("MPI_Send", "MPI_Recv", "MPI_Ssend", "MPI_Allreduce", "MPI_Reduce",
                            "MPI_Bcast", "MPI_Scan", "MPI_Iallreduce"):
                    waits = index + 1 if name == "MPI_Iallreduce" else index
                    found.append((calls[index - 1], calls[index], calls[waits]))
                    self.assertEqual(calls[index - 1][0], "MPI_Barrier")
            # The step of the barrier: two barriers in a row, before the reduction of all.
            at = [c[0] for c in calls].index("MPI_Allreduce")
            found.insert(2, (calls[at - 2], calls[at - 1], calls[at - 1]))
            by_rank.append(found)
        return by_rank

    def check_waits(self):
        waits = {row[0]: row[1:] for row in self.rows(
            "select span_id, kind, rank, cause_rank, cause_span, wait_ns from wait_state "
            "where kind not like '%completion'")}
        by_rank = self.steps()
        for number, (kind, late, late_name, early_name) in enumerate(STEPS):
            early = 1 - late
            barrier, late_call, _ = by_rank[late][number]
            early_call = by_rank[early][number][2]
            self.assertEqual((late_call[0], early_call[0]), (late_name, early_name))
            self.assertGreaterEqual(late_call[1] - barrier[2], 0.99 * DELAY_NS, kind)
            lead = late_call[1] - early_call[1]
            if lead <= 0:
                continue  # The early one was held up longer than the late one meant to be.
            self.assertEqual(waits[early_call[3]],
                             (kind, early, late, late_call[3],
                              min(lead, early_call[2] - early_call[1])))
            self.assertNotIn(late_call[3], waits)

    def check_efficiency(self):
        whole = self.section("--section", "efficiency")["efficiency"]
        row = whole["efficiency"][0]
        for name in ("parallel", "load_balance", "communication", "serialisation", "transfer"):
            self.assertGreaterEqual(row[name], 0)
            self.assertLessEqual(row[name], 100)
        self.assertAlmostEqual(row["parallel"], row["load_balance"] * row["communication"] / 100,
                               delta=0.02)
        useful = {r["rank"]: r["useful_ms"] for r in whole["useful"]}
        for rank, delays in ((0, 4), (1, 4)):
            self.assertGreaterEqual(useful[rank], 0.99 * delays * DELAY_NS / 1e6)
        self.assertEqual(len(whole["parts"]), 10)

    def check_path(self):
        path = self.section("--section", "path")["path"]
        efficiency = self.section("--section", "efficiency")["efficiency"]["efficiency"][0]
        length = efficiency["end_ms"] - efficiency["begin_ms"]
        self.assertAlmostEqual(sum(row["path_ms"] for row in path["by_rank"]), length, delta=1e-5)
        # All delays follow each other, so they are all on it.
        before = sum(row["path_ms"] for row in path["by_call"] if row["activity"].startswith("before"))
        self.assertGreaterEqual(before, 0.99 * 8 * DELAY_NS / 1e6)

    def check_rules(self):
        rows = self.section("--section", "checks")["checks"]["checks"]
        self.assertGreater(len(rows), 10)
        self.assertEqual([row["check"] for row in rows if row["broken"]], [])

    def test_delays_are_found(self):
        self.record("waits", DELAY_NS / 1e6)
        self.check_rules()
        self.check_waits()
        self.check_efficiency()
        self.check_path()
        self.assertIn("late sender", self.comshu("read", self.capture, "--section", "waits,matrix"))
        # An option takes one value: what follows it is the folder.
        self.assertIn("late sender", self.comshu("read", "--section", "waits", "--rank", "0,1", self.capture))
        self.assertIn("no rank 7; its ranks go from 0 to 1",
                      self.refused("read", self.capture, "--section", "waits", "--rank", "7"))
        self.assertIn("the run had ended by then",
                      self.refused("read", self.capture, "--section", "efficiency", "--window", "9999s:"))
        for section, option in (("openmp", ("--window", "0.1s:0.2s")), ("checks", ("--window", ":1s")),
                                ("checks", ("--rank", "0"))):
            self.assertIn(f"{option[0]}: section {section} follows the run as a whole",
                          self.refused("read", self.capture, "--section", section, *option, code=2))
        self.assertIn("FROM wait_state WHERE", self.comshu("read", "--section", "checks", "--explain"))
        explained = self.comshu("read", "--section", "waits", "--rank", "0", "--explain")
        self.assertIn("rank IN (0)", explained)


if __name__ == "__main__":
    unittest.main(verbosity=2)
