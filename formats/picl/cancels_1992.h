// Events of MPI_Cancel in PICL files of 1992.
#ifndef COMSHU_FORMATS_PICL_CANCELS_1992_H_
#define COMSHU_FORMATS_PICL_CANCELS_1992_H_

#include <cstdint>
#include <string>
#include <unordered_map>

#include "comshu/read/database.h"

namespace comshu::format::picl {

// MPI cancels whatever a request stands for, and the format has an event for each kind of it: the call that
// made the request tells. Holds a number per call of MPI_Cancel.
class Cancels1992 {
public:
    bool Load(read::Database* database, std::string* error);
    // Of the call `span`; `event` if it is none, or its request is not known.
    int32_t EventOf(uint64_t span, int32_t event) const {
        const auto found = events_.find(span);
        return found == events_.end() ? event : found->second;
    }

private:
    std::unordered_map<uint64_t, int32_t> events_;
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_CANCELS_1992_H_
