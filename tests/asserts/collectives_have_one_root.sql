-- All members of a collective name the same root.
SELECT instance, comm, min(root) AS least, max(root) AS most FROM collective
WHERE comm_rank IS NOT NULL GROUP BY ALL HAVING count(DISTINCT root) > 1
