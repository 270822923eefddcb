-- A call lies inside the span that it happened in, on the same thread.
SELECT s.span_id, s.parent_id, s.rank, s.name
FROM span p JOIN (SELECT * FROM span WHERE parent_id IS NOT NULL) s ON p.span_id = s.parent_id
WHERE s.process_id = p.process_id AND s.thread = p.thread
    AND (s.begin_ns < p.begin_ns OR s.end_ns > p.end_ns)
