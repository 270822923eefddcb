"""What MPI 4 added (mpi4.c), in a program that never calls MPI_Init."""

from harness import Case, check, fields, finish

case = Case.from_arguments()
ranks = case.record()
for me, rank in enumerate(ranks):
    other = 1 - me
    check(fields(rank.of("MpiRank")[0], "rank", "size"), (me, 2), "MpiRank")
    definition = rank.definitions("MpiComm")[0]
    check(fields(definition, "members", "rank", "size"), ([0, 1], me, 2), "communicator of a session")
    comm = definition["comm"]
    check(rank.calls("MPI_Comm_create_from_group")[0]["new_comm"], comm, "MPI_Comm_create_from_group")
    both = rank.calls("MPI_Isendrecv")[0]
    check(fields(both, "bytes", "tag", "peer", "posted_peer", "comm"), (12 + 4 * me, 1, other, other, comm),
          "MPI_Isendrecv")
    check(fields(rank.completion_of(both["request"]), "kind", "source", "world_source", "tag", "bytes"),
          ("send_receive", None, None, None, None), "its completion: MPICH 4.0 does not say what came")
    parts = rank.calls("MPI_Psend_init", "MPI_Precv_init")[0]
    check(fields(parts, "bytes", "tag", "peer"), (128, 2, other), "partitioned request")
    check([rank.starts(r) for r in rank.calls("MPI_Start")], [[parts["request"]]] * 2, "its starts")
    done = [r for r in rank.of("MpiCompletion") if r["request"] == parts["request"]]
    check(len(done), 2, "its completions")
    if me == 0:
        check([r["request"] for r in rank.calls("MPI_Pready_range")], [parts["request"]] * 2,
              "MPI_Pready_range")
        check(fields(rank.calls("MPI_Send_c")[0], "bytes", "tag", "peer"), (28, 3, 1), "MPI_Send_c")
    else:
        check(fields(rank.calls("MPI_Recv_c")[0], "bytes", "tag", "peer", "posted_peer"), (28, 3, 0, -1),
              "MPI_Recv_c")
    check(rank.of("ProcessEnd")[0]["reason"], "finished", "reason of the end")
    check(len(rank.of("MpiFinalized")), 1, "MpiFinalized")
check(ranks[0].definitions("MpiComm")[0]["comm"], ranks[1].definitions("MpiComm")[0]["comm"],
      "number of the communicator on both ranks")
finish()
