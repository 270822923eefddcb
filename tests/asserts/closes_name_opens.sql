-- What is closed was opened before, in the same process: communicators, windows, files, datatypes.
SELECT 'communicator' AS what, c.process_id, c.comm AS id, c.time_ns FROM mpi_comm_close c
-- In a file of CSV the columns of a table without rows have no type.
ANTI JOIN mpi_comm o ON o.process_id::UINTEGER = c.process_id::UINTEGER
    AND o.comm::UBIGINT = c.comm::UBIGINT AND o.time_ns::BIGINT <= c.time_ns::BIGINT
UNION ALL
SELECT 'window', c.process_id, c."window", c.time_ns FROM mpi_window_close c
ANTI JOIN mpi_window o ON o.process_id::UINTEGER = c.process_id::UINTEGER
    AND o."window"::UBIGINT = c."window"::UBIGINT AND o.time_ns::BIGINT <= c.time_ns::BIGINT
UNION ALL
SELECT 'file', c.process_id, c.file, c.time_ns FROM mpi_file_close c
ANTI JOIN mpi_file o ON o.process_id::UINTEGER = c.process_id::UINTEGER
    AND o.file::UBIGINT = c.file::UBIGINT AND o.time_ns::BIGINT <= c.time_ns::BIGINT
UNION ALL
SELECT 'datatype', c.process_id, c.datatype, c.time_ns FROM mpi_datatype_close c
ANTI JOIN mpi_datatype o ON o.process_id::UINTEGER = c.process_id::UINTEGER
    AND o.datatype::UBIGINT = c.datatype::UBIGINT AND o.time_ns::BIGINT <= c.time_ns::BIGINT
