// How the rows that matching found lie in files.
#ifndef COMSHU_READ_VIEWS_LINK_FILES_H_
#define COMSHU_READ_VIEWS_LINK_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

// A table of links. `order` is total: equal rows are the same. The time that comes first in it is
// that of TimeOf below.
struct LinkTable {
    const char* name;
    const char* function;
    const char* time;
    const char* order;
};
inline constexpr LinkTable kLinkTables[] = {
    {"message", "matched_message", "least(send_begin_ns, recv_begin_ns)",
     "send_span, recv_span, comm, tag, send_rank, recv_rank, bytes, recv_bytes, send_begin_ns, "
     "recv_begin_ns, send_done_ns, recv_end_ns, send_done_span, recv_done_span, send_end_ns, "
     "send_done_begin_ns, recv_done_begin_ns"},
    {"unmatched", "matched_none", "begin_ns", "span_id, side, comm, rank, peer, tag, bytes, why"},
    {"collective", "matched_collective", "begin_ns",
     "instance, rank, span_id, end_ns, comm, name, root, bytes_in, bytes_out, comm_rank"},
};

// Of a message the first of its two calls; kNoTime: not known.
int64_t TimeOf(const MessageRow& row);
int64_t TimeOf(const UnmatchedRow& row);
int64_t TimeOf(const CollectiveRow& row);

// Problem: a table should be files of about equal size, each with a stretch of time, the same ones whoever
// writes them and before all rows are in one place. Idea: the time of the capture is cut into bins; who
// has rows counts them, and from the sums follows which bins a file has. Rows without a time are
// in the last bin.
class LinkBins {
public:
    static constexpr size_t kBins = 65536;

    explicit LinkBins(const Capture& capture);

    size_t BinOf(int64_t time) const;

private:
    int64_t first_ = 0;
    uint64_t width_ = 1;
};

// The file of each bin; files are numbered from 0 in order of time and hold `rows_per_file`, or fewer, or
// one bin.
std::vector<uint32_t> FilesOfBins(const std::vector<uint64_t>& rows_of_bins,
                                  uint64_t rows_per_file);

// Its name in the folder of links.
std::string LinkFileName(const char* table, uint32_t number, uint32_t count);

// Writes the rows of the table, in order. `execute` runs a statement.
using Execute = std::function<bool(const std::string& sql, std::string* error)>;
bool WriteLinkFile(const Execute& execute, const LinkTable& table, const std::string& path,
                   std::string* error);

// The files of a table in a folder of links, in order; none: there are not all of them.
std::vector<std::string> LinkFiles(const std::string& folder, const char* table);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_LINK_FILES_H_
