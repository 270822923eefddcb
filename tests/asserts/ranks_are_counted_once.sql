-- Each rank has one row.
SELECT rank, count(*) AS rows FROM rank GROUP BY rank HAVING count(*) > 1
