"""How programs begin and end under chains: sessions, MPI_Abort, spawned processes, tools that fail."""

import os
import re

from harness import expect


def sessions(b):
    """No MPI_Init and no MPI_Finalize: tools begin with the first call and report at exit."""
    plain = b.run([b.program("sessions")], expected=None)
    if plain.returncode == 77:
        expect(b.mpi != "mpich", "MPICH has sessions")
        return
    chain = {"QMPI_TOOLS": f"call_counter:pmpi={b.program('libm.so')}:test_tool",
             "QMPI_TOOL_PATH": b.examples_folder}
    for tools in ({"QMPI_TOOLS": ""}, {"QMPI_TOOLS": "test_tool"}, chain):
        done = b.run([b.program("sessions")], [b.layer, b.tool], tools)
        expect("OK" in done.stdout, done.stdout)
        counts = b.counts()
        expect(len(counts) == (tools["QMPI_TOOLS"] != ""), f"{len(counts)} counted")
        expect(all(c["MPI_Session_init"][0] == 3 for c in counts), str(counts))
    expect("PMPI m 2" in done.stdout, done.stdout)


def abort(b):
    """Exit status and messages are those of a run without the layer, wherever MPI_Abort is called."""
    def run(arguments, preload=(), environment=()):
        done = b.run_ranks(b.program("aborting"), preload, environment, arguments=arguments,
                           expected=None)
        expect("WRONG" not in done.stdout, done.stdout)
        # Numbers differ from run to run, and so does what launchers say of themselves.
        text = re.sub(r"\d+", "N", done.stdout + done.stderr)
        return done.returncode, {line for line in text.splitlines()
                                 if re.search("mpi_abort|qmpi:", line, re.IGNORECASE)}

    chain = {"QMPI_TOOLS": f"test_tool:pmpi={b.program('libm.so')}:test_tool"}
    for arguments, lists in ((["late"], ({"QMPI_TOOLS": ""}, chain)), (["early"], (chain,))):
        plain = run(arguments)
        expect(plain[0] != 0, str(plain))
        for tools in lists:
            found = run(arguments, [b.layer, b.tool], tools)
            # Open MPI's launcher does not always get the message out, with the layer or without.
            unheard = b.mpi == "openmpi" and not plain[1]
            expect(found[0] == plain[0] and not any("qmpi:" in line for line in found[1]) and
                   (found[1] <= plain[1] or unheard),
                   f"{arguments} {tools}: {found} instead of {plain}")
    tool = b.program("libaborting_tool.so")
    status, _ = run(["late"], [b.layer, b.tool, tool],
                    {"QMPI_TOOLS": "test_tool:aborting_tool:test_tool"})
    expect(status != 0, "a tool's MPI_Abort was lost")


def callbacks(b):
    """What the library calls in the program keeps its meaning, and its calls are the program's."""
    b.run([b.program("callbacks")])
    for tools, instances in (("test_tool", 1),
                             (f"test_tool:pmpi={b.program('libpmpi_tool.so')}:test_tool", 2)):
        b.run([b.program("callbacks")], [b.layer, b.tool], {"QMPI_TOOLS": tools})
        (counts,) = b.counts()
        for name, calls in (("MPI_Comm_size", 3), ("MPI_Status_set_elements", 1),
                            ("MPI_Error_class", 1), ("MPI_Grequest_start", 1)):
            calls *= instances
            expect(counts[name] == (calls, calls), f"{name}: {counts[name]} instead of {calls}")


def spawn(b):
    """Spawned processes have the chain too. Debian's MPICH cannot spawn, with and without tools."""
    if b.mpi != "openmpi":
        return
    folder = b.examples_folder
    child = b.program("spawning")
    plain = b.run_ranks(child, ranks=1)
    expect(plain.stdout.count("OK") == 3, plain.stdout)
    fortran = ["spawning_mpi", "spawning_f08"] if b.options.fortran else []
    for parent, tools, instances in (("spawning", "test_tool", 1), *(
            (name, "test_tool:call_counter:test_tool", 2) for name in ["spawning"] + fortran)):
        done = b.run_ranks(b.program(parent), [b.layer, b.tool],
                           {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": folder}, ranks=1,
                           arguments=[child])
        expect(done.stdout.count("OK") == 3, done.stdout)
        counts = b.counts()
        expect(len(counts) == 3, f"{len(counts)} processes counted")
        expect(sum(c.get("MPI_Comm_spawn", (0, 0))[0] for c in counts) == instances, str(counts))
        expect(all(c["MPI_Intercomm_merge"][0] == instances for c in counts), str(counts))


def tools_that_cannot_be_loaded(b):
    """A symbol that nobody has; a library that needs one that is gone; a file without a name."""
    for name in ("libmissing.so", os.path.join(b.folder.name, "")):
        path = b.program(name)
        done = b.run([b.program("order")], [b.layer],
                     {"QMPI_TOOLS": f"a:{path}:b", "QMPI_TOOL_PATH": b.tool_path()})
        expect("rank a1 b2" in done.stdout and "is left out" in done.stderr, done.stdout + done.stderr)
    expect("NobodyHasThis" in b.run([b.program("order")], [b.layer], {
        "QMPI_TOOLS": b.program("libmissing.so")}).stderr, "the missing symbol is not named")


def lives(b):
    """Tools and programs that do odd things at odd moments: what each of them means stays so."""
    tool = b.program("liblives_tool.so")

    def run(life="", arguments=(), preload=(), tools=tool, expected=0):
        return b.run([b.program("lives"), *arguments], [b.layer, *preload],
                     {"QMPI_TOOLS": tools, "LIFE": life}, expected)

    # A tool whose library the program lets go stays, since the chain leads there.
    for tools in (tool, "lives_tool"):
        for when in ("closed early", "closed late"):
            done = run(arguments=[when, tool], tools=tools)
            expect("OK" in done.stdout and "TOOL 2" in done.stdout, f"{when}: {done.stdout}")
    for life, arguments, said in (
            ("", (), ["OK", "TOOL 2"]), ("", ["fork"], ["good child", "OK", "TOOL 2"]),
            ("recursion", (), ["OK", "TOOL 2"]),
            ("MPI in init", (), ["init: 0", "thread: 0", "OK", "TOOL 2"]),
            ("MPI in constructor", (), ["constructor: 0", "OK", "TOOL 2"])):
        for preload in ([], [tool]):
            done = run(life, arguments, preload)
            expect(all(text in done.stdout for text in said), f"{life} {arguments}: {done.stdout}")
    # It was there before, but had not registered yet when MPI was called.
    expect("has registered no tool yet" in done.stderr, done.stderr)
    expect("OK" in run("", ["signals"]).stdout, "signals")
    for moment, status in (("wrapper", 7), ("init", 8), ("constructor", 9)):
        for preload in ([], [tool]):
            done = run("exit in " + moment, (), preload, expected=status)
            expect("OK" not in done.stdout, done.stdout)
