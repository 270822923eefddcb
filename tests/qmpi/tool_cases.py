"""Tools in the layer: order, PMPI tools, lists that are wrong, questions, the examples."""

import glob
import os
import shutil

from harness import TEN, expect, skip_without


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
    skip_without(library)
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
        expect(len(stacks) == 2 * tools.count("stack_tool"), done.stdout)
        expect(all(s[:4] == ["Inner", "Middle", "Outer", "main"] for s in stacks), str(stacks))
        if b.options.fortran:
            done = b.run([b.program("fortran_stack")], [b.layer, tool],
                         {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": b.tool_path()})
            stacks = [line.split()[1:] for line in done.stdout.splitlines() if line[:5] == "STACK"]
            expect(len(stacks) == 2 * tools.count("stack_tool"), done.stdout)
            # The main program's symbol is local.
            expect(all(s[:2] == ["__depths_MOD_inner", "__depths_MOD_outer"] and s[3] == "main"
                       for s in stacks), str(stacks))


def linked(b):
    """The layer linked before the MPI, and a tool in the program. Lists that do not name it are in
    defect_registration_refused_in_silence."""
    program = b.program("linked")
    for variable, tools, counted in (("QMPI_TOOLS", "linked", "2 1"),
                                     ("MPIR_CVAR_QMPI_TOOL_LIST", "linked:linked", "4 2")):
        done = b.run_ranks(program, environment={variable: tools})
        expect(done.stdout.count("OK 1 " + counted) == 2, done.stdout)
    # Linked to the MPI alone: MPICH's own functions refuse, those of a layer in front do not.
    if b.mpi == "mpich":
        done = b.run_ranks(b.program("unlinked"), environment={"QMPI_TOOLS": "linked:linked"})
        expect(done.stdout.count("OK 0 0 0") == 2, done.stdout)
        done = b.run_ranks(b.program("unlinked"), [b.layer], {"QMPI_TOOLS": "linked:linked"})
        expect(done.stdout.count("OK 1 4 2") == 2, done.stdout)


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
    if os.path.exists(os.path.join(b.options.build, "lib", "comshu", f"libcomshu_mpi-{b.mpi}.so")):
        info = b.run([os.path.join(b.options.build, "bin", "qmpi-info"), "--mpi", b.mpi, f"{b.order_tool('a')}:comshu"])
        expect(info.stdout.splitlines()[2].startswith("qmpi: 2. comshu (id 2), "), info.stdout + info.stderr)


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


def comshu_run(b):
    """The recorder and other tools in one chain, named by the option or by the user's variable."""
    comshu = os.path.join(b.options.build, "bin", "comshu")
    skip_without(comshu)
    examples_folder = os.path.join(b.options.build, "examples", "qmpi", b.mpi)
    launcher = [b.options.mpiexec, "-n", "2"] + (["--oversubscribe"] if b.mpi == "openmpi" else [])
    for option, variables in ((["--qmpi-tools", "call_counter:comshu:message_sizes"], {}),
                              ([], {"QMPI_TOOLS": "message_sizes:call_counter"})):
        folder = os.path.join(b.folder.name, "capture" + str(len(option)))
        done = b.run([comshu, "run", "-p", "mpi", "-o", folder, *option, "--", *launcher,
                      b.program("examples")],
                     environment={"QMPI_TOOL_PATH": examples_folder, **variables})
        expect("rank 0: 2 sends" in done.stderr and "below 8 bytes: 1" in done.stderr, done.stderr)
        dump = b.run([comshu, "dump", folder]).stdout
        expect(dump.count("MPI_Allreduce") == 2, f"{dump.count('MPI_Allreduce')} MPI_Allreduce")


def installed(b):
    """What a tool author does: install, pkg-config or CMake, compile, run."""
    skip_without(shutil.which("pkg-config"))
    prefix = os.path.join(b.folder.name, "installed")
    b.run(["cmake", "--install", b.options.build, "--component", "qmpi", "--prefix", prefix])
    found = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}
    flags = [b.run(["pkg-config", option, f"qmpi-{b.mpi}"], environment=found).stdout.split()
             for option in ("--cflags", "--libs")]
    program = os.path.join(b.folder.name, "linked")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linked.c")
    b.run([b.options.cc, "-Werror", *flags[0], source, "-o", program, *flags[1]])
    done = b.run_ranks(program, environment={"QMPI_TOOLS": "linked:linked"})
    expect(done.stdout.count("OK 1 4 2") == 2, done.stdout)
    tool = os.path.join(b.folder.name, "libcall_counter.so")
    b.run([b.options.cc, "-Werror", "-shared", "-fPIC", *flags[0],
           os.path.join(b.sources, "call_counter.c"), "-o", tool])
    # One of October 2020 says so in its source, which is behind the -include of qmpi-openmpi.
    tool_2020 = os.path.join(b.folder.name, "libstack_tool.so")
    b.run([b.options.cc, "-Werror", "-shared", "-fPIC", *flags[0],
           os.path.join(os.path.dirname(source), "stack_tool.c"), "-o", tool_2020])
    info = b.run([os.path.join(prefix, "bin", "qmpi-info"), "--mpi", b.mpi, f"{tool}:{tool_2020}"])
    expect("1. call_counter (id 1), 4 functions" in info.stdout and
           "2. stack_tool (id 2), 2 functions" in info.stdout, info.stdout + info.stderr)
    if not b.options.cxx:
        return
    project = os.path.join(os.path.dirname(source), "tool_project")
    built = os.path.join(b.folder.name, "project")
    b.run(["cmake", "-S", project, "-B", built, f"-DCMAKE_PREFIX_PATH={prefix}",
           f"-DMPI_NAME={b.mpi}", f"-DCMAKE_CXX_COMPILER={b.options.cxx}",
           "-DCMAKE_CXX_COMPILER_WORKS=1"])
    b.run(["cmake", "--build", built])
    done = b.run([os.path.join(built, "program")],
                 environment={"QMPI_TOOLS": os.path.join(built, "libcpp_tool.so")})
    expect(done.stdout == "rank 0 active 1\ncpp_tool 1\n", done.stdout + done.stderr)


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
    """A PMPI tool in front of the layer is what calls the chain, and is a tool."""
    # libm.so has PMPI_Barrier in a table and ends in a tail call, so that its caller is the last to call.
    for name, caller in (("libpmpi_tool.so", "MPI_Barrier 0 tool"),
                         ("libm.so", "Inner 0 application")):
        done = b.run([b.program("stack")],
                     [b.program(name), b.layer, b.program("libdefect_tool.so")],
                     {"QMPI_TOOLS": "defect_tool"})
        expect("ADDRESS " + caller in done.stdout, done.stdout)
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
