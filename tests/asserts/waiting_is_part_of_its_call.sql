-- Waiting is longer than nothing and no longer than its call.
SELECT span_id, kind, rank, wait_ns, call_ns FROM wait_state WHERE wait_ns <= 0 OR wait_ns > call_ns
