// Queries that sort more than fits in memory.
#ifndef COMSHU_FORMATS_SORT_SPACE_H_
#define COMSHU_FORMATS_SORT_SPACE_H_

#include <unistd.h>

#include <filesystem>
#include <string>

#include "comshu/read/database.h"

namespace comshu::format {

// While it lives DuckDB sorts in bounded memory and spills to a folder beside `path`.
class SortSpace {
public:
    SortSpace(read::Database* database, const std::string& path)
        : folder_(path + "." + std::to_string(getpid()) + ".sort") {
        std::string ignored;
        database->Execute("SET temp_directory = " + read::SqlText(folder_), &ignored);
        database->Execute("SET memory_limit = '2GB'", &ignored);
    }
    ~SortSpace() {
        std::error_code code;
        std::filesystem::remove_all(folder_, code);
    }
    SortSpace(const SortSpace&) = delete;
    SortSpace& operator=(const SortSpace&) = delete;

private:
    std::string folder_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_SORT_SPACE_H_
