-- The span that a call happened in was recorded, unless records of its rank were lost.
SELECT s.span_id, s.parent_id, s.rank, s.name FROM span s
ANTI JOIN (SELECT o.span_id FROM span o
    SEMI JOIN (SELECT DISTINCT parent_id FROM span WHERE parent_id IS NOT NULL) c
    ON o.span_id = c.parent_id) p ON p.span_id = s.parent_id
WHERE s.parent_id IS NOT NULL AND s.rank IN (SELECT rank FROM rank WHERE lost = 0)
