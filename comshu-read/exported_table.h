// A table of a partitioned export, as each engine sees it.
#ifndef COMSHU_READ_EXPORTED_TABLE_H_
#define COMSHU_READ_EXPORTED_TABLE_H_

#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::read {

struct ExportedColumn {
    std::string name;
    std::string type;  // Of DuckDB, in the capture.

    // What stands in the file: a type that all engines know.
    std::string StoredType() const;
    // The column as it stands in the file, and what is in the file as it was; as SQL.
    std::string ToStored() const;
    std::string FromStored() const;
};

struct ExportedTable {
    std::string name;
    std::vector<ExportedColumn> columns;

    bool Has(const char* column) const;
    // The column whose ranks are grouped; null: none.
    const char* rank() const;
    // What rows are ordered by; empty: as they come.
    std::string Order() const;
    // Options of COPY. Encodings are those of Parquet V2, but for tables with floating-point numbers: DuckDB
    // would write these as BYTE_STREAM_SPLIT, which the vectorized readers of many engines refuse.
    const char* ParquetOptions() const;
};

constexpr const char* kRankGroup = "rank_group";

// All tables and views.
bool ListTables(Database* database, std::vector<ExportedTable>* tables, std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_EXPORTED_TABLE_H_
