// Prints the records of PICL files.
#ifndef COMSHU_FORMATS_PICL_LINE_WRITER_H_
#define COMSHU_FORMATS_PICL_LINE_WRITER_H_

#include <cstdint>
#include <string_view>

#include "picl/old_line.h"
#include "text/file_output.h"

namespace comshu::format::picl {

// One line of the old format. `line.text` stands behind the fields.
void PrintOldLine(const OldLine& line, bool verbose, FileOutput* out);

// Seconds with this many digits behind the point, 9 at most; the rest is cut.
void PrintSeconds(int64_t ns, int decimals, FileOutput* out);

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_LINE_WRITER_H_
