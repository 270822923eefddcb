// Record types as table functions of DuckDB.
#ifndef COMSHU_READ_RECORD_SCAN_H_
#define COMSHU_READ_RECORD_SCAN_H_

#include <duckdb.h>

#include "comshu/read/capture.h"

namespace comshu::read {

// Registers table function `table.name` with named parameters t0_ns, t1_ns (BIGINT) and ranks
// (INTEGER[]). They leave out blocks, not rows: a caller that needs the exact window filters rows as
// well. Capture and table must outlive the connection. False if DuckDB refuses.
bool RegisterRecordScan(duckdb_connection connection, const Capture& capture,
                        const RecordTable& table);

// Name of the type that a column has in SQL.
const char* SqlType(const TableColumn& column);

}  // namespace comshu::read

#endif  // COMSHU_READ_RECORD_SCAN_H_
