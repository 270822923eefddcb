-- No more is received than was sent.
SELECT send_rank, recv_rank, comm, tag, bytes, recv_bytes FROM message WHERE recv_bytes > bytes
