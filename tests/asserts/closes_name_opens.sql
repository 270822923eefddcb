-- What is closed was opened before, in the same process: communicators, windows, files, datatypes.
SELECT 'communicator' AS what, c.process_id, c.comm AS id, c.time_ns FROM mpi_comm_close c
ANTI JOIN mpi_comm o ON o.process_id = c.process_id AND o.comm = c.comm AND o.time_ns <= c.time_ns
UNION ALL
SELECT 'window', c.process_id, c."window", c.time_ns FROM mpi_window_close c
ANTI JOIN mpi_window o ON o.process_id = c.process_id AND o."window" = c."window" AND o.time_ns <= c.time_ns
UNION ALL
SELECT 'file', c.process_id, c.file, c.time_ns FROM mpi_file_close c
ANTI JOIN mpi_file o ON o.process_id = c.process_id AND o.file = c.file AND o.time_ns <= c.time_ns
UNION ALL
SELECT 'datatype', c.process_id, c.datatype, c.time_ns FROM mpi_datatype_close c
ANTI JOIN mpi_datatype o ON o.process_id = c.process_id AND o.datatype = c.datatype
    AND o.time_ns <= c.time_ns
