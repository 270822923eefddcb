// A capture as files of other programs: one per table, Parquet or CSV.
#ifndef COMSHU_READ_EXPORT_H_
#define COMSHU_READ_EXPORT_H_

#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::read {

enum class ExportFormat { kParquet, kCsv };

// Writes every table and view into the folder `path`, which must not exist or be empty, as
// <name>.parquet or <name>.csv, with register-duckdb.sql, which says the types of these; with a `table`, that one alone into the file `path`. What was written
// before a failure is removed. Rows keep the order of the table. `source`: the folder that the database was
// opened from; what it says of the run as a whole goes along, as capture.json.
bool Export(Database* database, ExportFormat format, const std::string& path,
            const std::string& table, std::string* error, const std::string& source = "");

// Copies what the folder `source` says of the run, if it does, into the folder `to`.
bool CopyRunDescription(const std::string& source, const std::string& to, std::string* error);

// Names of all tables and views.
std::vector<std::string> TableNames(Database* database, std::string* error);

// Whether this is a folder that Export wrote as Parquet.
bool IsExportFolder(const std::string& path);
// One as CSV, which is for other programs alone.
bool IsCsvFolder(const std::string& path);

// Makes a view of each file of an export folder.
bool OpenExportFolder(Database* database, const std::string& path, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_EXPORT_H_
