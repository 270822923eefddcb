-- The span that a call happened in was recorded, unless records of its rank were lost.
SELECT s.span_id, s.parent_id, s.rank, s.name FROM span s
ANTI JOIN span p ON p.span_id = s.parent_id
WHERE s.parent_id IS NOT NULL AND s.rank IN (SELECT rank FROM rank WHERE lost = 0)
