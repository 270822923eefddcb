-- In a run that ended by itself, of which nothing was lost, all members of a communicator that were recorded come to a collective, and to the same one.
SELECT i.instance, i.comm, i.calls, i.names, m.members FROM (
    SELECT instance, comm, count(*) AS calls, count(DISTINCT name) AS names FROM collective
    GROUP BY ALL) i
LEFT JOIN (SELECT comm, count(DISTINCT rank) AS members FROM mpi_comm WHERE remote_members IS NULL
    GROUP BY comm) m ON m.comm = i.comm
WHERE (i.names > 1 OR i.calls < m.members)
    AND NOT EXISTS (SELECT 1 FROM rank WHERE lost > 0 OR state <> 'finished')
