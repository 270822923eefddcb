// The parts of a report, each made by queries of its own.
#ifndef COMSHU_READ_REPORT_PARTS_H_
#define COMSHU_READ_REPORT_PARTS_H_

#include <functional>
#include <string>
#include <vector>

#include "comshu/read/query.h"
#include "comshu/read/report.h"

namespace comshu::read {

// What the parts are made from, and what the first one found.
struct ReportInput {
    Database* database = nullptr;
    std::vector<std::string> paths;
    int64_t end_ns = 0;    // Of the run, or now if it still runs.
    bool was_cut = false;  // Calls are open, or ranks were killed or are running.
    // By which a rank died as its launcher tells with its exit code; 0: it does not.
    int rank_signal = 0;
};

// Runs a query of ReportQueries and calls `row` for each row; `$end` stands for the end of the run.
bool RunReportQuery(const ReportInput& input, std::string_view name, std::string* error,
                    const std::function<void(const Query& query)>& row);

bool MakeFacts(ReportInput* input, Report* report, std::string* error);
bool MakeStands(const ReportInput& input, Report* report, std::string* error);
bool MakeWarnings(const ReportInput& input, Report* report, std::string* error);

// `file:line` without the folders; empty: not known.
Report::Source SourceOf(const Query& query, size_t file, size_t line);

}  // namespace comshu::read

#endif  // COMSHU_READ_REPORT_PARTS_H_
