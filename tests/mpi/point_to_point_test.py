"""Blocking and nonblocking messages: what each record says of point_to_point.c."""

from harness import FAILED, Case, check, fields, finish

case = Case.from_arguments()
zero, one = case.record()
world = zero.world
check(one.world, world, "world id on both ranks")

# Blocking sends: peer, tag, communicator, bytes; no request.
sent = [fields(r, "bytes", "tag", "peer", "world_peer", "comm", "request", "flags")
        for r in zero.calls("MPI_Send") if r["tag"] <= 5 and not r["flags"]]
check(sent, [(40 * i, i, 1, 1, world, None, 0) for i in range(1, 6)], "MPI_Send")
for function, bytes_, tag in (("MPI_Ssend", 56, 20), ("MPI_Bsend", 9, 21), ("MPI_Rsend", 12, 23)):
    check([fields(r, "bytes", "tag", "peer") for r in zero.calls(function)], [(bytes_, tag, 1)], function)

# Receives: what was posted and what came, with the program's status ignored.
got = [fields(r, "bytes", "buffer_bytes", "tag", "peer", "world_peer", "posted_tag", "posted_peer")
       for r in one.calls("MPI_Recv")[:5]]
check(got, [(40 * i, 4096 * 4, i, 0, 0, -1, -1) for i in range(1, 6)], "MPI_Recv with wildcards")
check(fields(one.calls("MPI_Recv")[5], "bytes", "buffer_bytes", "tag", "posted_tag"), (56, 800, 20, 20),
      "MPI_Recv with a status")
check(fields(one.calls("MPI_Recv")[6], "bytes", "tag", "posted_tag"), (9, 21, -1), "MPI_Recv of a Bsend")

irecv = one.calls("MPI_Irecv")[0]
wait = one.calls("MPI_Wait")[0]
check(fields(irecv, "bytes", "tag", "peer"), (12, 23, 0), "MPI_Irecv")
check(wait["request"], irecv["request"], "request of MPI_Wait")
check(fields(one.completion(wait), "request", "bytes", "source", "world_source", "tag", "kind", "flags"),
      (irecv["request"], 12, 0, 0, 23, "receive", 0), "its completion")

# Both ways in one call.
for me, rank in enumerate((zero, one)):
    record = rank.calls("MPI_Sendrecv")[0]
    check(fields(record, "bytes", "tag", "peer", "receive_bytes", "receive_tag", "receive_peer",
                 "posted_tag", "posted_peer"),
          (4 * (11 + me), 30 + me, 1 - me, 4 * (12 - me), 31 - me, 1 - me, -1, -1), "MPI_Sendrecv")
    check(fields(rank.calls("MPI_Sendrecv_replace")[0], "bytes", "receive_bytes", "receive_tag"),
          (24, 24, 40), "MPI_Sendrecv_replace")
    # The null process.
    nobody = [r for r in rank.calls("MPI_Send") if r["tag"] == 50][0]
    check(fields(nobody, "peer", "world_peer", "bytes"), (-2, None, 20), "send to MPI_PROC_NULL")
    nobody = [r for r in rank.calls("MPI_Recv") if r["posted_tag"] == 50][0]
    check(fields(nobody, "peer", "world_peer", "bytes"), (-2, None, 0), "receive from MPI_PROC_NULL")
    started = [r for r in rank.calls("MPI_Irecv", "MPI_Isend") if r["tag"] == 51]
    check([r["peer"] for r in started], [-2, -2], "requests of MPI_PROC_NULL")
    waitall = [r for r in rank.calls("MPI_Waitall") if r["request"] == started[0]["request"]][0]
    done = rank.completions(waitall)
    check([fields(r, "request", "kind", "source", "bytes") for r in done],
          [(started[0]["request"], "receive", -2, 0), (started[1]["request"], "send", None, None)],
          "completions of MPI_PROC_NULL")

# Probes and matched messages.
probe = one.calls("MPI_Probe")[0]
check(fields(probe, "found", "bytes", "tag", "peer", "posted_peer"), (1, 48, 60, 0, -1), "MPI_Probe")
missed = one.calls("MPI_Iprobe")[0]
check(fields(missed, "found", "bytes", "posted_tag", "posted_peer"), (0, None, 99, 0), "MPI_Iprobe")
mprobe = one.calls("MPI_Mprobe")[0]
check(fields(mprobe, "found", "bytes", "tag", "peer"), (1, 52, 61, 0), "MPI_Mprobe")
mrecv = one.calls("MPI_Mrecv")[0]
check(fields(mrecv, "message", "bytes", "tag", "peer", "comm"), (mprobe["message"], 52, 61, 0, world),
      "MPI_Mrecv")
improbe = one.calls("MPI_Improbe")[-1]
check(fields(improbe, "found", "bytes", "tag"), (1, 56, 62), "MPI_Improbe")
check(improbe["message"] == mprobe["message"], False, "two messages have one number")
imrecv = one.calls("MPI_Imrecv")[0]
check(fields(imrecv, "request", "tag", "peer", "comm"), (improbe["message"], 62, 0, world), "MPI_Imrecv")
check(fields(one.completion_of(imrecv["request"]), "bytes", "source", "tag"), (56, 0, 62),
      "completion of MPI_Imrecv")

# Errors: flagged, nothing invented. Of a message that was cut it is known where it came from and that the
# buffer is full.
received = [r for r in one.calls("MPI_Recv") if 70 in (r["posted_tag"], r["tag"])]
check([fields(r, "flags", "bytes", "peer", "tag") for r in received],
      [(FAILED, 8, 0, 70), (FAILED, 8, 0, 70), (FAILED, None, 77, 70), (0, 32, 0, 70)], "receives of tag 70")
started = [r for r in one.calls("MPI_Irecv") if r["tag"] == 70]
check([fields(one.completion_of(r["request"]), "flags", "bytes", "source", "tag") for r in started],
      [(FAILED | 8, 8, 0, 70), (FAILED, 8, 0, 70), (0, 32, 0, 70)], "completions of tag 70")
for rank in (zero, one):
    both = [r for r in rank.calls("MPI_Sendrecv") if r["tag"] == 71]
    check([fields(r, "flags", "bytes", "receive_bytes", "receive_peer", "receive_tag") for r in both],
          [(FAILED, 32, 8, rank is zero, 71)], "MPI_Sendrecv")
for rank in (zero, one):
    bad = [r for r in rank.calls("MPI_Send") if r["peer"] == 77]
    check([fields(r, "flags", "world_peer") for r in bad], [(FAILED, None)], "send to rank 77")

# Every call of the program is a span, in order, with its place in the program.
check(zero.calls("MPI_Init")[0]["span"], 1, "first span")
for rank in (zero, one):
    spans = [r["span"] for r in rank.spans()]
    check(spans, sorted(spans), "order of spans")
    check([r for r in rank.spans() if not r["caller"]], [], "spans without a caller")
    check(len(rank.of("MpiFinalized")), 1, "MpiFinalized")
    check(rank.of("ProcessEnd")[0]["reason"], "finished", "end of the process")

# Messages and bytes per direction.
messages = {0: [0, 0], 1: [0, 0]}
for me, rank in enumerate((zero, one)):
    for r in rank.of("MpiPointToPoint") + rank.of("MpiSendReceive"):
        if "recv" in r["function"].lower() and r["function"] not in ("MPI_Sendrecv",
                                                                     "MPI_Sendrecv_replace"):
            continue
        if r["world_peer"] is not None and not r["flags"] & FAILED:
            messages[me][0] += 1
            messages[me][1] += r["bytes"]
check(messages[0], [5 + 1 + 1 + 1 + 2 + 3 + 6, 600 + 56 + 9 + 12 + 44 + 24 + 156 + 6 * 32], "0 to 1")
check(messages[1], [1 + 2, 4 + 48 + 24], "1 to 0")
finish()
