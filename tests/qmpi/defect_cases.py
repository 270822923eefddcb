"""What MPICH's own QMPI gets wrong, and what it leaves out, each as a case of its own."""

import re
import sys

from harness import TEN, expect


def defect_listed_but_never_registered(b):
    """There it is a crash in MPI_Init."""
    done = b.run_ranks(b.program("ten_c"), [b.layer, b.tool],
                       {"QMPI_TOOLS": "nobody:test_tool:nobody"})
    expect(done.stdout.count("OK") == 2 and done.stderr.count("'nobody'") == 4,
           done.stdout + done.stderr)
    b.expect_counts(2, dict.fromkeys(TEN, 1))


def defect_registration_refused_in_silence(b):
    """There the registration of a name that is not listed succeeds, and nothing comes of it."""
    for variables in ({}, {"QMPI_TOOLS": ""}, {"QMPI_TOOLS": "someone_else"}):
        done = b.run_ranks(b.program("linked"), environment=variables)
        expect(done.stdout.count("OK 0 0 0") == 2, f"{variables}: {done.stdout}")


def defect_numbers_out_of_range(b):
    """There they are written out of bounds."""
    done = b.run_ranks(b.program("ten_c"), [b.layer, b.program("libsecond_tool.so"), b.tool])
    expect(done.stdout.count("REFUSED 15 of 15") == 2, done.stdout)
    b.expect_counts(2, dict.fromkeys(TEN, 1))


def defect_calling_address(b):
    """There it is a text on the heap, made from the tool's own frame."""
    for tools in ("defect_tool", "a:defect_tool:b:defect_tool"):
        done = b.run([b.program("stack")], [b.layer, b.program("libdefect_tool.so")],
                     {"QMPI_TOOLS": tools, "QMPI_TOOL_PATH": b.tool_path()})
        lines = re.findall("^ADDRESS .*$", done.stdout, re.MULTILINE)
        expect(lines == ["ADDRESS Inner 0 application"] * tools.count("defect_tool"), done.stdout)


def defect_after_the_end(b):
    """There the tables are freed in MPI_Finalize, and used by MPI_Finalized and by a second session."""
    tools = {"QMPI_TOOLS": "test_tool:test_tool:test_tool"}
    b.run_ranks(b.program("early_late"), [b.layer, b.tool], tools, ranks=1)
    (counts,) = b.counts()
    expect(counts["MPI_Finalized"][0] == 6, str(counts))
    if b.mpi != "mpich":
        return  # Open MPI 4 has no sessions
    b.run_ranks(b.program("sessions"), [b.layer, b.tool], tools, ranks=1)
    expected = {name: 6 for name in (
        "MPI_Initialized", "MPI_Get_version", "MPI_Group_from_session_pset", "MPI_Comm_size",
        "MPI_Comm_create_from_group", "MPI_Allreduce", "MPI_Comm_free", "MPI_Group_free")}
    b.expect_counts(1, {**expected, "MPI_Session_init": 9, "MPI_Session_finalize": 9})


def defect_pcontrol_without_arguments(b):
    """There its variable arguments never arrive. libm.so and libn.so look at them as well."""
    b.run_ranks(b.program("early_late"), [b.layer, b.tool],
                {"QMPI_TOOLS": f"pmpi={b.program('libm.so')}:test_tool:"
                               f"pmpi={b.program('libn.so')}:test_tool"}, ranks=1)
    (counts,) = b.counts()
    expect(counts["pcontrol_arguments_right"][0] == 2, str(counts))


def defect_files_and_conversions(b):
    """There MPI-IO and the conversions of handles and statuses are left out."""
    b.run([b.program("call_all")], [b.layer, b.tool])
    (counts,) = b.counts()
    names = ["MPI_File_open", "MPI_File_write_at_all", "MPI_File_iread", "MPI_File_close",
             "MPI_Register_datarep", "MPI_Status_c2f", "MPI_Type_create_f90_real"]
    if b.mpi == "openmpi":
        names += ["MPI_Comm_c2f", "MPI_Request_f2c"]  # macros in MPICH's header
    for name in names:
        expect(counts.get(name) == (2, 2), f"{name}: {counts.get(name)}")


def fortran_is_seen_like_c(b):
    """The mpi_f08 binding calls PMPI_X for all that takes no buffer; a tool sees each call once."""
    if not b.options.fortran:
        print("skipped: this MPI has no Fortran compiler")
        sys.exit(77)
    for variant in ("mpif", "mpi", "f08"):
        b.run_ranks(b.program("ten_" + variant), [b.layer, b.tool],
                    {"QMPI_TOOLS": "test_tool:test_tool:test_tool"})
        b.expect_counts(2, dict.fromkeys(TEN, 3))
