-- No two calls have one id.
SELECT span_id, count(*) AS spans FROM span
-- Neighbours are looked at together first: a mark for each id is far less than an entry for each.
WHERE span_id // 64 IN (SELECT span_id // 64 AS page FROM span GROUP BY page
    HAVING count(*) > bit_count(bit_or(1::HUGEINT << (span_id % 64)::INTEGER)))
GROUP BY span_id HAVING count(*) > 1
