// Queries that sort more than fits in memory.
#ifndef COMSHU_FORMATS_SORT_SPACE_H_
#define COMSHU_FORMATS_SORT_SPACE_H_

#include <unistd.h>

#include <filesystem>
#include <string>

#include "comshu/read/database.h"
#include "comshu/read/pending_file.h"

namespace comshu::format {

// Once it is there DuckDB takes no more memory than this, however long the run was, and spills to a folder
// beside `path` what does not fit. Made before the file itself.
// Joins run as they are written, the right side in memory: DuckDB does not know how long our tables are, and
// with their lengths told it took spans for the side that it keeps.
class SortSpace {
public:
    SortSpace(read::Database* database, const std::string& path) : folder_(Beside(path)) {
        std::string ignored;
        database->Execute("SET temp_directory = " + read::SqlText(folder_.part()), &ignored);
        // Less where a machine has little: DuckDB starts with four fifths of what there is.
        if (sysconf(_SC_PHYS_PAGES) > kMemoryBytes / sysconf(_SC_PAGESIZE) * 2)
            database->Execute("SET memory_limit = '4 GiB'", &ignored);
        database->Execute("SET disabled_optimizers = 'join_order,build_side_probe_side'", &ignored);
    }
    // Where else may be put down what does not fit. It need not be there.
    const std::string& folder() const { return folder_.part(); }
    SortSpace(const SortSpace&) = delete;
    SortSpace& operator=(const SortSpace&) = delete;

private:
    static constexpr long kMemoryBytes = long{4} << 30;

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
