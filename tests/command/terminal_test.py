"""Colours and widths: on a terminal, in a pipe, with NO_COLOR, on a dumb terminal."""

import os
import pathlib
import re
import shutil
import tempfile

from harness import COMMAND, CommandTest, ESCAPE, in_pipe, main, on_terminal, plain, verbs

CAPTURE = os.environ["COMSHU_TEST_CAPTURE_COMMAND"].split("|")


class WithCapture(CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="comshu-command-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.capture = folder / "capture"
        in_pipe(COMMAND, "run", "-p", "mpi", "-o", cls.capture, "--", *CAPTURE)


class Colours(WithCapture):
    def commands(self):
        return [[verb, "--help"] for verb in verbs()] + [[], ["list"], ["read", self.capture]]

    def test_none_in_a_pipe_and_none_where_they_are_not_wanted(self):
        for command in self.commands():
            with self.subTest(command):
                self.assertNotRegex(in_pipe(COMMAND, *command).stdout, ESCAPE)
                self.assertNotRegex(on_terminal(100, COMMAND, *command, NO_COLOR="1"), ESCAPE)
                self.assertNotRegex(on_terminal(100, COMMAND, *command, TERM="dumb"), ESCAPE)

    def test_on_a_terminal(self):
        for command in ([], ["run", "--help"], ["read", self.capture]):
            with self.subTest(command):
                shown = on_terminal(100, COMMAND, *command)
                self.assertRegex(shown, ESCAPE)
                # The text is the same without them; an empty NO_COLOR counts as none.
                self.assertRegex(on_terminal(100, COMMAND, *command, NO_COLOR=""), ESCAPE)

    def test_lines_fit_the_terminal(self):
        for columns in (60, 80, 132):
            for command in self.commands():
                with self.subTest(f"{columns} {command}"):
                    text = plain(on_terminal(columns, COMMAND, *command))
                    for line in text.split("Example:")[0].splitlines():
                        self.assertLessEqual(len(line), columns, line)

    def test_columns_of_the_environment_win(self):
        narrow = in_pipe(COMMAND, "run", "--help", COLUMNS="50").stdout
        self.assertLess(max(map(len, narrow.split("Example:")[0].splitlines())), 51)
        self.assertGreater(len(narrow.splitlines()), len(in_pipe(COMMAND, "run", "--help", COLUMNS="110").stdout.splitlines()))

    def test_blocks_only_where_the_locale_can_show_them(self):
        shown = on_terminal(100, COMMAND, "read", self.capture, LC_ALL="C")
        self.assertTrue(plain(shown).isascii(), re.findall(r"[^\x00-\x7f]", shown))
        self.assertFalse(on_terminal(100, COMMAND, "read", self.capture, LC_ALL="C.UTF-8").isascii())


class ProgressLine(WithCapture):
    """What takes longer than two seconds says so; here everything counts as long."""

    def test_on_stderr_alone_and_gone_before_the_report(self):
        quiet = in_pipe(COMMAND, "read", self.capture)
        self.assertEqual(quiet.stderr, "")
        told = in_pipe(COMMAND, "read", self.capture, COMSHU_PROGRESS_MS="0")
        self.assertEqual(told.stdout, quiet.stdout)
        self.assertRegex(told.stderr, r"^comshu read: \w[^\n]* \(\d+ s\)\n$")
        shown = on_terminal(100, COMMAND, "read", self.capture, COMSHU_PROGRESS_MS="0")
        progress, report = shown.rsplit("\r\x1b[K", 1)
        self.assertTrue(progress.startswith("\r\x1b[Kcomshu read: "), progress)
        self.assertNotIn("comshu read: ", report)
        for verb, arguments in (("sql", [self.capture, "select 1"]), ("dump", [self.capture]), ("pack", [self.capture])):
            self.assertIn(f"comshu {verb}: ", in_pipe(COMMAND, verb, *arguments, COMSHU_PROGRESS_MS="0").stderr)


if __name__ == "__main__":
    main()
