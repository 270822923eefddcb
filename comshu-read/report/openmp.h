// What the report says of OpenMP, and where the rest is.
#ifndef COMSHU_READ_REPORT_OPENMP_H_
#define COMSHU_READ_REPORT_OPENMP_H_

#include "report/page.h"

namespace comshu::read {

// Whether all that was recorded of the run is its OpenMP.
bool IsOpenmpAlone(const Report& report);

// Nothing of a run without OpenMP.
void RenderOpenmp(const Report& report, Page* page);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_OPENMP_H_
