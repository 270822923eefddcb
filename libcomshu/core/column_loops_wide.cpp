// Compiled with -mavx2 -mbmi2 where there are such.
#include "column_loops_body.h"

namespace comshu::core {

const ColumnLoops kWideColumnLoops = kLoops;

}  // namespace comshu::core
