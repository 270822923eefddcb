"""A ring too small for losses.c: per (communicator, peer, tag, direction), what was recorded and what was
counted as lost make up what was issued."""

import collections

from harness import Case, check, finish

ROUNDS, TAGS = 20000, 3

case = Case.from_arguments()
losing = 0
for rank in case.record(environment={"COMSHU_RING_KIB": "16", "COMSHU_ON_FULL": "drop"}, lossy=True):
    me, other = rank.rank, 1 - rank.rank
    seen = collections.Counter()
    for r in rank.of("MpiPointToPoint"):
        if not r["function"].endswith("_init"):
            way = "receive" if r["function"] == "MPI_Irecv" else "send"
            seen[(way, r["peer"], r["tag"])] += 1
    for r in rank.of("MpiReceive"):
        seen[("receive", r["posted_peer"], r["posted_tag"])] += 1
    for r in rank.of("MpiSendReceive"):
        seen[("send", r["peer"], r["tag"])] += 1
        seen[("receive", r["posted_peer"], r["posted_tag"])] += 1
    for r in rank.of("MpiCollective"):
        seen[("collective", None, None)] += 1
    seen[("receive" if me else "send", other, 10)] += len(rank.of("MpiStart"))
    recorded = sum(seen.values())
    for r in rank.of("MpiLoss"):
        check(r["comm"], rank.world, "communicator of a loss")
        check(r["begin"] <= r["end"], True, "times of a loss")
        seen[(r["direction"], r["peer"], r["tag"])] += r["lost"]
    way = "receive" if me else "send"
    expected = collections.Counter({
        (way, other, 10): ROUNDS, ("collective", None, None): ROUNDS // 10,
        ("send", other, 6): ROUNDS, ("receive", other, 6): ROUNDS,
        (way, -1 if me else other, 5): ROUNDS,
    })
    for i in range(ROUNDS):
        expected[(way, other, i % TAGS)] += 1
    check(dict(seen), dict(expected), f"recorded and lost on rank {me}")
    end = rank.of("ProcessEnd")[0]
    check(end["recorded"], len(rank.spans()) + len(rank.of("MpiCompletion")) + len(rank.of("MpiStart")),
          "records that are there")
    check(sum(r["lost"] for r in rank.of("Gap")), end["lost"], "lost in gaps and in all")
    losing += end["lost"]
    print(f"rank {me}: {recorded} recorded, {sum(r['lost'] for r in rank.of('MpiLoss'))} lost")
check(losing > 0, True, "something was lost")
finish()
