"""The layer itself: forwarding, Fortran, processes without MPI or with another one, threads."""

import os
import re
import subprocess
import sys

from harness import TEN, expect

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
    # The same from a library.
    b.run([b.program("local_loader"), b.program("libcall_all.so")], [b.layer, b.tool])
    (counts,) = b.counts()
    counts.pop("pcontrol_arguments_right")
    expect(len(counts) == functions and all(n == (2, 0) for n in counts.values()), str(counts))
    # Chains: each function through three tools, and through tools of the other kinds.
    others = (b.program("libpass_through_2020.so"), f"pmpi={b.program('libpass_through_pmpi.so')}")
    # Twelve of one tool: they are called by way of relays.
    for instances, tools in ((3, ["test_tool"] * 3), (12, ["test_tool"] * 12), (2, ["test_tool", *others, "test_tool"]),
                             (1, [*reversed(others), "test_tool"])):
        done = b.run([program], [b.layer, b.tool], {"QMPI_TOOLS": ":".join(tools)})
        (counts,) = b.counts()
        counts.pop("pcontrol_arguments_right")
        calls = 2 * instances
        expect(len(counts) == functions, f"{tools}: {len(counts)} of {functions} functions")
        expect(all(n == (calls, calls) for n in counts.values()), f"{tools}: not {calls}: {counts}")
        if others[0] in tools:
            # MPI_Pcontrol is not for the tool of 2020.
            expect(f"PASSED 2020 {2 * functions - 2}" in done.stdout and
                   f"PASSED pmpi {2 * functions}" in done.stdout, done.stdout)
    b.run([program], [b.layer, b.tool], {"QMPI_DISABLE": "1"})
    expect(b.counts() == [], "QMPI_DISABLE=1 did not disable")


def ten(b, variant):
    program = b.program("ten_" + variant)
    b.run_ranks(program, [b.layer])
    b.run_ranks(program, [b.layer, b.tool])
    b.expect_counts(2, dict.fromkeys(TEN, 1))
    b.run_ranks(program, [b.tool, b.layer])
    b.expect_counts(2, dict.fromkeys(TEN, 1))


def many(b, variant):
    b.run_ranks(b.program("many_" + variant), [b.layer, b.tool])
    b.expect_counts(2, MANY)


def sentinels(b, variant):
    program = b.program("sentinels_" + variant)
    plain = sorted(b.run_ranks(program).stdout.splitlines())
    expect(plain[:2] == ["OK", "OK"], str(plain))
    once = dict.fromkeys("""
        Init Finalize Comm_rank Allreduce Allgather Get_address Type_create_hindexed Type_commit
        Type_free Sendrecv Waitany Testany Get_processor_name Error_string Iprobe""".split(), 1)
    once.update(Initialized=2, Waitall=2, Irecv=3, Isend=3, Dist_graph_create_adjacent=2,
                Dist_graph_neighbors_count=2, Comm_free=2)
    for tools in ("test_tool", f"test_tool:pmpi={b.program('libm.so')}:test_tool"):
        done = b.run_ranks(program, [b.layer, b.tool], {"QMPI_TOOLS": tools})
        lines = sorted(line for line in done.stdout.splitlines() if not line.startswith("PMPI"))
        expect(lines == plain, f"{tools}: {lines} instead of {plain}")
        ranks = b.counts()
        expect(len(ranks) == 2, f"{len(ranks)} counted")
        for name, calls in once.items():
            wanted = calls * tools.count("test_tool")
            expect(all(rank["MPI_" + name] == (wanted, wanted) for rank in ranks),
                   f"{tools}: {name}: {[rank.get('MPI_' + name) for rank in ranks]}, not {wanted}")


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
    expected = {"MPI_Init": 1, "MPI_Finalize": 1, "MPI_Comm_rank": 3, "MPI_Comm_size": 3,
                "MPI_Allreduce": 3, "MPI_Sendrecv": 3}
    module = b.program("liblocal_module.so")
    b.run([b.program("local_loader"), module])
    b.run([b.program("local_loader"), module], [b.layer])
    b.run([b.program("local_loader"), module], [b.layer, b.tool])
    b.expect_counts(1, expected, address_inside=False)
    b.run([b.program("local_loader"), module], [b.layer, b.tool],
          {"QMPI_TOOLS": f"test_tool:pmpi={b.program('libpmpi_tool.so')}:test_tool"})
    twice = {name: 2 * calls for name, calls in expected.items()}
    b.expect_counts(1, twice | {"MPI_Comm_size": 9}, address_inside=False)
    script = f"import ctypes, sys; sys.exit(ctypes.CDLL({module!r}).Run())"
    b.run(["/usr/bin/python3", "-c", script], [b.layer, b.tool])
    b.expect_counts(1, expected, address_inside=False)


def threads(b):
    b.run_ranks(b.program("threads"), ranks=1)
    b.run_ranks(b.program("threads"), [b.layer, b.tool], ranks=1)
    b.expect_counts(1, {"MPI_Init_thread": 1, "MPI_Finalize": 1, "MPI_Irecv": 1600,
                        "MPI_Isend": 1600, "MPI_Waitall": 1600})
    b.run_ranks(b.program("threads"), [b.layer, b.tool], ranks=1,
                environment={"QMPI_TOOLS": f"test_tool:pmpi={b.program('libm.so')}:test_tool"})
    b.expect_counts(1, {"MPI_Init_thread": 2, "MPI_Finalize": 2, "MPI_Irecv": 3200,
                        "MPI_Isend": 3200, "MPI_Waitall": 3200})


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
    pmpi = b.program("libpmpi_tool.so")
    done = b.run_ranks(program, [b.layer, b.tool], ranks=1,
                       environment={"QMPI_TOOLS": f"test_tool:pmpi={pmpi}:test_tool"})
    expect("PMPI 4 0 0" in done.stdout, done.stdout)
    b.expect_counts(1, {"MPI_Init": 2, "MPI_Comm_create_errhandler": 2, "MPI_Send": 8,
                        "MPI_Comm_set_errhandler": 2, "MPI_Finalize": 2})


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


def several_programs(b):
    """MPMD: another program, and another list of tools, per rank."""
    variable = ["-env"] if b.mpi == "mpich" else ["-x"]

    def part(tools, program):
        settings = {"LD_PRELOAD": f"{b.layer}:{b.tool}", "QMPI_TOOLS": tools, "QMPI_TEST_OUT": b.out}
        words = ["-n", "1"]
        for name, value in settings.items():
            words += variable + ([name, value] if b.mpi == "mpich" else [f"{name}={value}"])
        return words + [b.program(program)]

    second = "ten_f08" if b.options.fortran else "ten_c"
    command = [b.options.mpiexec] + (["--oversubscribe"] if b.mpi == "openmpi" else [])
    b.run(command + part("test_tool", "ten_c") + [":"] + part("test_tool:test_tool", second))
    found = sorted(counts["MPI_Send"] for counts in b.counts())
    expect(found == [(1, 1), (2, 2)], str(found))


def refusals(b):
    done = b.run(["/bin/true"], [b.layer, b.program("libsecond_tool.so"), b.tool])
    expect(done.stdout == "REFUSED 15 of 15\n", done.stdout)
    program = b.program("ten_c")
    b.run_ranks(program, [b.layer, b.tool], {"QMPI_TOOLS": "someone_else"})
    expect(b.counts() == [], "a tool that QMPI_TOOLS does not name was taken")
    b.run_ranks(program, [b.layer, b.tool], {"QMPI_TOOLS": "someone_else:test_tool"})
    b.expect_counts(2, dict.fromkeys(TEN, 1))


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
