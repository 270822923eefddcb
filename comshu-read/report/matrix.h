// The table of messages between ranks.
#ifndef COMSHU_READ_REPORT_MATRIX_H_
#define COMSHU_READ_REPORT_MATRIX_H_

#include "report/page.h"

namespace comshu::read {

// Numbers for few ranks; for many a map of shades, by groups of neighbouring ranks where they do not
// fit the width.
void RenderMatrix(const Report& report, Page* page);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_MATRIX_H_
