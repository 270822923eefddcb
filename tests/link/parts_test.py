"""comshu link as ranks of MPI: the same files, bit for bit, as one process makes."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMSHU = os.environ["COMSHU_TEST_COMMAND"]
MPI = os.environ["COMSHU_TEST_MPI"]
EXEC = os.environ["COMSHU_TEST_EXEC"]
CAPTURES = os.environ["COMSHU_TEST_CAPTURES"]

# More ranks of MPICH than cores do not end in time.
SIZES = (1, 2) if MPI == "mpich" else (1, 2, 4)
SPAWN = () if MPI == "mpich" else ("--oversubscribe",)


class Parts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-link-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_command(self, *words, code=0):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=200,
                              check=False, env={**os.environ, "COMSHU_PROGRESS_MS": "3600000"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def capture(self, name, seed, calls, ranks, shift_ns=0):
        path = self.folder / name
        self.run_command(CAPTURES, path, seed, calls, ranks, shift_ns)
        return path

    def copy(self, capture, name):
        shutil.copytree(capture, self.folder / name)
        return self.folder / name

    @staticmethod
    def kept(capture):
        folder, = (capture / "cache").iterdir()
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    def link(self, capture, size, *options, code=0):
        return self.run_command(EXEC, *SPAWN, "-n", size, COMSHU, "link", capture, *options, code=code)

    def test_the_same_files_from_any_number_of_processes(self):
        for seed, ranks, part_rows, sizes in ((1, 5, 700, SIZES[1:]), (2, 2, 1_000_000, SIZES[:2])):
            capture = self.capture(f"capture{seed}", seed, 3000, ranks)
            options = ("--format", "json", "--part-rows", part_rows)
            alone = self.copy(capture, f"alone{seed}")
            counts = self.run_command(COMSHU, "link", alone, *options).stdout
            expected = self.kept(alone)
            found = {row["what"]: row["rows"] for row in json.loads(counts)}
            self.assertGreater(found["messages"], 1000)
            self.assertGreater(found["unmatched receive: cancelled"], 0)
            self.assertGreater(found["unmatched send: partner lost"], 0)
            # Several files of the tables that are large enough.
            self.assertEqual(len(expected) > 3, part_rows < found["messages"])
            for size in sizes:
                with self.subTest(seed=seed, size=size):
                    copy = self.copy(capture, f"copy{seed}.{size}")
                    self.assertEqual(self.link(copy, size, *options).stdout, counts)
                    files = self.kept(copy)
                    self.assertEqual(sorted(files), sorted(expected))
                    self.assertEqual([name for name in files if files[name] != expected[name]], [])

    def test_the_logical_clock_is_the_same_too(self):
        """Two hosts ahead of the first, which no measurement tells: messages and collectives alone do."""
        capture = self.capture("capture", 6, 400, 4, shift_ns=50_000)
        options = ("--clock", "logical", "--format", "json", "--part-rows", 100)
        query = ("from (select md5(string_agg(m::text, '' order by m::text)) from message m "
                 "union all select md5(string_agg(s::text, '' order by s::text)) from span s)")
        as_measured = self.run_command(COMSHU, "sql", capture, query).stdout
        unlinked = self.run_command(COMSHU, "sql", capture, "--clock", "logical", query).stdout
        self.assertNotEqual(unlinked, as_measured)
        alone = self.copy(capture, "alone")
        counts = self.run_command(COMSHU, "link", alone, *options).stdout
        expected = self.kept(alone)
        self.assertIn("clocks.txt", expected)
        # The curves are taken from there now.
        self.assertEqual(self.run_command(COMSHU, "sql", alone, "--clock", "logical", query).stdout, unlinked)
        for size in SIZES:
            with self.subTest(size=size):
                copy = self.copy(capture, f"copy{size}")
                self.assertEqual(self.link(copy, size, *options).stdout, counts)
                self.assertEqual(self.kept(copy), expected)

    def test_parts_do_not_change_what_is_found(self):
        capture = self.capture("capture", 3, 1000, 4)
        query = "from (select 'm' t, md5(string_agg(m::text, '' order by m::text)) from message m " \
                "union all select 'u', md5(string_agg(u::text, '' order by u::text)) from unmatched u " \
                "union all select 'c', md5(string_agg(c::text, '' order by c::text)) from collective c)"
        parts = self.copy(capture, "parts")
        self.link(parts, 2, "--part-rows", 60)
        self.assertEqual(self.run_command(COMSHU, "sql", parts, query).stdout,
                         self.run_command(COMSHU, "sql", capture, query).stdout)

    def test_what_fails_is_told_once_and_leaves_nothing(self):
        done = self.link(self.folder / "missing", 2, code=1)
        self.assertEqual(done.stderr.count("comshu link: "), 1, done.stderr)
        capture = self.capture("capture", 4, 100, 2)
        (capture / "cache").write_text("no folder")
        done = self.link(capture, 2, code=1)
        self.assertIn("cannot be written", done.stderr)
        self.assertEqual(sorted(file.name for file in capture.iterdir()), ["cache", "run"])

    def test_linked_already(self):
        capture = self.capture("capture", 5, 100, 2)
        first = self.link(capture, 2).stdout
        before = self.kept(capture)
        self.assertEqual(self.link(capture, 2).stdout, first)
        self.assertEqual(self.kept(capture), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
