"""Communicators of communicators.c: numbers equal on all members and different from all others."""

from harness import Case, check, fields, finish

case = Case.from_arguments()
ranks = case.record()

made = []  # per rank: {id: definition}
for me, rank in enumerate(ranks):
    definitions = rank.definitions("MpiComm")
    ids = [d["comm"] for d in definitions]
    check(len(set(ids)), len(ids), "numbers are different")
    made.append({d["comm"]: d for d in definitions})
    names = {d["name"]: d for d in definitions if d["name"]}
    check(fields(names["MPI_COMM_WORLD"], "members", "size", "rank", "parent"), ([0, 1], 2, me, None),
          "MPI_COMM_WORLD")
    check(fields(names["MPI_COMM_SELF"], "members", "size", "rank"), ([me], 1, 0), "MPI_COMM_SELF")
    # Whatever was freed was closed, once; only the predefined ones are left.
    closed = [r["comm"] for r in rank.definitions("MpiCommClose")]
    check(sorted(closed), sorted(set(ids) - {names["MPI_COMM_WORLD"]["comm"],
                                             names["MPI_COMM_SELF"]["comm"]}), "closed communicators")
    # The call that made it names it, and its parent.
    for call in rank.of("MpiCommCall"):
        if call["new_comm"] is not None:
            check(made[me][call["new_comm"]]["parent"], call["comm"], f"parent in {call['function']}")
    # Messages name communicators that were defined.
    for call in rank.of("MpiSendReceive"):
        check(call["comm"] in made[me], True, "communicator of a message")

shared = set(made[0]) & set(made[1])
for number in shared:
    mine, theirs = made[0][number], made[1][number]
    if mine["remote_members"] is None:
        check(mine["members"], theirs["members"], "members on both sides")
        check(mine["parent"], theirs["parent"], "parent on both sides")
        check(sorted(mine["members"]), [0, 1], "members of what both know")
    else:
        check((mine["members"], mine["remote_members"]),
              (theirs["remote_members"], theirs["members"]), "groups of an intercommunicator")
for me in (0, 1):
    for number in set(made[me]) - shared:
        check(made[me][number]["members"], [me], "members of what one rank alone knows")
# What both know, in the order of definition: the world; three duplicates, a nonblocking one; the split
# in reverse, by type; the group of all; the grid and the graph; intercommunicators; merged.
expected = [[0, 1]] * 5 + [[1, 0]] + [[0, 1]] * 4
intra = [d["members"] for d in made[0].values() if d["comm"] in shared and d["remote_members"] is None]
check(intra, expected + [[0, 1]], "communicators of both ranks")
inter = [d for d in made[0].values() if d["remote_members"] is not None]
check([fields(d, "members", "remote_members") for d in inter], [([0], [1])] * 3, "intercommunicators")

for me, rank in enumerate(ranks):
    named = [r for r in rank.definitions("MpiName")]
    check([r["name"] for r in named], ["second duplicate"], "names")
    check(named[0]["object"], rank.calls("MPI_Comm_dup")[1]["new_comm"], "what was named")
    check(rank.calls("MPI_Comm_split")[2]["new_comm"] is None, me == 1, "rank left out of a split")
    idup = rank.calls("MPI_Comm_idup")[0]
    check(rank.completion_of(idup["request"])["kind"], "collective", "completion of MPI_Comm_idup")
    # On an intercommunicator peers are of the other group.
    across = [r for r in rank.of("MpiSendReceive") if r["comm"] == inter[0]["comm"]]
    check([fields(r, "peer", "world_peer", "receive_peer", "receive_world_peer") for r in across],
          [(0, 1 - me, 0, 1 - me)], "message across an intercommunicator")
    bcast = rank.calls("MPI_Bcast")[0]
    check(fields(bcast, "root", "bytes_in", "bytes_out"), [(-3, 8, 0), (0, 0, 8)][me],
          "MPI_Bcast across")
finish()
