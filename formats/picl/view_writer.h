// Any capture as a PICL file, from the neutral views.
#ifndef COMSHU_FORMATS_PICL_VIEW_WRITER_H_
#define COMSHU_FORMATS_PICL_VIEW_WRITER_H_

#include <cstdint>
#include <map>
#include <string>

#include "comshu/format/export.h"
#include "sort_space.h"
#include "text/file_output.h"

namespace comshu::format::picl {

// What has a name in a capture and a number in PICL: regions, marks.
using Numbers = std::map<std::string, int64_t>;

// What the capture was imported from, if that is the other format of PICL: its marks are taken from there.
enum class PiclSource : uint8_t { kViews, kOld, k1992 };

// What a view writer needs. `space`: for what does not fit in memory.
struct ViewExport {
    read::Database* database;
    const SortSpace* space;
    Numbers numbers;
    FileOutput* out;
    ExportResult* result;
    PiclSource source = PiclSource::kViews;
};

// `form`: not kAsImported means compact. False and a reason when a query or a file fails.
bool WriteViews(read::Database* database, const SortSpace& space, PiclForm form, FileOutput* out,
                ExportResult* result, std::string* error);

// In the form before 1992, and in that of 1992.
bool WriteOldViews(const ViewExport& what, bool verbose, std::string* error);
bool Write1992Views(const ViewExport& what, std::string* error);

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_VIEW_WRITER_H_
