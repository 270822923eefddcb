// Captures as trace files of other programs.
#ifndef COMSHU_FORMAT_EXPORT_H_
#define COMSHU_FORMAT_EXPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::format {

struct ExportResult {
    uint64_t records = 0;  // Of the file.
    // What the target cannot hold, with how often: left out or changed.
    std::vector<std::string> remarks;

    // Adds a remark: how often, of what (one or many), and `rest`; nothing when it never happened.
    void Say(uint64_t count, const std::string& one, const std::string& many,
             const std::string& rest = "");
};

enum class PiclForm {
    kAsImported,  // As it was imported; of other captures, compact.
    kCompact,
    kVerbose,
    k1992,
};

// Each writes one file, which appears when it is whole; false and a reason otherwise. From an export folder,
// too, if it is one of all tables.
bool ExportPicl(read::Database* database, const std::string& path, PiclForm form,
                ExportResult* result, std::string* error);
bool ExportChrome(read::Database* database, const std::string& path, ExportResult* result,
                  std::string* error);
bool ExportPerfetto(read::Database* database, const std::string& path, ExportResult* result,
                    std::string* error);
// Writes FILE.pcf and FILE.row beside FILE.prv.
// The files that a trace consists of: `path`, and those beside it.
std::vector<std::string> ParaverFiles(const std::string& path);
bool ExportParaver(read::Database* database, const std::string& path, ExportResult* result,
                   std::string* error);
// A folder that does not exist yet.
bool ExportOtf2(read::Database* database, const std::string& folder, ExportResult* result,
                std::string* error);

}  // namespace comshu::format

#endif  // COMSHU_FORMAT_EXPORT_H_
