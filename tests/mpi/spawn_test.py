"""A world that spawns another (spawn.c): two worlds, each with its own ranks and names."""

from harness import Case, check, fields, finish

UNKNOWN = -2147483648

case = Case.from_arguments()
processes = case.record(worlds=2)
worlds = {}
for p in processes:
    worlds.setdefault(p.world, []).append(p)
check(sorted(len(w) for w in worlds.values()), [1, 2], "processes per world")
parents = next(w for w in worlds.values() if len(w) == 2)
child = next(w for w in worlds.values() if len(w) == 1)[0]
job = parents[0].of("MpiRank")[0]["job"]
check({p.of("MpiRank")[0]["job"] for p in parents}, {job}, "job of the first world")
check(child.of("MpiRank")[0]["job"] != job, True, "the second world has a job of its own")
check(child.of("MpiRank")[0]["parent_job"], job, "job that spawned the second world")
for p in parents:
    check(p.of("MpiRank")[0]["parent_job"], None, "the first world was not spawned")
    across = p.calls("MPI_Comm_spawn")[0]["new_comm"]
    definition = next(d for d in p.definitions("MpiComm") if d["comm"] == across)
    check(fields(definition, "members", "remote_members"), ([0, 1], [UNKNOWN]), "groups of MPI_Comm_spawn")
check(parents[0].calls("MPI_Comm_spawn")[0]["new_comm"], parents[1].calls("MPI_Comm_spawn")[0]["new_comm"],
      "intercommunicator on both parents")
check(fields(parents[1].calls("MPI_Send")[0], "peer", "world_peer", "bytes"), (0, None, 4),
      "send to the other world")
received = child.calls("MPI_Recv")[0]
check(fields(received, "peer", "world_peer", "bytes", "tag"), (1, None, 4, 3), "receive from the other world")
check(received["comm"], child.calls("MPI_Comm_get_parent")[0]["new_comm"], "MPI_Comm_get_parent")
for p in processes:
    check([r["function"] for r in p.spans()][-1], "MPI_Finalize", "last call")
finish()
