// Queries that sort more than fits in memory.
#ifndef COMSHU_FORMATS_SORT_SPACE_H_
#define COMSHU_FORMATS_SORT_SPACE_H_

#include <filesystem>
#include <string>

#include "comshu/read/database.h"
#include "comshu/read/pending_file.h"

namespace comshu::format {

// While it lives DuckDB spills to a folder beside `path` what does not fit in memory.
class SortSpace {
public:
    SortSpace(read::Database* database, const std::string& path) : folder_(Beside(path)) {
        std::string ignored;
        database->Execute("SET temp_directory = " + read::SqlText(folder_.part()), &ignored);
    }
    SortSpace(const SortSpace&) = delete;
    SortSpace& operator=(const SortSpace&) = delete;

private:
    // There is no room beside a pipe or device.
    static std::string Beside(const std::string& path) {
        namespace fs = std::filesystem;
        const read::PendingFile file(path);
        return (file.in_place() ? (fs::temp_directory_path() / "comshu").string() : path) + ".sort";
    }

    read::PendingFile folder_;  // Never committed: it goes when this does.
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_SORT_SPACE_H_
