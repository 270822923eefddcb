-- A call lies inside the span that it happened in, on the same thread.
-- Asked by span first, from the first begin to the last end inside of it: those are fewer than the calls.
SELECT s.span_id, s.parent_id, s.rank, s.name
FROM span s JOIN (
    SELECT p.span_id, p.process_id, p.thread, p.begin_ns, p.end_ns
    FROM span p JOIN (SELECT parent_id, process_id, thread, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns
        FROM span WHERE parent_id IS NOT NULL GROUP BY parent_id, process_id, thread) c
    ON p.span_id = c.parent_id AND p.process_id = c.process_id AND p.thread = c.thread
    WHERE c.begin_ns < p.begin_ns OR c.end_ns > p.end_ns) p
ON s.parent_id = p.span_id
WHERE s.process_id = p.process_id AND s.thread = p.thread
    AND (s.begin_ns < p.begin_ns OR s.end_ns > p.end_ns)
