// Statements that make tables of an export: of a partitioned one in engines that read many files at once, of a
// folder of CSV, which holds no types, in DuckDB.
//
// Tables go into a database of the export's own, comshu_ and the name of its folder, and replace those that
// are there under the same names: what was registered before from a folder of that name is not what the
// statements are about. Files are never touched. What else an engine must be told is in the comments
// at the head of each text.
#ifndef COMSHU_READ_REGISTER_STATEMENTS_H_
#define COMSHU_READ_REGISTER_STATEMENTS_H_

#include <string>
#include <vector>

#include "exported_table.h"

namespace comshu::read {

// `path`: the export's folder, absolute, without a slash at its end.
std::string DatabaseName(const std::string& path);
std::string DuckDbStatements(const std::vector<ExportedTable>& tables, const std::string& path);
std::string SparkStatements(const std::vector<ExportedTable>& tables, const std::string& path);
std::string TrinoStatements(const std::vector<ExportedTable>& tables, const std::string& path);
std::string ClickHouseStatements(const std::vector<ExportedTable>& tables, const std::string& path);

}  // namespace comshu::read

#endif  // COMSHU_READ_REGISTER_STATEMENTS_H_
