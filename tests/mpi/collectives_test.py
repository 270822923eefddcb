"""Collectives: what goes in and out on each rank of collectives.c (docs/provider-mpi.md)."""

from harness import Case, check, fields, finish

case = Case.from_arguments()
ranks = case.record()

D = 8
# (function, in and out on rank 0, in and out on rank 1, root, operation)
EXPECTED = [
    ("MPI_Barrier", (0, 0), (0, 0), None, "none"),
    ("MPI_Bcast", (0, 4), (4, 0), 1, "none"),
    ("MPI_Gather", (4, 8), (4, 0), 0, "none"),
    ("MPI_Gatherv", (3, 8), (5, 0), 0, "none"),
    ("MPI_Scatter", (8, 4), (0, 4), 0, "none"),
    ("MPI_Scatterv", (8, 3), (0, 5), 0, "none"),
    ("MPI_Allgather", (4, 8), (4, 8), None, "none"),
    ("MPI_Allgather", (4, 8), (4, 8), None, "none"),
    ("MPI_Allgatherv", (3, 8), (5, 8), None, "none"),
    ("MPI_Alltoall", (8, 8), (8, 8), None, "none"),
    ("MPI_Alltoall", (8, 8), (8, 8), None, "none"),
    ("MPI_Alltoallv", (8, 6), (8, 10), None, "none"),
    ("MPI_Alltoallw", (8, 6), (8, 10), None, "none"),
    ("MPI_Reduce", (4, 4), (4, 0), 0, "max"),
    ("MPI_Reduce", (4, 4), (4, 0), 0, "sum"),
    ("MPI_Allreduce", (4, 4), (4, 4), None, "sum"),
    ("MPI_Allreduce", (4, 4), (4, 4), None, "prod"),
    ("MPI_Reduce_scatter", (8, 3), (8, 5), None, "sum"),
    ("MPI_Reduce_scatter_block", (8, 4), (8, 4), None, "min"),
    ("MPI_Scan", (4, 4), (4, 4), None, "sum"),
    ("MPI_Exscan", (4, 0), (4, 4), None, "sum"),
    ("MPI_Ibarrier", (0, 0), (0, 0), None, "none"),
    ("MPI_Ibcast", (4, 0), (0, 4), 0, "none"),
    ("MPI_Iallreduce", (4, 4), (4, 4), None, "sum"),
    ("MPI_Ialltoallw", (8, 6), (8, 10), None, "none"),
    ("MPI_Neighbor_allgather", (4, 8), (4, 8), None, "none"),
    ("MPI_Neighbor_alltoall", (8, 8), (8, 8), None, "none"),
    ("MPI_Neighbor_alltoallv", (6, 6), (6, 6), None, "none"),
    ("MPI_Ineighbor_alltoall", (8, 8), (8, 8), None, "none"),
    ("MPI_Neighbor_allgather", (4, 0), (4, 4), None, "none"),
]
if case.mpi == "mpich":
    EXPECTED += [("MPI_Allreduce_init", (4, 4), (4, 4), None, "sum"),
                 ("MPI_Bcast_c", (4, 0), (0, 4), 0, "none")]

for me, rank in enumerate(ranks):
    calls = rank.of("MpiCollective")
    check([r["function"] for r in calls], [e[0] for e in EXPECTED], "collectives")
    for r, e in zip(calls, EXPECTED):
        check(fields(r, "bytes_in", "bytes_out", "root", "operation"),
              (D * e[1 + me][0], D * e[1 + me][1], e[3], e[4]), f"{e[0]} on rank {me}")
    started = [r for r in calls if r["request"] is not None]
    check([r["function"] for r in started],
          [e[0] for e in EXPECTED if e[0].startswith("MPI_I") or e[0].endswith("_init")],
          "collectives with a request")
    for r in started:
        if r["function"].endswith("_init"):
            check([rank.starts(s) for s in rank.calls("MPI_Start")], [[r["request"]]] * 2,
                  "starts of a persistent collective")
        else:
            check(rank.completion_of(r["request"])["kind"], "collective", "kind of its completion")
# The same communicator on both sides, call for call.
check([r["comm"] for r in ranks[0].of("MpiCollective")], [r["comm"] for r in ranks[1].of("MpiCollective")],
      "communicators")
finish()
