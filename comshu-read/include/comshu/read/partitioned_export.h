// A capture as Parquet for engines that read many files at once: Spark, Trino, ClickHouse, DuckDB.
#ifndef COMSHU_READ_PARTITIONED_EXPORT_H_
#define COMSHU_READ_PARTITIONED_EXPORT_H_

#include <cstdint>
#include <string>

#include "comshu/read/database.h"

namespace comshu::read {

// Writes every table and view into a folder of its own in `path`, which must not exist or be empty:
//
//   path/span/rank_group=0/part-0.parquet         ranks 0 to group_ranks - 1, in order of time
//   path/artifact/part-0.parquet                  a table without ranks
//   path/register-{spark,trino,clickhouse}.sql    the statements that make tables of them there
//   path/_columns.parquet                         tables, columns and their types, for comshu
//   path/capture.json                             what `source`, the folder it was, says of the run
//
// Numbers are signed, as not all these engines know others: those of 32 bits and less become wider, those of
// 64 keep their bits. A table is written unordered first, then folder by folder in order, so memory holds
// no more than DuckDB needs to sort a folder; that much disk is used twice for the largest table.
bool ExportPartitioned(Database* database, const std::string& path, uint32_t group_ranks,
                       std::string* error, const std::string& source = "");

bool IsPartitionedExport(const std::string& path);

// Makes a view of each table, with the types it had.
bool OpenPartitionedExport(Database* database, const std::string& path, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_PARTITIONED_EXPORT_H_
