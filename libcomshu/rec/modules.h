// What is mapped into this process: turns addresses into positions in files, later.
#ifndef COMSHU_REC_MODULES_H_
#define COMSHU_REC_MODULES_H_

#include <cstdint>
#include <vector>

#include "definitions.h"

namespace comshu::rec {

// Problem: a program opens and closes shared objects while it runs. Idea: the loader counts both;
// when its count has changed, the executable mappings not yet told become definitions. Cost: about
// 1 us where nothing has changed, else a walk over all objects. Not thread-safe: the caller has a lock.
class Modules {
public:
    void Refresh(Definitions* definitions);

private:
    unsigned long long changes_ = 0;
    std::vector<uint64_t> told_;  // Hash of (begin, end, path) of each.
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_MODULES_H_
