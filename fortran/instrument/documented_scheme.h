#pragma once

#include <string>
#include <vector>

#include "instrument/source_model.h"

namespace comshu::fortran {

// The two include files of the documented scheme, `dbg_vars.h` (the array of handles, scratch, thread
// id) and `dbg_init.h` (the subroutine that registers all context strings). They accumulate from
// source to source; what a source has in them stands between comments that name it, and is
// replaced when that source is instrumented again, at the same place of the array if it still fits.
// Both are valid in fixed and in free form. A lock file keeps parallel runs apart.
class DocumentedScheme {
public:
    explicit DocumentedScheme(std::string directory) : directory_(std::move(directory)) {}
    ~DocumentedScheme();
    DocumentedScheme(const DocumentedScheme&) = delete;
    DocumentedScheme& operator=(const DocumentedScheme&) = delete;

    // Locks and reads the files. Empty, or what went wrong.
    std::string Open();
    // Index in istat_mp of the first handle of a source with so many.
    int Reserve(const std::string& source, std::size_t handles);
    // Writes both files with these context strings of the source.
    std::string Write(const std::string& source, const std::vector<std::string>& contexts,
                      int scratch);

private:
    struct Section {
        std::string source;
        int first = 1;
        int capacity = 0;
        std::vector<std::string> lines;
    };

    Section* Find(const std::string& source);
    void Read(const std::string& text);

    std::string directory_;
    int lock_ = -1;
    int scratch_ = 16;
    std::vector<Section> sections_;
};

// Where the source has names that the two files declare: there its text would not compile.
std::vector<Diagnostic> SchemeClashes(const SourceModel& model);

// A statement on lines that both source forms take; `pieces` are joined, each at most 60 long.
std::vector<std::string> BothForms(const std::vector<std::string>& pieces);

}  // namespace comshu::fortran
