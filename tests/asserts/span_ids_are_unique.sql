-- No two calls have one id.
SELECT span_id, count(*) AS spans FROM span GROUP BY span_id HAVING count(*) > 1
