-- In a run that ended by itself, of which nothing was lost, each send and each receive has its partner.
SELECT * FROM unmatched WHERE why IN ('no receive', 'no send', 'open')
    AND NOT EXISTS (SELECT 1 FROM rank WHERE lost > 0 OR state <> 'finished')
