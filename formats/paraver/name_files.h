// The file beside a Paraver trace that says what its numbers mean.
#ifndef COMSHU_FORMATS_PARAVER_NAME_FILES_H_
#define COMSHU_FORMATS_PARAVER_NAME_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "text/file_output.h"

namespace comshu::format::paraver {

// Functions of MPI that only this trace has a value for.
struct OwnEvent {
    int64_t type;
    int64_t value;
    std::string name;
};

// FILE.pcf: states, event types and their values. `regions`: from number 1 on. Names fit in lines.
void WriteNames(const std::vector<OwnEvent>& own, const std::vector<std::string>& regions,
                FileOutput* out);

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_NAME_FILES_H_
