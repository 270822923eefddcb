"""A program of mpi_f08 (fortran.f90): each call once, sentinels as the C constants they mean."""

from harness import Case, check, fields, finish

case = Case.from_arguments()
ranks = case.record()
for me, rank in enumerate(ranks):
    expected = ["MPI_Init", "MPI_Comm_rank", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Sendrecv",
                "MPI_Allreduce", "MPI_Comm_split", "MPI_Barrier", "MPI_Comm_free", "MPI_Type_vector",
                "MPI_Type_commit", *["MPI_Recv" if me else "MPI_Send"] * 2, "MPI_Type_free",
                "MPI_Finalize"]
    check([r["function"] for r in rank.spans()], expected, "calls in order")
    check([r for r in rank.spans() if not r["caller"]], [], "spans without a caller")
    irecv, isend = rank.calls("MPI_Irecv")[0], rank.calls("MPI_Isend")[0]
    check(fields(irecv, "tag", "peer", "bytes"), (-1, -1, 80), "MPI_Irecv with wildcards")
    check(fields(rank.completion_of(irecv["request"]), "source", "tag", "bytes"), (1 - me, 9, 32),
          "its completion")
    check(rank.completion_of(isend["request"])["kind"], "send", "completion of MPI_Isend")
    check(fields(rank.calls("MPI_Sendrecv")[0], "bytes", "receive_bytes"), (40, 40), "MPI_Sendrecv")
    check(fields(rank.calls("MPI_Allreduce")[0], "bytes_in", "bytes_out", "operation"), (80, 80, "sum"),
          "MPI_Allreduce in place")
    check([r["bytes"] for r in rank.calls("MPI_Send", "MPI_Recv")], [80, 80], "rows of a grid")
finish()
