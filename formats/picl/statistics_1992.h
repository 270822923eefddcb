// The sums at the end of a file of MPICL, compared with what its records say.
#ifndef COMSHU_FORMATS_PICL_STATISTICS_1992_H_
#define COMSHU_FORMATS_PICL_STATISTICS_1992_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "picl/line_1992.h"

namespace comshu::format::picl {

// MPICL counts by itself what it traces, so its sums are a check of a reader, and of a file that was
// cut. Holds a number per processor and event.
class Statistics1992 {
public:
    void Count(int64_t processor, int32_t event) { ++sums_[{processor, event}].count; }
    void AddTime(int64_t processor, int32_t event, int64_t ns) {
        sums_[{processor, event}].ns += static_cast<double>(ns);
    }
    void AddSent(int64_t processor, int32_t event, int64_t bytes) {
        sums_[{processor, event}].sent += static_cast<double>(bytes);
    }
    void AddReceived(int64_t processor, int32_t event, int64_t bytes) {
        sums_[{processor, event}].received += static_cast<double>(bytes);
    }
    // A record of statistics of the file.
    void Compare(const Line1992& line);

    // What came out, in words; empty: the file has no statistics.
    std::string Summary() const;

private:
    struct Sums {
        int64_t count = 0;
        double ns = 0;
        double sent = 0;
        double received = 0;
    };
    void Check(const char* what, int64_t processor, int64_t event, double in_file, double ours,
               double tolerance);

    std::map<std::pair<int64_t, int64_t>, Sums> sums_;
    uint64_t agree_ = 0;
    uint64_t differ_ = 0;
    std::string differences_;  // The first ones.
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_STATISTICS_1992_H_
