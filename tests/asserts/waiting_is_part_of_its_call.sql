-- Waiting is longer than nothing and no longer than its call.
SELECT w.span_id, w.kind, w.rank, w.wait_ns, s.duration_ns FROM wait_state w
LEFT JOIN span s ON s.span_id = w.span_id
WHERE w.wait_ns <= 0 OR w.wait_ns > s.duration_ns OR s.span_id IS NULL
