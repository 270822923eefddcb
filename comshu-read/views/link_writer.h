// Matches a capture and writes what is found as the files of a folder of links.
#ifndef COMSHU_READ_VIEWS_LINK_WRITER_H_
#define COMSHU_READ_VIEWS_LINK_WRITER_H_

#include <cstdint>
#include <string>

#include "comshu/read/capture.h"

namespace comshu::read {

// Problem: which rows a file has is known when all rows have been seen, and they need not fit in memory.
// Idea: match twice. The first time rows are counted by their bin of time (LinkBins), so it is known how
// many each file has; the second time they gather by file, and a file is written and forgotten with its
// last row. Rows come nearly in order of time, so about two files gather at once. One that a late row
// keeps open goes to disk: at most about twice `rows_per_file` rows of a table are in memory.
// The files are those that any number of processes would write (comshu-link).
bool WriteLinks(const Capture& capture, const std::string& folder, uint64_t rows_per_file,
                std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_LINK_WRITER_H_
