// Names of the queries of the report.
#ifndef COMSHU_READ_REPORT_QUERIES_H_
#define COMSHU_READ_REPORT_QUERIES_H_

#include <string_view>

#include "comshu/read/report.h"

namespace comshu::read {

const char* ReportSql(std::string_view name);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_QUERIES_H_
