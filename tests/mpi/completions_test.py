"""Requests and their completions: what each record says of completions.c."""

from harness import Case, check, fields, finish

case = Case.from_arguments()
zero, one = case.record()

CANCELLED, FREED, WILDCARD = 1, 4, 8


def series(first_tag, n):
    """(tag, actual source, tag, bytes) of a series of messages that rank 1 received."""
    return [(first_tag + i, 0, first_tag + i, 4 * (i + 1)) for i in range(n)]


def received(rank, call_names, first_tag, n, calls=None):
    posted = {r["request"]: r["tag"] for r in rank.calls("MPI_Irecv")
              if first_tag <= r["tag"] < first_tag + n}
    check(len(posted), n, f"receives with tags from {first_tag}")
    got = []
    spans = {}
    for c in rank.of("MpiCompletion"):
        if c["request"] in posted:
            got.append((posted[c["request"]], c["source"], c["tag"], c["bytes"]))
            check(c["world_source"], 0, "world source")
            spans.setdefault(c["span"], []).append(c)
    check(sorted(got), series(first_tag, n), f"completions of {call_names}")
    completing = [r for r in rank.calls(*call_names) if r["span"] in spans]
    check(len(completing), len(spans), f"calls of {call_names}")
    for r in completing:
        check(r["completed"], len(spans[r["span"]]), f"completed by {r['function']}")
    if calls is not None:
        check(len(completing), calls, f"calls of {call_names} that completed something")


received(one, ["MPI_Waitany"], 100, 4, 4)
received(one, ["MPI_Waitsome"], 200, 4)
received(one, ["MPI_Waitall"], 300, 50, 1)
received(one, ["MPI_Waitall"], 400, 4, 1)
received(one, ["MPI_Test"], 500, 1, 1)
received(one, ["MPI_Testall"], 510, 2, 1)
received(one, ["MPI_Testany"], 520, 3, 3)
received(one, ["MPI_Testsome"], 530, 3)

# Calls on null requests, and tests that found nothing, complete nothing.
last = one.calls("MPI_Waitany")[4]
check(fields(last, "request", "requests", "completed"), (None, 0, 0), "MPI_Waitany on null requests")
check([fields(r, "requests") for r in one.calls("MPI_Waitany")[:4]], [(4,), (3,), (2,), (1,)],
      "requests given to MPI_Waitany")
for r in one.calls("MPI_Request_get_status"):
    check((r["completed"], one.completions(r)), (0, []), "MPI_Request_get_status")
    check(r["request"], one.calls("MPI_Test")[-1]["request"], "request of MPI_Request_get_status")

# Persistent requests: one number, four starts, four completions.
for me, rank in enumerate((zero, one)):
    made = rank.calls("MPI_Send_init", "MPI_Recv_init")
    first, second = made[0]["request"], made[1]["request"]
    check(first != second and first is not None, True, "numbers of persistent requests")
    check([rank.starts(r) for r in rank.calls("MPI_Start")], [[first]] * 3, "MPI_Start")
    check([rank.starts(r) for r in rank.calls("MPI_Startall")], [[first, second]], "MPI_Startall")
    done = [r for r in rank.of("MpiCompletion") if r["request"] in (first, second)
            and not r["flags"] & (CANCELLED | FREED)]
    check([r["request"] for r in done], [first] * 4 + [second], "completions of persistent requests")
    check({r["flags"] for r in done}, {WILDCARD if me == 1 else 0}, "flags of their completions")
    if me == 1:
        check([fields(r, "source", "tag", "bytes") for r in done],
              [(0, 600, 20)] * 4 + [(0, 601, 24)], "what persistent receives got")
    waits = [r for r in rank.calls("MPI_Wait") if r["request"] == first]
    check([r["completed"] for r in waits], [1, 1, 1, 0], "MPI_Wait on a persistent request")
    frees = rank.calls("MPI_Request_free")
    check([(r["request"], r["completed"]) for r in frees[:2]], [(first, 0), (second, 0)],
          "MPI_Request_free of idle requests")

    # Cancelled: said so, with the program's status and without.
    cancels = rank.calls("MPI_Cancel")
    check(len(cancels), 2, "MPI_Cancel")
    for r in cancels:
        c = rank.completion_of(r["request"])
        check(fields(c, "flags", "source", "tag", "bytes"), (CANCELLED, None, None, None),
              "completion of a cancelled receive")

# A thousand requests in one call, each with its own completion.
for me, rank in enumerate((zero, one)):
    made = [r for r in rank.calls("MPI_Isend" if me == 0 else "MPI_Irecv")][-1000 - (me == 0):]
    made = made[:1000]
    waitall = [r for r in rank.calls("MPI_Waitall") if r["requests"] == 1000]
    check(len(waitall), 1, "MPI_Waitall on 1000 requests")
    check(waitall[0]["completed"], 1000, "completed by it")
    done = rank.completions(waitall[0])
    check([r["request"] for r in done], [r["request"] for r in made], "order of completions")
    if me == 1:
        check([fields(r, "tag", "bytes") for r in done], [(1000 + i, 4 * (i % 7)) for i in range(1000)],
              "what a thousand receives got")

# A send that was let go, a request of the program's own.
free = zero.calls("MPI_Request_free")[-1]
check(fields(zero.completion(free), "flags", "kind"), (FREED, "send"), "freed while under way")
for rank in (zero, one):
    started = rank.calls("MPI_Grequest_start")[0]
    check(rank.calls("MPI_Grequest_complete")[0]["request"], started["request"],
          "MPI_Grequest_complete")
    check(fields(rank.completion_of(started["request"]), "kind", "bytes"), ("generalized", None),
          "completion of a generalized request")

# No number was used twice.
for rank in (zero, one):
    made = [r["request"] for r in rank.of("MpiPointToPoint") if r["request"] is not None]
    check(len(made), len(set(made)), "numbers of requests")
finish()
