-- Nobody leaves a barrier or an all-to-all before all have come: else the clocks differ.
SELECT instance, name, min(end_ns) AS first_left_ns, max(begin_ns) AS last_came_ns FROM collective
WHERE collective_shape(name) IN ('barrier', 'NxN') GROUP BY ALL HAVING min(end_ns) < max(begin_ns)
