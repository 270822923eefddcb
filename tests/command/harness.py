"""What the tests of the command's surface share: running it in a pipe or on a terminal of a given width."""

import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import unittest

COMMAND = os.environ["COMSHU_TEST_COMMAND"]
SHELL_FILES = pathlib.Path(os.environ["COMSHU_TEST_SHELL_FILES"])
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def environment(**changes):
    clean = {name: value for name, value in os.environ.items()
             if name not in ("COLUMNS", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "COMSHU_PROVIDER_PATH")}
    # However slow the machine is, nothing counts as long unless the test says so.
    clean.update({"TERM": "xterm", "COMSHU_PROGRESS_MS": "3600000", **changes})
    return clean


def in_pipe(*command, code=0, **changes):
    done = subprocess.run([str(word) for word in command], env=environment(**changes), capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=100, check=False)
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def on_terminal(columns, *command, **changes):
    """Everything that comes out of a terminal on which both outputs stand."""
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([str(word) for word in command], env=environment(**changes), stdin=subprocess.DEVNULL,
                               stdout=other, stderr=other, close_fds=True)
    os.close(other)
    output = b""
    while True:
        ready, _, _ = select.select([own], [], [], 100)
        try:
            part = os.read(own, 65536) if ready else b""
        except OSError:  # Linux: the other side is closed.
            part = b""
        if not part:
            break
        output += part
    os.close(own)
    if process.wait() != 0:
        raise AssertionError(f"{command}: exit code {process.returncode}\n{output}")
    return output.decode().replace("\r\n", "\n")


def plain(text):
    return ESCAPE.sub("", text)


def verbs():
    return re.findall(r"^  comshu (\w+)", in_pipe(COMMAND).stdout, re.M)


def options(verb):
    """Names of the options of a verb, as its help has them."""
    text = in_pipe(COMMAND, verb, "--help").stdout.split("Options:")[1].split("Example:")[0]
    return re.findall(r"(?:^  |, )(--?[a-zA-Z][a-z0-9.-]*)", text, re.M)


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="comshu-command-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


def main():
    unittest.main(verbosity=2)
