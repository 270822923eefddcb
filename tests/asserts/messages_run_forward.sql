-- A message arrives no earlier than it is sent.
SELECT send_rank, recv_rank, comm, tag, send_begin_ns, recv_end_ns FROM message
WHERE recv_end_ns < send_begin_ns
