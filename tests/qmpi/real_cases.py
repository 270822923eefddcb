"""Programs that others wrote, under 0, 1 and 3 tools."""

import os
import re
import shutil
import subprocess
import sys

from harness import expect, skip_without


def under_tools(b, run, is_right=None):
    """run(preload, environment) without the layer, and with 0, 1 and 3 tools: the same each time."""
    path = os.path.join(b.options.build, "examples", "qmpi", b.mpi)
    plain = run([], {})
    expect(is_right is None or is_right(plain), f"without the layer: {plain}")
    for tools in ("", "test_tool", "call_counter:test_tool:message_sizes"):
        found = run([b.layer, b.tool], {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": path})
        expect(found == plain, f"under '{tools}': {found}\ninstead of {plain}")
        counts = b.counts()
        expect((len(counts) > 0) == (tools != ""), f"under '{tools}': {len(counts)} counted")


def real_scalapack(b):
    folder = f"/usr/lib/x86_64-linux-gnu/scalapack/{b.mpi}-tests"
    skip_without(os.path.join(folder, "xdllt"))
    shutil.copy("/usr/share/scalapack/LLT.dat", b.folder.name)

    def run(preload, environment):
        done = b.run_ranks(os.path.join(folder, "xdllt"), preload, environment)
        return re.findall(r"^ +\d+ tests .*$", done.stdout, re.MULTILINE)

    under_tools(b, run, lambda tests: "  108 tests completed and passed residual checks." in tests)


def real_netpipe(b):
    program = {"mpich": "NPmpich2", "openmpi": "NPopenmpi"}[b.mpi]
    skip_without(shutil.which(program))
    out = os.path.join(b.folder.name, "np.out")

    def run(preload, environment):
        b.run_ranks(program, preload, environment, arguments=["-u", "4", "-n", "1", "-o", out])
        with open(out, encoding="ascii") as file:
            return [line.split()[0] for line in file]

    under_tools(b, run)


def real_hpcc(b):
    """Debian's HPCC is built for Open MPI. A small problem; what differs from run to run are rates."""
    skip_without("/usr/bin/hpcc" if b.mpi == "openmpi" else None)
    sample = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
    skip_without(sample)
    with open(sample, encoding="ascii") as file:
        text = file.read()
    for was, now in ((r"^1000( +Ns)$", r"100\1"), (r"^80( +NBs)$", r"20\1"), (r"^2( +Ps)$", r"1\1")):
        text, changed = re.subn(was, now, text, count=1, flags=re.MULTILINE)
        expect(changed == 1, f"{sample} is not as it was")
    with open(os.path.join(b.folder.name, "hpccinf.txt"), "w", encoding="ascii") as file:
        file.write(text)
    out = os.path.join(b.folder.name, "hpccoutf.txt")

    def run(preload, environment):
        b.run_ranks("/usr/bin/hpcc", preload, environment)
        with open(out, encoding="ascii") as file:
            text = file.read()
        os.remove(out)
        return {"passed": text.count("PASSED"), "no errors": text.count("Found 0 errors"),
                "success": text.count("Success=1"), "failed": text.count("FAILED")}

    under_tools(b, run, lambda found: found["success"] == 1 and found["passed"] > 0 and
                found["failed"] == 0)


def real_mpi4py(b):
    """Debian's mpi4py is built for Open MPI."""
    script = os.path.join(b.folder.name, "script.py")
    with open(script, "w", encoding="ascii") as file:
        file.write("from mpi4py import MPI\nimport sys\nc = MPI.COMM_WORLD\n"
                   "got = c.sendrecv({'from': c.rank}, 1 - c.rank, source=1 - c.rank)\n"
                   "all = c.allgather([c.rank] * 3)\n"
                   "sys.stdout.write(f'{c.rank} {got} {all} {c.allreduce(c.rank + 1)}\\n')\n")
    here = subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], check=False,
                          capture_output=True)
    if b.mpi != "openmpi" or here.returncode != 0:
        print("skipped: there is no mpi4py for this MPI")
        sys.exit(77)

    def run(preload, environment):
        done = b.run_ranks("/usr/bin/python3", preload, environment, arguments=[script])
        return sorted(done.stdout.splitlines())

    under_tools(b, run, lambda lines: lines[0] == "0 {'from': 1} [[0, 0, 0], [1, 1, 1]] 3")
