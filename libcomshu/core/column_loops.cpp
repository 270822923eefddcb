#include "column_loops_body.h"

namespace comshu::core {

const ColumnLoops kPlainColumnLoops = kLoops;

const ColumnLoops& BestColumnLoops() {
#if defined(__x86_64__)
    static const bool has_wide =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
    return has_wide ? kWideColumnLoops : kPlainColumnLoops;
#else
    return kPlainColumnLoops;
#endif
}

}  // namespace comshu::core
