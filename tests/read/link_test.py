"""comshu link and comshu diff on real captures."""

import glob
import json
import os
import subprocess
import unittest

from harness import COMSHU, CaptureTest, plain_environment


class Links(CaptureTest):
    LAPS = 5

    def counts(self):
        rows = json.loads(self.comshu("link", self.capture, "--format", "json"))
        return {row["what"]: row["rows"] for row in rows}

    def kept(self):
        return glob.glob(os.path.join(self.capture, "cache", "link-*", "*.parquet"))

    def test_counts_and_lists(self):
        self.record("ring", self.LAPS, 16)
        before = self.rows("select * from message order by all")
        counts = self.counts()
        self.assertEqual(counts["messages"], 2 * self.LAPS)
        self.assertEqual(counts["collective calls"], 2)
        self.assertEqual(counts["collective instances"], 1)
        for name in ("backward", "self", "truncated", "grown", "incomplete"):
            self.assertEqual(counts[name], 0, name)
        self.assertEqual([what for what in counts if what.startswith("unmatched")], [])
        self.assertEqual(sorted(os.path.basename(path) for path in self.kept()),
                         ["collective.parquet", "message.parquet", "unmatched.parquet"])
        # Read from there the views show the same.
        self.assertEqual(self.rows("select * from message order by all"), before)
        self.assertEqual(self.counts(), counts)
        self.assertEqual(json.loads(self.comshu("link", self.capture, "--list", "self",
                                                "--format", "json")), [])

    def diff(self, before, after, *options):
        return subprocess.run([COMSHU, "diff", before, after, *options], capture_output=True,
                              text=True, timeout=120, env=plain_environment())

    def test_differences_decide_the_exit_code(self):
        self.record("ring", self.LAPS, 16)
        first = self.capture
        self.capture += ".second"
        self.record("ring", 2 * self.LAPS, 16)
        same = self.diff(first, first, "--threshold", "0", "--min-share", "0")
        self.assertEqual(same.returncode, 0, same.stderr)
        every = ("--threshold", "0", "--min-share", "0", "--format", "json")
        there, back = self.diff(first, self.capture, *every), self.diff(self.capture, first, *every)
        # No two runs take the same time: one way or the other something is worse.
        self.assertIn(1, (there.returncode, back.returncode), there.stderr)
        rows = {(row["group"], row["name"]): row for row in json.loads(there.stdout)}
        sends = rows["calls", "MPI_Isend"]
        self.assertEqual((sends["before"], sends["after"], sends["verdict"]),
                         (2 * self.LAPS, 4 * self.LAPS, "changed"))
        wrong = self.diff(first, first, "--threshold", "abc")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--threshold: abc was given, a number from 0 to 1000 is expected", wrong.stderr)
        missing = self.diff(first, self.capture + ".none")
        self.assertEqual((missing.returncode, missing.stdout), (1, ""))
        # A side that is not whole is named.
        self.assertNotIn("Before:", same.stdout)
        stream = min(glob.glob(os.path.join(self.capture, "run", "*.0.cst")))
        os.truncate(stream, os.path.getsize(stream) - 10)
        cut = self.diff(first, self.capture)
        self.assertIn("\nAfter: 1 rank did not end by itself", cut.stdout)
        self.assertNotIn("Before:", cut.stdout)
        self.assertIn("comshu diff: note: Before: 1 rank did not",
                      self.diff(self.capture, first, "--format", "csv").stderr)
        os.remove(stream)
        self.assertIn("\nAfter: 1 part is of the files missing or damaged", self.diff(first, self.capture).stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
