-- The thread of each call is in the table of threads.
SELECT process_id, thread, count(*) AS spans FROM span
ANTI JOIN thread USING (process_id, thread) GROUP BY ALL
