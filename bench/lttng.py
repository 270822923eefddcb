"""An LTTng-UST session around a command: the peer that records events as comshu does."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

EVENTS = "comshu_bench:*"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Daemon:
    """The session daemon for as long as this lives, unless one runs already; `works` tells."""

    def __init__(self, folder):
        self.pid_file = pathlib.Path(folder) / "sessiond.pid"
        self.works = bool(shutil.which("lttng"))
        self.own = False
        if self.works and output("lttng", "list").returncode != 0:
            # It keeps its outputs open for as long as it lives.
            started = subprocess.run(["lttng-sessiond", "--background", "--no-kernel", "--pidfile", str(self.pid_file)],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     check=False)
            self.works = self.own = started.returncode == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.own and self.pid_file.exists():
            os.kill(int(self.pid_file.read_text()), signal.SIGTERM)


def trace(folder, run):
    """Calls run() inside a session that writes to the folder: what run gives, discarded events, bytes."""
    session = f"comshu-bench-{os.getpid()}-{time.monotonic_ns()}"
    for command in (("create", session, f"--output={folder}"), ("enable-event", "-s", session, "-u", EVENTS),
                    ("start", session)):
        if output("lttng", *command).returncode != 0:
            output("lttng", "destroy", session)
            return None, 0, 0
    result = run()
    output("lttng", "stop", session)
    listed = output("lttng", "list", session).stdout
    lost = sum(map(int, re.findall(r"[Dd]iscarded events: *(\d+)", listed)))
    output("lttng", "destroy", session)
    size = sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*")
               if file.is_file() and file.parent.name != "index")
    return result, lost, size
