"""Calls before MPI_Init and after MPI_Finalize (early_late.c)."""

from harness import Case, check, finish

EXPECTED = ["MPI_Initialized", "MPI_Get_version", "MPI_Get_library_version", "MPI_Init",
            "MPI_Initialized", "MPI_Pcontrol", "MPI_Pcontrol", "MPI_Barrier", "MPI_Finalize",
            "MPI_Finalized", "MPI_Get_version"]

case = Case.from_arguments()
for rank in case.record():
    check([r["function"] for r in rank.spans()], EXPECTED, "calls in order")
    check([r for r in rank.spans() if r["flags"]], [], "flags of calls")
    check([r["parent_distance"] for r in rank.spans()], [0] * len(EXPECTED), "enclosing spans")
    check(rank.of("ProcessEnd")[0]["exit_code"], 0, "exit code")
    check(rank.of("ProcessEnd")[0]["reason"], "finished", "reason of the end")
    check(len(rank.of("MpiFinalized")), 1, "MpiFinalized")
    library = rank.of("MpiRank")[0]["library"]
    check(("MPICH" if case.mpi == "mpich" else "Open MPI") in library, True, "library version")
    check((rank.of("MpiRank")[0]["job"] is None), case.mpi == "mpich", "name of the job")
finish()
