"""Imports and exports traces with the command, as the pages in docs/ show it."""

import importlib.util
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

COMSHU = os.environ["COMSHU_TEST_COMMAND"]
DOCS = pathlib.Path(os.environ["COMSHU_TEST_DOCS"])
HAVE_OTF2 = os.environ.get("COMSHU_TEST_OTF2", "0") == "1"
OTF2_PRINT = os.environ.get("COMSHU_TEST_OTF2_PRINT", "")
HAVE_PYTHON_OTF2 = HAVE_OTF2 and importlib.util.find_spec("otf2") is not None

TRACE = """\
1 0 0 0 1 1 1
1 0 0 1 1 1 1
7 0 400 1 7
4 0 457 0 1 7 8
11 0 457 0 0 0
11 0 858 0 0 401
8 0 900 1 0 7 8
20 0 950 0 3 0 0
21 0 990 0 3 0 0
15 0 995 1 42
19 0 999 0 100
19 0 999 1 100
"""


class FormatsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-formats-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "trace.picl").write_text(TRACE)

    def comshu(self, *arguments, code=0):
        done = subprocess.run([COMSHU, *arguments], capture_output=True, text=True, timeout=100, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def samples(self, page):
        """The command lines of a page."""
        text = (DOCS / page).read_text()
        return re.findall(r"^    (comshu .*)$", text, re.M)

    def run_samples(self, page):
        samples = self.samples(page)
        self.assertTrue(samples)
        for line in samples:
            with self.subTest(line=line):
                done = subprocess.run(["bash", "-c", line.replace("comshu ", f"{COMSHU} ", 1)],
                                      capture_output=True, text=True, timeout=100, cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
            shutil.rmtree(self.folder / "both", ignore_errors=True)

    def test_samples_of_import(self):
        self.run_samples("import.md")

    def test_samples_of_picl(self):
        self.run_samples("picl.md")
        self.assertEqual((self.folder / "copy.picl").read_text(), TRACE)

    def test_samples_of_export(self):
        self.comshu("import", "trace.picl", "-o", "comshu-out")
        (self.folder / "trace.picl").unlink()  # The page writes one.
        for line in self.samples("export.md"):
            if "--parquet" in line or "--csv" in line or line.startswith("comshu sql"):
                continue
            if "--otf2" in line and not HAVE_OTF2:
                continue
            with self.subTest(line=line):
                done = subprocess.run(["bash", "-c", line.replace("comshu ", f"{COMSHU} ", 1)],
                                      capture_output=True, text=True, timeout=100, cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_wrong_is_told(self):
        (self.folder / "bad.picl").write_text(TRACE.replace("15 0 995 1 42", "15 0 soon 1 42"))
        done = self.comshu("import", "bad.picl", "-o", "capture")
        self.assertIn("bad.picl:10:6: soon is not a number: the microseconds is expected", done.stderr)
        self.assertIn("1 line left out", done.stdout)
        notes = json.loads(self.comshu("sql", "capture", "select text from note", "--format", "json").stdout)
        self.assertTrue(any("bad.picl:10:6" in note["text"] for note in notes), notes)

    def test_files_that_exist_are_written_over_when_asked_for(self):
        self.comshu("import", "trace.picl", "-o", "capture")
        for target in (["--csv", "out", "--table", "span"], ["--chrome", "out"], ["--picl", "out"],
                       ["--perfetto", "out"], ["--paraver", "out"]):
            with self.subTest(target=target):
                out = self.folder / "out"
                out.write_text("dear to somebody\n")
                self.assertIn("out: exists; --force", self.comshu("export", "capture", *target, code=1).stderr)
                self.assertEqual(out.read_text(), "dear to somebody\n")
                self.comshu("export", "capture", *target, "--force")
                self.assertNotIn(b"dear", out.read_bytes())

        for beside in ("trace.pcf", "trace.row"):
            (self.folder / beside).write_text("dear to somebody\n")
            done = self.comshu("export", "capture", "--paraver", "trace.prv", code=1)
            self.assertIn(f"{beside}: exists; --force", done.stderr)
            self.assertFalse((self.folder / "trace.prv").exists())
            (self.folder / beside).unlink()

    def test_an_interrupted_export_leaves_nothing(self):
        """A pipe that nobody reads holds the export where the trace is written and its names are not."""
        self.comshu("import", "trace.picl", "-o", "capture")
        os.mkfifo(self.folder / "trace.pcf")
        before = {path.name for path in self.folder.iterdir()}
        job = subprocess.Popen([COMSHU, "export", "capture", "--paraver", "trace.prv"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, cwd=self.folder)
        deadline = time.monotonic() + 60
        while not list(self.folder.glob("trace.prv.*.part")):
            self.assertIsNone(job.poll(), "the export ended")
            self.assertLess(time.monotonic(), deadline, "the export wrote nothing")
            time.sleep(0.01)
        job.send_signal(signal.SIGINT)
        said = job.communicate(timeout=60)[1]
        self.assertEqual(job.returncode, 128 + signal.SIGINT)
        self.assertEqual(said, "comshu export: interrupted; nothing is left half-written\n")
        self.assertEqual({path.name for path in self.folder.iterdir()}, before)

    def test_an_interrupted_import_ends_with_the_number_of_the_signal(self):
        os.mkfifo(self.folder / "pipe")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                job = subprocess.Popen([COMSHU, "import", "pipe", "-o", "out"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, cwd=self.folder)
                # Open once the command reads it, which is after it has said what signals do.
                with open(self.folder / "pipe", "w") as pipe:
                    pipe.write(TRACE)
                    pipe.flush()
                    job.send_signal(number)
                    said = job.communicate(timeout=60)[1]
                self.assertEqual(job.returncode, 128 + number)
                self.assertEqual(said, "comshu import: stopped; nothing was written\n")
                self.assertFalse((self.folder / "out").exists())

    def test_what_does_not_fit_leaves_nothing(self):
        self.comshu("import", "trace.picl", "-o", "capture")
        before = {path.name for path in self.folder.iterdir()}
        targets = ["--chrome", "--picl", "--perfetto", "--paraver"] + (["--otf2"] if HAVE_OTF2 else [])
        for target in targets:
            with self.subTest(target=target):
                done = subprocess.run(
                    [COMSHU, "export", "capture", target, "out"], capture_output=True, text=True, timeout=100,
                    cwd=self.folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                # Nothing of the C library or that of OTF2 in between.
                self.assertRegex(done.stderr, "^comshu export: out.*(File too large|cannot write it).*\n$")
                self.assertEqual({path.name for path in self.folder.iterdir()}, before)

    def test_names_stay_on_their_line(self):
        name = "x\n4 0 1 0 1 7 1000000\n6 0 2 1 0 7 1000000"
        (self.folder / "t.json").write_text(json.dumps(
            [{"ph": "X", "name": name, "pid": 0, "tid": 0, "ts": 1, "dur": 5},
             {"ph": "X", "name": "work", "pid": 1, "tid": 0, "ts": 1, "dur": 5}]))
        self.comshu("import", "t.json", "-o", "capture")
        for form in ("compact", "verbose", "1992"):
            self.comshu("export", "capture", "--picl", f"{form}.picl", "--picl-form", form)
            done = self.comshu("import", f"{form}.picl", "-o", form)
            self.assertNotIn("left out", done.stdout + done.stderr)
            self.assertEqual(self.comshu("sql", form, "select count(*) from message", "--format", "csv").stdout.split(),
                             ["count_star()", "0"])
        self.comshu("export", "capture", "--paraver", "t.prv")
        self.assertIn("x 4 0 1 0 1 7", (self.folder / "t.pcf").read_text())

    def test_pipes_and_export_folders(self):
        self.comshu("import", "trace.picl", "-o", "capture")
        done = self.comshu("export", "capture", "--picl", "/dev/stdout")
        self.assertNotIn("records", done.stdout)
        self.assertIn("records", done.stderr)
        self.assertIn("three files", self.comshu("export", "capture", "--paraver", "/dev/stdout", code=1).stderr)
        self.comshu("export", "capture", "--parquet", "folder")
        self.comshu("export", "capture", "--parquet", "lake", "--rank-group", "1")
        self.comshu("export", "capture", "--chrome", "capture.json")
        state = self.comshu("read", "capture").stdout.splitlines()[1:4]
        for folder in ("folder", "lake"):
            self.comshu("export", folder, "--chrome", "t.json", "--force")
            self.assertEqual((self.folder / "t.json").read_text(), (self.folder / "capture.json").read_text())
            self.assertEqual(self.comshu("read", folder).stdout.splitlines()[1:4], state)
        said = self.comshu("export", "folder", "--picl", "t.picl").stderr
        self.assertIn("12 lines of the imported file are written from the views", said)
        os.mkdir(self.folder / "part")
        shutil.copy(self.folder / "folder" / "capture.parquet", self.folder / "part")
        self.assertIn("give the capture", self.comshu("export", "part", "--chrome", "u.json", code=1).stderr)

    def test_errors(self):
        self.comshu("import", "trace.picl", "-o", "capture")
        self.assertIn("exists", self.comshu("import", "trace.picl", "-o", "capture", code=1).stderr)
        self.assertIn("none.picl", self.comshu("import", "none.picl", "-o", "other", code=1).stderr)
        (self.folder / "text").write_text("hello\n")
        self.assertIn("format is not known", self.comshu("import", "text", "-o", "other", code=1).stderr)
        self.assertFalse((self.folder / "other").exists())
        self.assertIn("--table", self.comshu("export", "capture", "--chrome", "t.json", "--table", "span", code=2).stderr)
        self.assertFalse((self.folder / "t.json").exists())

    @unittest.skipUnless(HAVE_OTF2, "built without OTF2")
    def test_damaged_otf2_archives_end_nothing(self):
        """The library reads what is broken at random places: refused or read in part, by either exit code."""
        self.comshu("import", "trace.picl", "-o", "capture")
        self.comshu("export", "capture", "--otf2", "archive")
        files = sorted(path for path in (self.folder / "archive").rglob("*") if path.is_file())
        whole = {path: path.read_bytes() for path in files}
        chance = random.Random(7)
        for number in range(40):
            path = chance.choice(files)
            broken = bytearray(whole[path])
            if number % 4 == 0:
                del broken[chance.randrange(len(broken)):]
            else:
                for _ in range(chance.randrange(1, 6)):
                    broken[chance.randrange(len(broken))] = chance.randrange(256)
            path.write_bytes(broken)
            with self.subTest(number=number, path=path.name):
                done = subprocess.run([COMSHU, "import", "archive", "-o", "broken"], capture_output=True, timeout=100,
                                      cwd=self.folder, check=False)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertEqual((self.folder / "broken").exists(), done.returncode == 0)
            shutil.rmtree(self.folder / "broken", ignore_errors=True)
            path.write_bytes(whole[path])

    @unittest.skipUnless(OTF2_PRINT, "otf2-print is not installed")
    def test_otf2_print_reads_the_archive(self):
        self.comshu("import", "trace.picl", "-o", "capture")
        self.comshu("export", "capture", "--otf2", "archive")
        done = subprocess.run([OTF2_PRINT, "-G", "archive/traces.otf2"], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("out of order", done.stdout + done.stderr)
        done = subprocess.run([OTF2_PRINT, "archive/traces.otf2"], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"MPI_SEND\s+0\s+457000\s+Receiver: 1.*Tag: 7, Length: 8")
        self.assertRegex(done.stdout, r"MPI_RECV\s+\d\s+900000\s+Sender: 0.*Tag: 7, Length: 8")
        self.assertRegex(done.stdout, r'ENTER\s+0\s+950000\s+Region: "block 3"')
        self.assertRegex(done.stdout, r'LEAVE\s+0\s+990000\s+Region: "block 3"')

    @unittest.skipUnless(HAVE_PYTHON_OTF2, "python3-otf2 is not installed")
    def test_the_python_module_reads_the_archive(self):
        import otf2
        self.comshu("import", "trace.picl", "-o", "capture")
        self.comshu("export", "capture", "--otf2", "archive")
        with otf2.reader.open(str(self.folder / "archive/traces.otf2")) as trace:
            events = [(location.group.name, event) for location, event in trace.events]
        names = [type(event).__name__ for _, event in events]
        self.assertEqual({name: names.count(name) for name in names},
                         {"Enter": 3, "Leave": 3, "MpiSend": 1, "MpiRecv": 1})
        sent = next((group, event) for group, event in events if isinstance(event, otf2.events.MpiSend))
        self.assertEqual((sent[0], sent[1].receiver, sent[1].msg_tag, sent[1].msg_length), ("node 0", 1, 7, 8))


if __name__ == "__main__":
    unittest.main()
