// Any capture as a PICL file, from the neutral views.
#ifndef COMSHU_FORMATS_PICL_VIEW_WRITER_H_
#define COMSHU_FORMATS_PICL_VIEW_WRITER_H_

#include <string>

#include "comshu/format/export.h"
#include "text/file_output.h"

namespace comshu::format::picl {

// `form`: not kAsImported means compact. False and a reason when a query fails.
bool WriteViews(read::Database* database, PiclForm form, FileOutput* out, ExportResult* result,
                std::string* error);

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_VIEW_WRITER_H_
