-- A call ends no earlier than it began.
SELECT span_id, rank, name, begin_ns, end_ns FROM span WHERE end_ns < begin_ns
