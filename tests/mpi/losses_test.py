"""A ring too small for losses.c: per (communicator, peer, tag, direction), what was recorded and what was
counted as lost make up what was issued; and messages of a wildcard receive, whose sizes follow each other,
are matched with what they received."""

import collections

from harness import Case, check, finish

ROUNDS, TAGS, WILDCARD = 8000, 3, 8

case = Case.from_arguments()
losing = 0


def check_matching(folder):
    matched, wrong = case.sql(folder, "SELECT count(*), count(*) FILTER (bytes <> recv_bytes) FROM message "
                                      "WHERE tag = 5 AND recv_bytes IS NOT NULL")
    check(matched > 0, True, "messages of tag 5 that were matched")
    check(wrong, 0, f"messages of tag 5 that received another size, of {matched}")
    print(f"{matched} messages of tag 5 matched")


for rank in case.record(environment={"COMSHU_RING_KIB": "16", "COMSHU_ON_FULL": "drop"}, lossy=True,
                        look=check_matching):
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
    world = rank.world
    completed = sum(1 for r in rank.of("MpiCompletion") if r["flags"] & WILDCARD)
    for r in rank.of("MpiLoss"):
        check(r["comm"], world, "communicator of a loss")
        check(r["begin"] <= r["end"], True, "times of a loss")
        if r["direction"] == "completion":
            check((r["peer"], r["tag"]), (other, 5), "what a wildcard receive got")
            completed += r["lost"]
            continue
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
    check(completed, ROUNDS if me else 0, "completions of wildcard receives, recorded and lost")
    end = rank.of("ProcessEnd")[0]
    check(end["recorded"], len(rank.spans()) + len(rank.of("MpiCompletion")) + len(rank.of("MpiStart")),
          "records that are there")
    check(sum(r["lost"] for r in rank.of("Gap")), end["lost"], "lost in gaps and in all")
    losing += end["lost"]
    print(f"rank {me}: {recorded} recorded, {sum(r['lost'] for r in rank.of('MpiLoss'))} lost")
check(losing > 0, True, "something was lost")
finish()
