"""Runs one case of the QMPI layer's whole-system tests; see CASES at the end.

    run_case.py CASE --mpi mpich --other openmpi --build DIR --mpiexec MPIEXEC

DIR/lib/comshu holds the layer, DIR/test/qmpi/<mpi> the programs. Exit status 77: skipped.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

TEN = ["MPI_Allreduce", "MPI_Bcast", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize",
       "MPI_Get_processor_name", "MPI_Init", "MPI_Recv", "MPI_Send", "MPI_Wtime"]

# What many.F90 calls, per rank.
MANY = dict.fromkeys("""
    Allgatherv Allreduce Alltoallv Alltoallw Barrier Bcast Cart_create Cart_rank Cart_sub
    Comm_create_errhandler Comm_create_keyval Comm_delete_attr Comm_free_keyval Comm_get_name
    Comm_rank Comm_set_attr Comm_set_errhandler Comm_set_name Comm_size Comm_split Errhandler_free
    File_close File_open File_read_at File_write_at Finalize Finalized Gatherv Get_address
    Get_count Info_create Info_free Info_get Info_set Init_thread Isend Op_create Op_free Pcontrol
    Put Reduce_scatter Send Sendrecv Type_commit Type_contiguous Type_free Type_get_extent
    Type_match_size Waitall Waitany Win_create Win_free""".split(), 1)
MANY.update(Comm_free=3, Comm_get_attr=2, Irecv=2, Win_fence=2)
MANY = {"MPI_" + name: count for name, count in MANY.items()}


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
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if preload:
            env["LD_PRELOAD"] = ":".join(preload)
        return self.check(command, env, expected)

    def run_ranks(self, program, preload=(), environment=(), ranks=2, mpi=None, expected=0,
                  arguments=()):
        """Runs ranks through the launcher, which is not preloaded itself."""
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
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return self.check(command + [program, *arguments], env, expected)

    def check(self, command, env, expected):
        done = subprocess.run(command, env=env, cwd=self.folder.name, capture_output=True,
                              text=True, timeout=120, check=False)
        expect(done.returncode == expected and "WRONG" not in done.stdout,
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


def forwarding(b):
    """Every function, against a library that records its arguments."""
    program = b.program("call_all")
    functions = int(b.run([program]).stdout.split()[1])
    for preload in ([b.layer], [b.layer, b.tool], [b.tool, b.layer]):
        b.run([program], preload)
        if b.tool in preload:
            (counts,) = b.counts()
            counts.pop("pcontrol_arguments_right")
            expect(len(counts) == functions, f"{len(counts)} of {functions} functions intercepted")
            expect(all(n == (2, 2) for n in counts.values()), f"not twice: {counts}")
    b.run([program], [b.layer, b.tool], {"QMPI_DISABLE": "1"})
    expect(b.counts() == [], "QMPI_DISABLE=1 did not disable")


def ten(b, variant):
    program = b.program("ten_" + variant)
    b.run_ranks(program)
    b.run_ranks(program, [b.layer])
    b.run_ranks(program, [b.layer, b.tool])
    b.expect_counts(2, dict.fromkeys(TEN, 1))
    b.run_ranks(program, [b.tool, b.layer])
    b.expect_counts(2, dict.fromkeys(TEN, 1))


def many(b, variant):
    program = b.program("many_" + variant)
    b.run_ranks(program)
    b.run_ranks(program, [b.layer, b.tool])
    b.expect_counts(2, MANY)


def process_without_mpi(b):
    for command in (["/bin/bash", "-c", "echo out; echo err >&2; exit 3"],):
        plain = b.run(command, expected=3)
        for preload in ([b.layer], [b.layer, b.tool]):
            for bind_now in ({}, {"LD_BIND_NOW": "1"}):
                layered = b.run(command, preload, bind_now, expected=3)
                expect((layered.stdout, layered.stderr) == (plain.stdout, plain.stderr),
                       f"{layered.stdout}{layered.stderr}")
    maps = b.run(["/bin/cat", "/proc/self/maps"], [b.layer, b.tool]).stdout
    expect(os.path.basename(b.layer) in maps, "the layer was not loaded")
    expect(not re.search(r"libmpi|libmpich", maps), "an MPI was loaded")
    b.run([b.program("no_mpi")])
    b.run([b.program("no_mpi")], [b.layer, b.tool])
    expect(b.counts() == [], "a tool was active")


def other_mpi(b):
    """The layer of one MPI in programs of the other one."""
    other = b.options.other
    if not other:
        print("skipped: there is one MPI only")
        sys.exit(77)
    variants = ["ten_c"] + (["ten_mpif", "ten_f08"] if b.options.fortran else [])
    for variant in variants:
        program = b.program(variant, other)
        done = b.run_ranks(program, [b.layer, b.tool], mpi=other)
        expect(done.stdout.count("OK") == 2, done.stdout)
        notes = [line for line in done.stderr.splitlines() if line.startswith("qmpi:")]
        expect(len(notes) == 2 and "libqmpi-" + b.mpi in notes[0], f"notes: {done.stderr}")
        expect(b.counts() == [], "calls of the other MPI were intercepted")
    done = b.run_ranks(b.program("ten_c", other), [b.layer, b.program("libnote_catcher.so")],
                       mpi=other)
    expect(done.stdout.count("NOTE mpi: libqmpi-" + b.mpi) == 2, done.stdout)
    expect("qmpi:" not in done.stderr, done.stderr)
    # Both layers at once: each serves its own MPI.
    b.run_ranks(b.program("ten_c", other), [b.layer, b.layer_of(other), b.program("libtest_tool.so",
                other)], mpi=other)


def dlopen_local(b):
    expected = dict.fromkeys(["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Allreduce",
                              "MPI_Finalize"], 1)
    module = b.program("liblocal_module.so")
    b.run([b.program("local_loader"), module])
    b.run([b.program("local_loader"), module], [b.layer])
    b.run([b.program("local_loader"), module], [b.layer, b.tool])
    b.expect_counts(1, expected, address_inside=False)
    script = f"import ctypes, sys; sys.exit(ctypes.CDLL({module!r}).Run())"
    b.run(["/usr/bin/python3", "-c", script], [b.layer, b.tool])
    b.expect_counts(1, expected, address_inside=False)


def threads(b):
    b.run_ranks(b.program("threads"), ranks=1)
    b.run_ranks(b.program("threads"), [b.layer, b.tool], ranks=1)
    b.expect_counts(1, {"MPI_Init_thread": 1, "MPI_Finalize": 1, "MPI_Irecv": 1600,
                        "MPI_Isend": 1600, "MPI_Waitall": 1600})


def early_and_late(b):
    b.run_ranks(b.program("early_late"), ranks=1)
    b.run_ranks(b.program("early_late"), [b.layer], ranks=1)
    b.run_ranks(b.program("early_late"), [b.layer, b.tool], ranks=1)
    (counts,) = b.counts()
    expect(counts.pop("pcontrol_arguments_right")[0] == 1, "MPI_Pcontrol's arguments were lost")
    expected = {"MPI_Initialized": 1, "MPI_Finalized": 2, "MPI_Get_version": 1, "MPI_Init": 1,
                "MPI_Finalize": 1, "MPI_Pcontrol": 2}
    expect({name: n for name, (n, _) in counts.items()} == expected, f"counted {counts}")


def throwing(b):
    program = b.program("throwing")
    b.run_ranks(program, ranks=1)
    b.run_ranks(program, [b.layer, b.tool], ranks=1)
    b.expect_counts(1, {"MPI_Init": 1, "MPI_Comm_create_errhandler": 1, "MPI_Send": 4,
                        "MPI_Comm_set_errhandler": 1, "MPI_Finalize": 1})


def pmpi_tool_behind(b):
    pmpi = b.program("libpmpi_tool.so")
    alone = b.run_ranks(b.program("ten_c"), [pmpi]).stdout
    expect(alone.count("PMPI 1 1 2") == 2, alone)
    done = b.run_ranks(b.program("ten_c"), [b.layer, b.tool, pmpi])
    expect(done.stdout.count("PMPI 1 1 2") == 2, done.stdout)
    counts = b.counts()
    expect(len(counts) == 2, "not both ranks counted")
    for rank in counts:
        # The PMPI tool's own call of MPI_Comm_size comes from a library of the application, for all
        # that the layer can know.
        expect(rank["MPI_Send"] == (1, 1) and rank["MPI_Allreduce"] == (1, 1), str(rank))


def refusals(b):
    done = b.run(["/bin/true"], [b.layer, b.program("libsecond_tool.so"), b.tool])
    expect(done.stdout == "REFUSED 15 of 15\n", done.stdout)
    program = b.program("ten_c")
    b.run_ranks(program, [b.layer, b.tool], {"QMPI_TOOLS": "someone_else"})
    expect(b.counts() == [], "a tool that QMPI_TOOLS does not name was taken")
    b.run_ranks(program, [b.layer, b.tool], {"QMPI_TOOLS": "someone_else:test_tool"})
    b.expect_counts(2, dict.fromkeys(TEN, 1))


def traces(b, tools, environment=()):
    """What order.c prints under a list of tools: names, ids, {function: who was called} per round."""
    variables = {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": b.tool_path(), **dict(environment)}
    done = b.run([b.program("order")], [b.layer], variables)
    lines = [line.split() for line in done.stdout.splitlines()]
    expect(lines[0][0] == "ids", done.stdout)
    rounds = [dict((w[0], w[1:]) for w in lines[i:i + 4]) for i in range(1, len(lines), 4)
              if lines[i][0] == "size"]
    return [entry.split("=")[1] for entry in lines[0][1:]], \
        [int(entry.split("=")[0]) for entry in lines[0][1:]], rounds, done.stderr


def order(b):
    a, bb = (b.order_tool(name) for name in "ab")
    expected = {"size": ["a1", "a4"], "rank": ["a1", "b2", "b3", "a4"], "barrier": ["a1", "a4"],
                "pcontrol": ["b2", "b3"]}
    for tools in ("a:b:b:a", f"{a}:{bb}:{bb}:{a}", f"  a : b :: {bb}:{a}:", "liba.so:b:libb.so:a"):
        names, ids, rounds, stderr = traces(b, tools)
        expect(names == ["a", "b", "b", "a"] and ids == [1, 2, 3, 4], f"{tools}: {names} {ids}")
        expect(rounds == [expected] and stderr == "", f"{tools}: {rounds} {stderr}")
        names, ids, rounds, stderr = traces(b, tools, {"QMPI_SHUFFLE_IDS": "1"})
        expect(ids != [1, 2, 3, 4] and sorted(ids) == [1, 2, 3, 4], f"not shuffled: {ids}")
        expect(rounds == [expected] and stderr == "", f"{tools}, shuffled: {rounds} {stderr}")
    # A tool's own calls begin below it; it may go down the chain twice.
    names, _, rounds, _ = traces(b, "a:c:b:a")
    expect(names == ["a", "c", "b", "a"] and
           rounds[0]["size"] == ["a1", "c2", "b3", "a4", "a4", "a4"], f"{rounds}")
    for variable in ("MPIR_CVAR_QMPI_TOOL_LIST", "MPICH_QMPI_TOOL_LIST"):
        names, _, rounds, _ = traces(b, "", {variable: "b:a"})
        expect(names == ["b", "a"] and rounds[0]["rank"] == ["b1", "a2"], f"{variable}: {rounds}")
    # Preloaded tools of a name that the list has are taken from there.
    done = b.run([b.program("order")], [bb, b.layer, a], {"QMPI_TOOLS": "b:a:b"})
    expect("rank b1 a2 b3" in done.stdout and done.stderr == "", done.stdout + done.stderr)


def members(b):
    """PMPI tools as they are: one calls PMPI_*, one asks dlsym."""
    m, n = b.program("libm.so"), b.program("libn.so")
    for tool in (m, n):
        alone = b.run([b.program("order")], [tool]).stdout
        name = tool[-4]
        expect(f"size {name}1" in alone, alone)
        names, _, rounds, stderr = traces(b, f"pmpi={tool}")
        # Its own call of MPI_Comm_rank begins below it.
        expect(names == [f"lib{name}.so"] and stderr == "", f"{names} {stderr}")
        expect(rounds == [dict.fromkeys(("size", "rank", "barrier", "pcontrol"), [name + "1"])],
               str(rounds))
    for environment in ({}, {"QMPI_SHUFFLE_IDS": "1"}):
        tools = f"a:pmpi={m}:b:pmpi={n}:pmpi={m}:a"
        names, _, rounds, stderr = traces(b, tools, environment)
        expect(names == ["a", "libm.so", "b", "libn.so", "libm.so", "a"] and stderr == "", stderr)
        # Each member's MPI_Comm_size calls MPI_Comm_rank, which those inside it see.
        inner_m = ["m1", "a6"]
        inner_n = ["n1"] + ["m1", "a6"] + inner_m
        expect(rounds == [{"size": ["a1", "m1", "b3", "n1", "m1", "a6", "n1", "m1", "a6", "m1",
                                    "a6", "a6"],
                           "rank": ["a1", "m1", "b3", "n1", "m1", "a6"],
                           "barrier": ["a1", "m1", "n1", "m1", "a6"],
                           "pcontrol": ["m1", "b3", "n1", "m1"]}], str(rounds))
    names, _, rounds, stderr = traces(b, ":".join([f"pmpi={m}"] * 17))
    expect(len(names) == 16 and "16 PMPI tools" in stderr, f"{len(names)} {stderr}")
    expect(rounds[0]["barrier"] == ["m1"] * 16, str(rounds))
    for wrong in ("/nowhere.so", b.program("liblocal_module.so"), "libm.so", ""):
        names, _, rounds, stderr = traces(b, f"pmpi={wrong}:a")
        expect(names == ["a"] and "is left out" in stderr, f"{wrong}: {names} {stderr}")
    for variant in ["c"] + (["mpif", "mpi", "f08"] if b.options.fortran else []):
        done = b.run_ranks(b.program("ten_" + variant), [b.layer, b.tool],
                           {"QMPI_TOOLS": f"pmpi={m}:test_tool:pmpi={n}"})
        b.expect_counts(2, {**dict.fromkeys(TEN, 1), "MPI_Comm_rank": 2})
        expect(done.stdout.count("PMPI m 2") == 2 and done.stdout.count("PMPI n 3") == 2,
               done.stdout)


def eztrace(b):
    """Debian's EZTrace libraries, which ask dlsym in a constructor, and a tool on either side."""
    library = f"/usr/lib/x86_64-linux-gnu/libeztrace-{b.mpi}.so"
    if not os.path.exists(library):
        print("skipped: EZTrace is not installed")
        sys.exit(77)
    settings = {"EZTRACE_TRACE_DIR": os.path.join(b.folder.name, "trace"),
                "EZTRACE_TRACE": b.mpi}
    for tools in (f"test_tool:pmpi={library}", f"pmpi={library}:test_tool",
                  f"pmpi={b.program('libm.so')}:test_tool:pmpi={library}"):
        done = b.run_ranks(b.program("ten_c"), [b.layer, b.tool],
                           {"QMPI_TOOLS": tools, **settings})
        expect("left out" not in done.stderr, done.stderr)
        for counts in b.counts():
            expect(all(counts[name][0] >= 1 for name in TEN), str(counts))
        traces_written = [f for _, _, files in os.walk(settings["EZTRACE_TRACE_DIR"]) for f in files]
        expect(any(f.endswith(".otf2") for f in traces_written), f"{traces_written} {done.stderr}")


def stack(b):
    """The application's stack, in the interface of October 2020, among other tools."""
    m = b.program("libm.so")
    tool = b.program("libstack_tool.so")
    for tools in ("stack_tool", "a:stack_tool:stack_tool", f"pmpi={m}:stack_tool:pmpi={m}"):
        done = b.run([b.program("stack")], [b.layer, tool],
                     {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": b.tool_path()})
        stacks = [line.split()[1:] for line in done.stdout.splitlines() if line[:5] == "STACK"]
        expect(len(stacks) == tools.count("stack_tool"), done.stdout)
        expect(all(s[:4] == ["Inner", "Middle", "Outer", "main"] for s in stacks), str(stacks))


def linked(b):
    """The layer linked before the MPI, and a tool in the program."""
    program = b.program("linked")
    done = b.run_ranks(program)
    expect(done.stdout.count("OK 0 0") == 2, done.stdout)
    for variable in ("QMPI_TOOLS", "MPIR_CVAR_QMPI_TOOL_LIST"):
        done = b.run_ranks(program, environment={variable: "linked:linked"})
        expect(done.stdout.count("OK 1 4") == 2, done.stdout)


def describe(b):
    """QMPI_VERBOSE=1."""
    done = b.run([b.program("order")], [b.layer, b.order_tool("a"), b.order_tool("b")],
                 {"QMPI_TOOLS": "b:a:b", "QMPI_VERBOSE": "1"})
    lines = done.stderr.splitlines()
    expect(lines[0].startswith(f"qmpi: layer for {b.mpi}") and lines[0].endswith("3 tools"),
           done.stderr)
    expect(lines[2] == "qmpi: 2. a (id 2), 3 functions: MPI_Barrier MPI_Comm_rank MPI_Comm_size",
           done.stderr)
    info = b.run([os.path.join(b.options.build, "bin", "qmpi-info"), "--mpi", b.mpi,
                  f"{b.order_tool('a')}:nobody:pmpi={b.program('libm.so')}"])
    lines = info.stdout.splitlines()
    expect(lines[0].startswith(f"qmpi: layer for {b.mpi}") and "/libmpi" in lines[0], info.stdout)
    expect(lines[1].startswith("qmpi: 1. a (id 1), 3 functions") and
           lines[2].startswith("qmpi: 2. libm.so (id 2), 5 functions"), info.stdout)
    expect("'nobody'" in info.stderr, info.stderr)


def examples(b):
    folder = os.path.join(b.options.build, "examples", "qmpi", b.mpi)
    for source in glob.glob(os.path.join(b.sources, "*.c")):
        with open(source, encoding="ascii") as file:
            expect(len(file.readlines()) < 100, f"{source} is too long for an example")

    def run(tools, *arguments, **variables):
        return b.run_ranks(b.program("examples"), [b.layer],
                           {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": folder, **variables},
                           arguments=arguments)

    done = run("call_counter:message_sizes:call_counter")
    expect(done.stdout.count("OK") == 2, done.stdout)
    for line in ("call_counter: rank 0: 2 sends, 0 receives, 1 reductions",
                 "call_counter: rank 1: 0 sends, 2 receives, 1 reductions"):
        expect(done.stderr.count(line) == 2, done.stderr)
    for line in ("message_sizes: below 8 bytes: 1", "message_sizes: below 1024 bytes: 1"):
        expect(done.stderr.count(line) == 1, done.stderr)
    done = run("argument_checker:fault_injector", "wrong", FAULTS="delay:6:1,drop:5")
    expect("message lost" in done.stdout and "error 1" in done.stdout, done.stdout)
    expect("argument_checker: MPI_Send at 0x" in done.stderr and "wrong count -1" in done.stderr,
           done.stderr)
    done = run("fault_injector:argument_checker", "wrong", FAULTS="delay:*:1")
    expect("message there" in done.stdout, done.stdout)
    delays = os.path.join(b.folder.name, "delays")
    with open(delays, "w", encoding="ascii") as file:
        file.write("0 2 1500\n1 1 10\n5 1 99999999\n")
    done = run("delay_replayer", DELAYS=delays)
    expect("rank 0 waits 1500 us in barrier 2" in done.stderr and done.stderr.count("waits") == 2,
           done.stderr)


def supertool(b):
    """Two stacks side by side, whatever the ids are."""
    path = os.path.join(b.options.build, "examples", "qmpi", b.mpi) + ":" + b.tool_path()
    for environment in ({}, {"QMPI_SHUFFLE_IDS": "1"}):
        done = b.run([b.program("stacks")], [b.layer],
                     {"QMPI_TOOLS": "supertool:a:b:supertool:late:a:a:supertool",
                      "QMPI_TOOL_PATH": path + ":" + b.tool_path(["late"]), **environment})
        expect(done.stdout == "world a2\nself a6 a7\n", done.stdout)


def late_tool(b):
    """A tool that registers while the program runs takes the place that the list gives it."""
    done = b.run([b.program("order"), b.order_tool("late")], [b.layer],
                 {"QMPI_TOOLS": "b:late:a", "QMPI_TOOL_PATH": b.tool_path("ab")})
    lines = done.stdout.splitlines()
    expect("rank b1 a2" in lines[2] and "size a2" in lines[1], done.stdout)
    expect(lines[5] == "size late2 a3" and lines[6] == "rank b1 a3", done.stdout)
    expect("'late'" in done.stderr, done.stderr)


def pmpi_tool_in_front(b):
    """A PMPI tool in front of the layer is what calls the chain."""
    pmpi = b.program("libpmpi_tool.so")
    done = b.run_ranks(b.program("ten_c"), [pmpi, b.layer, b.tool])
    expect(done.stdout.count("PMPI 1 1 2") == 2, done.stdout)
    for counts in b.counts():
        expect(counts["MPI_Send"] == (1, 0) and counts["MPI_Allreduce"] == (1, 0), str(counts))
        expect(counts["MPI_Comm_size"] == (2, 0) and counts["MPI_Recv"] == (1, 1), str(counts))


def bad_lists(b):
    program, a = b.program("order"), b.order_tool("a")
    plain = ["size", "rank", "barrier", "pcontrol"]

    def run(tools, expected=0, **variables):
        return b.run([program], [b.layer], {"QMPI_TOOLS": tools,
                     "QMPI_TOOL_PATH": b.tool_path(), **variables}, expected)

    def calls(done):
        return done.stdout.splitlines()[1:]

    for tools in ("nobody", "/nowhere/libx.so", "nobody.so", program, "/dev/null", "/",
                  b.program("libnote_catcher.so"), b.program("ten_c") + ":nobody"):
        done = run(tools)
        expect(calls(done) == plain, f"{tools}: {done.stdout}")
        expect(done.stderr.startswith("qmpi: "), f"{tools}: nothing reported: {done.stderr}")
        done = run(tools, expected=1, QMPI_STRICT="1")
        expect("QMPI_STRICT" in done.stderr, f"{tools}: {done.stderr}")
    done = run("a:nobody:b")
    expect("'nobody'" in done.stderr and "known: a" in done.stderr, done.stderr)
    expect("rank a1 b2" in done.stdout, done.stdout)
    for tools in ("", " ", ":", " : :: "):
        done = run(tools)
        expect(calls(done) == plain and done.stderr == "", f"{tools!r}: {done.stdout}{done.stderr}")
    done = run(":".join(["b"] * 1000))
    expect(f"rank {' '.join('b%d' % i for i in range(1, 41))} " in done.stdout, done.stdout[:300])
    done = run(":".join(["nobody"] * 999) + ":a")
    expect("size a1" in done.stdout and done.stderr.count("qmpi: ") == 999, done.stdout)
    if b.options.other:
        other = b.order_tool("a", b.options.other)
        for done in (run(other), b.run([program], [b.layer, other], {"QMPI_TOOLS": "a"})):
            expect(calls(done) == plain and "was built for " + b.options.other in done.stderr,
                   done.stdout + done.stderr)
    done = b.run([program], [b.layer, a], {"QMPI_TOOLS": "a", "QMPI_DISABLE": "1"})
    expect(calls(done) == plain and done.stderr == "", done.stdout + done.stderr)


def what_it_needs(b):
    dynamic = subprocess.run(["readelf", "-d", b.layer], capture_output=True, text=True, check=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic.stdout)
    expect(all(n.startswith(("libc.so", "ld-linux")) for n in needed), f"needs {needed}")
    expect("SYMBOLIC" not in dynamic.stdout, "linked -Bsymbolic")
    symbols = subprocess.run(["nm", "-D", "-u", b.layer], capture_output=True, text=True,
                             check=True)
    for line in symbols.stdout.splitlines():
        kind, name = line.split()
        expect(kind == "w" or "@GLIBC" in name, f"needs {name} from elsewhere")
        expect("MPI" not in name, f"refers to {name}")


CASES = {
    "forwarding": forwarding,
    "ten_c": lambda b: ten(b, "c"), "ten_mpif": lambda b: ten(b, "mpif"),
    "ten_mpi": lambda b: ten(b, "mpi"), "ten_f08": lambda b: ten(b, "f08"),
    "many_mpi": lambda b: many(b, "mpi"), "many_f08": lambda b: many(b, "f08"),
    "process_without_mpi": process_without_mpi, "other_mpi": other_mpi,
    "dlopen_local": dlopen_local, "threads": threads, "early_and_late": early_and_late,
    "refusals": refusals, "throwing": throwing,
    "order": order, "members": members, "eztrace": eztrace,
    "stack": stack, "linked": linked, "describe": describe, "examples": examples, "supertool": supertool, "late_tool": late_tool, "bad_lists": bad_lists,
    "pmpi_tool_in_front": pmpi_tool_in_front, "pmpi_tool_behind": pmpi_tool_behind, "what_it_needs": what_it_needs,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--other", default="")
    parser.add_argument("--other-mpiexec", default="")
    parser.add_argument("--fortran", action="store_true", help="Fortran programs were built")
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    if re.match("(ten|many)_(mpif|mpi|f08)$", options.case) and not options.fortran:
        print("skipped: this MPI has no Fortran compiler")
        sys.exit(77)
    options.build = os.path.abspath(options.build)
    bench = Bench(options)
    try:
        CASES[options.case](bench)
    except (Failed, subprocess.TimeoutExpired) as error:
        sys.exit(f"{options.case} on {options.mpi}: {error}")
    finally:
        bench.folder.cleanup()
    print("passed")


if __name__ == "__main__":
    main()
