-- A call lies inside the span that it happened in, on the same thread.
SELECT s.span_id, s.parent_id, s.rank, s.name FROM span s JOIN span p ON p.span_id = s.parent_id
WHERE s.process_id = p.process_id AND s.thread = p.thread
    AND (s.begin_ns < p.begin_ns OR s.end_ns > p.end_ns)
