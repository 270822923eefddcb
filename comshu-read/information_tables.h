// What is small in a capture, as ordinary tables.
#ifndef COMSHU_READ_INFORMATION_TABLES_H_
#define COMSHU_READ_INFORMATION_TABLES_H_

#include <duckdb.h>

#include <string>

#include "comshu/read/capture.h"

namespace comshu::read {

// Makes and fills capture, process, rank, thread, note, artifact, source, enum_value, record_type,
// record_column, open_span and problem. False and DuckDB's text in `error` if it refuses.
bool MakeInformationTables(duckdb_connection connection, const Capture& capture,
                           std::string* error);

// Table problem anew, with what has been found since.
bool RefillProblems(duckdb_connection connection, const Capture& capture, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_INFORMATION_TABLES_H_
