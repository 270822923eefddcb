"""comshu read --follow: how a running program goes, then the report of the whole."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

from harness import COMMAND, ControlTest, main

CLEAR = "\x1b[H\x1b[2J"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """A terminal of a width, and what was written to it."""

    def __init__(self, columns):
        self.own, self.other = pty.openpty()
        self.written = b""
        self.resize(columns)

    @property
    def text(self):
        # Of the whole: what is read at a time may end within a character.
        return self.written.decode(errors="replace").replace("\r\n", "\n")

    def resize(self, columns):
        fcntl.ioctl(self.other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def read(self):
        """More of the output; False at its end."""
        ready, _, _ = select.select([self.own], [], [], 100)
        try:
            part = os.read(self.own, 65536) if ready else b""
        except OSError:  # Linux: the other side is closed.
            part = b""
        self.written += part
        return part != b""

    def pages(self):
        return self.text.split(CLEAR)


class Follow(ControlTest):
    def test_until_the_end(self):
        for mpi in self.each_mpi():
            process = self.start_program(mpi, "pauses", "send", 10, "meet", f"{mpi}-a", "send", 5)
            self.met(f"{mpi}-a")
            shown = self.work / f"{mpi}.follow"
            with open(shown, "w", encoding="utf8") as output:
                follow = subprocess.Popen([COMMAND, "read", "--follow", "--every", "0.05", mpi], cwd=self.work,
                                          stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            self.addCleanup(self.end, follow)
            # MPI_Init, MPI_Comm_rank, 10 messages, on two ranks.
            self.wait_for(lambda: " s: 2 ranks, 24 calls, " in shown.read_text(), "the running program")
            self.go(f"{mpi}-a")
            self.assertEqual(process.wait(60), 0)
            self.assertEqual(follow.wait(60), 0)
            report = self.comshu("read", mpi).stdout
            self.assertTrue(shown.read_text().endswith(report), shown.read_text())
            # One that has ended is read.
            self.assertEqual(self.comshu("read", "--follow", mpi).stdout, report)

    def follow_on(self, screen, mpi, **changes):
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
        environment.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "COMSHU_PROGRESS_MS": "3600000", **changes})
        process = subprocess.Popen([COMMAND, "read", "--follow", "--every", "0.2", mpi], cwd=self.work, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=screen.other, stderr=screen.other)
        self.addCleanup(self.end, process)
        return process

    def read_until(self, screen, text):
        while text not in screen.text:
            self.assertTrue(screen.read(), screen.text)

    def assert_fits(self, page, columns):
        for line in ESCAPE.sub("", page).splitlines():
            self.assertLessEqual(len(line), columns, page)

    def test_on_a_terminal_the_page_is_drawn_anew(self):
        mpi = self.each_mpi()[0]
        process = self.start_program(mpi, "pauses", "send", 10, "meet", "drawn", "send", 5)
        self.met("drawn")
        colours, plain, dumb = Screen(100), Screen(60), Screen(80)
        followers = [self.follow_on(colours, mpi), self.follow_on(plain, mpi, NO_COLOR="1"),
                     self.follow_on(dumb, mpi, TERM="dumb")]
        for screen in (colours, plain):
            self.read_until(screen, "still running")  # Its page was made as a whole before it was shown.
        colours.resize(70)
        self.read_until(dumb, " s: 2 ranks, ")
        self.go("drawn")
        self.assertEqual(process.wait(60), 0)
        for screen, follower in zip((colours, plain, dumb), followers):
            os.close(screen.other)
            while screen.read():
                pass
            self.assertEqual(follower.wait(60), 0)
            os.close(screen.own)
        self.assertEqual(colours.pages()[0], "")
        for screen, columns in ((colours, 100), (plain, 60)):
            self.assertIn("still running", screen.pages()[1])
            self.assertNotIn("for 0 ns", screen.pages()[1])  # Until now, though no call is open.
            self.assert_fits(screen.pages()[1], columns)
        self.assertNotIn("still running", colours.pages()[-1])
        self.assert_fits(colours.pages()[-1], 70)  # The window was made narrower.
        self.assertRegex("".join(colours.pages()), ESCAPE)
        self.assertNotRegex("".join(plain.pages()), ESCAPE)
        self.assertNotRegex(dumb.text, ESCAPE)
        report = self.comshu("read", mpi).stdout
        self.assertTrue(dumb.text.endswith(report), dumb.text)

    def test_nothing_to_follow(self):
        self.assertIn("start the run first", self.comshu("read", "--follow", "nowhere", code=1).stderr)


if __name__ == "__main__":
    main()
