"""What the cases of the QMPI layer's tests share: running programs under the layer, reading counts."""

import glob
import os
import subprocess
import sys
import tempfile

TEN = ["MPI_Allreduce", "MPI_Bcast", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize",
       "MPI_Get_processor_name", "MPI_Init", "MPI_Recv", "MPI_Send", "MPI_Wtime"]

# Open MPI alone: no daemon for a program without a launcher, and no search for networks.
QUICK = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1",
         "OMPI_MCA_btl": "self,vader,tcp"}


class Failed(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Bench:
    def __init__(self, options):
        self.options = options
        self.mpi = options.mpi
        self.folder = tempfile.TemporaryDirectory(prefix="qmpi_")
        self.sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "qmpi",
                                    "examples")
        self.programs = os.path.join(options.build, "test", "qmpi", options.mpi)
        self.layer = self.layer_of(options.mpi)
        self.tool = self.program("libtest_tool.so")
        self.examples_folder = os.path.join(options.build, "examples", "qmpi", options.mpi)
        self.out = os.path.join(self.folder.name, "calls")

    def layer_of(self, mpi):
        return os.path.join(self.options.build, "lib", "comshu", f"libqmpi-{mpi}.so")

    def program(self, name, mpi=None):
        folder = self.programs if mpi is None else os.path.join(os.path.dirname(self.programs), mpi)
        return os.path.join(folder, name)

    def order_tool(self, name, mpi=None):
        return self.program(f"tools/{name}/lib{name}.so", mpi)

    def tool_path(self, names="abc"):
        return ":".join(os.path.dirname(self.order_tool(name)) for name in names)

    def run(self, command, preload=(), environment=(), expected=0):
        """Runs one process, preloaded directly."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("QMPI_", "LD_PRELOAD"))}
        if any("test_tool" in p for p in preload):
            env["QMPI_TOOLS"] = "test_tool"
        env.update(environment, UCX_NET_DEVICES="lo", QMPI_TEST_OUT=self.out,
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **QUICK)
        if preload:
            env["LD_PRELOAD"] = ":".join(preload)
        return self.check(command, env, expected)

    def run_ranks(self, program, preload=(), environment=(), ranks=2, mpi=None, expected=0,
                  arguments=()):
        """Runs ranks through the launcher, which is not preloaded itself. A single rank needs none
        unless it spawns."""
        if ranks == 1 and "spawning" not in program:
            return self.run([program, *arguments], preload, environment, expected)
        variables = {"QMPI_TEST_OUT": self.out}
        if any("test_tool" in p for p in preload):
            variables["QMPI_TOOLS"] = "test_tool"
        variables.update(environment)
        if preload:
            variables["LD_PRELOAD"] = ":".join(preload)
        launcher = self.options.mpiexec
        if mpi is not None:
            launcher = self.options.other_mpiexec
        command = [launcher, "-n", str(ranks)]
        if (mpi or self.mpi) == "mpich":
            for name, value in variables.items():
                command += ["-genv", name, value]
        else:
            command += ["--oversubscribe"]
            for name, value in variables.items():
                command += ["-x", f"{name}={value}"]
        env = dict(os.environ, UCX_NET_DEVICES="lo", OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **QUICK)
        return self.check(command + [program, *arguments], env, expected)

    def check(self, command, env, expected):
        done = subprocess.run(command, env=env, cwd=self.folder.name, capture_output=True,
                              text=True, timeout=120, check=False)
        expect(expected in (None, done.returncode) and "WRONG" not in done.stdout,
               f"{' '.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def counts(self):
        """One {name: (calls, from the executable)} per process that wrote its counts."""
        result = []
        for path in glob.glob(self.out + ".*"):
            with open(path, encoding="ascii") as file:
                lines = [line.split() for line in file]
            os.remove(path)
            result.append({name: (int(calls), int(inside)) for name, calls, inside in lines})
            expect(result[-1].pop("bad_context")[0] == 0, "a context was wrong")
        return result

    def expect_counts(self, processes, expected, address_inside=True):
        found = self.counts()
        expect(len(found) == processes, f"{len(found)} processes counted, not {processes}")
        for counts in found:
            counts.pop("pcontrol_arguments_right")
            wanted = {name: (n, n if address_inside else 0) for name, n in expected.items()}
            expect(counts == wanted, f"counted {sorted(counts.items())}\n"
                                     f"instead of {sorted(wanted.items())}")


def skip_without(path):
    if not path or not os.path.exists(path):
        print("skipped: not installed")
        sys.exit(77)
