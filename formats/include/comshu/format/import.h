// Trace files of other programs as a capture.
#ifndef COMSHU_FORMAT_IMPORT_H_
#define COMSHU_FORMAT_IMPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace comshu::format {

// Something about a file that a user should know. `line` 0: of no line; `column` 0: of the whole line.
struct Problem {
    uint64_t line = 0;
    uint32_t column = 0;
    std::string text;
};

// FILE, FILE:LINE or FILE:LINE:COLUMN.
std::string ProblemPlace(const std::string& path, const Problem& problem);

// One file of an import.
struct ImportedFile {
    std::string path;
    std::string format;  // As `comshu import` names it.
    uint64_t bytes = 0;
    uint64_t lines = 0;
    uint64_t records = 0;
    uint64_t unknown = 0;           // Records without a meaning: kept.
    uint64_t illegal = 0;           // Lines that are no record: left out.
    std::vector<Problem> problems;  // The first ones; more were counted.
    uint64_t problem_count = 0;
    std::vector<std::string> remarks;  // What it found out: sums that agree, clocks, ...
};

struct ImportResult {
    std::vector<ImportedFile> files;
    uint64_t ranks = 0;
    uint64_t recorded = 0;
};

struct ImportOptions {
    // Called now and then with what part of the files is read, 0 to 1.
    std::function<void(double)> progress;
    // True when the user wants to stop.
    std::function<bool()> stopped;
    // Bytes of texts that are kept in memory, here and in who reads the capture; lines of PICL beyond it
    // become records. 0: 64 MiB.
    uint64_t text_budget = 0;
};

// The formats that can be imported, for help texts.
const char* ImportFormats();

// Writes a capture at `folder`, which must not exist. The format of each file is found from its content.
// Several files are the parts of one PICL trace. False and a reason if nothing can be imported, or it
// was stopped: then nothing is left at `folder`.
bool Import(const std::vector<std::string>& paths, const std::string& folder,
            const ImportOptions& options, ImportResult* result, std::string* error);

}  // namespace comshu::format

#endif  // COMSHU_FORMAT_IMPORT_H_
