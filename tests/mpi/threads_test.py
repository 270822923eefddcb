"""Eight threads under MPI_THREAD_MULTIPLE (threads.c): every request is completed once, by its own."""

from harness import Case, check, fields, finish

THREADS, MESSAGES = 8, 200

case = Case.from_arguments()
for rank in case.record():
    made = {r["request"]: r for r in rank.calls("MPI_Irecv", "MPI_Isend")}
    check(len(made), 2 * THREADS * MESSAGES, "numbers of requests")
    done = rank.of("MpiCompletion")
    check(sorted(c["request"] for c in done), sorted(made), "completions")
    for c in done:
        call = made[c["request"]]
        check(c["of_thread"], call["of_thread"], "thread that completed a request")
        if call["function"] == "MPI_Irecv":
            check(fields(c, "source", "tag", "bytes", "kind"),
                  (1 - rank.rank, call["tag"], 4 * (1 + call["tag"]), "receive"), "completion")
        else:
            check(fields(c, "kind", "bytes"), ("send", None), "completion")
    per_thread = {}
    for r in made.values():
        per_thread[r["of_thread"]] = per_thread.get(r["of_thread"], 0) + 1
    check(sorted(per_thread.values()), [2 * MESSAGES] * THREADS, "requests per thread")
    check(rank.of("MpiRank")[0]["thread_level"], 3, "thread level")
    for thread in per_thread:
        spans = [r["span"] for r in rank.spans() if r["of_thread"] == thread]
        check(spans, sorted(spans), "order of a thread's spans")
finish()
