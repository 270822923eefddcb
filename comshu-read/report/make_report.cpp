#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/core.h>

#include "report/parts.h"
#include "report/queries.h"

namespace comshu::read {

bool RunReportQuery(const ReportInput& input, std::string_view name, std::string* error,
                    const std::function<void(const Query& query)>& row) {
    constexpr std::string_view kEnd = "$end";
    std::string sql = ReportSql(name);
    for (size_t at; (at = sql.find(kEnd)) != sql.npos;) {
        sql.replace(at, kEnd.size(), std::to_string(input.end_ns));
    }
    Query query;
    if (!query.Run(input.database, sql, error, RowCount::kFew)) {
        *error = fmt::format("query {} of the report: {}", name, *error);
        return false;
    }
    while (query.Next()) row(query);
    if (query.error().empty()) return true;
    *error = fmt::format("query {} of the report: {}", name, query.error());
    return false;
}

Report::Source SourceOf(const Query& query, size_t file, size_t line) {
    if (query.IsNull(file) || query.IsNull(line)) return {};
    Report::Source source;
    source.file = query.Text(file);
    source.line = query.Integer(line);
    source.text =
        fmt::format("{}:{}", std::filesystem::path(source.file).filename().string(), source.line);
    return source;
}

namespace {

Report::RankTime* FindRank(Report* report, int64_t rank) {
    const auto found = std::find_if(report->ranks.begin(), report->ranks.end(),
                                    [&](const auto& time) { return time.rank == rank; });
    return found == report->ranks.end() ? nullptr : &*found;
}

bool MakeRanks(const ReportInput& input, Report* report, std::string* error) {
    const auto rank = [&](const Query& query) {
        Report::RankTime time;
        time.rank = static_cast<int32_t>(query.Integer(0));
        time.host = query.Text(1);
        time.state = query.Text(2);
        time.mpi_ns = query.Integer(3);
        time.calls = query.Unsigned(4);
        time.total_ns = query.Integer(5);
        time.init_ns = query.Integer(6);
        time.openmp_wait_ns = query.Integer(7);
        time.boot_id = query.Text(8);
        report->ranks.push_back(time);
    };
    if (!RunReportQuery(input, "rank_time", error, rank)) return false;
    if (!input.was_cut) return true;
    return RunReportQuery(input, "open_time", error, [&](const Query& query) {
        Report::RankTime* time = FindRank(report, query.Integer(0));
        if (time == nullptr) return;
        time->mpi_ns += query.Integer(1);
        time->openmp_wait_ns += query.Integer(2);
        time->total_ns = std::max(time->total_ns, time->mpi_ns);
    });
}

bool MakeOpenmp(const ReportInput& input, Report* report, std::string* error) {
    const auto to = [](std::vector<Report::Openmp::Place>* places) {
        return [places](const Query& query) {
            places->push_back(
                {query.Text(0), SourceOf(query, 1, 2), query.Unsigned(3), query.Integer(4)});
        };
    };
    // Programs of MPI alone are spared a pass over all their calls.
    if (report->facts.spans == report->facts.mpi_spans) return true;
    return RunReportQuery(input, "openmp_regions", error, to(&report->openmp.regions)) &&
           RunReportQuery(input, "openmp_waits", error, to(&report->openmp.waits));
}

bool MakeCalls(const ReportInput& input, Report* report, std::string* error) {
    const char* const unclosed = input.was_cut ? "unclosed" : "closed";
    if (!RunReportQuery(input, unclosed, error, [](const Query&) {})) return false;
    return RunReportQuery(input, "calls", error, [&](const Query& query) {
        Report::Call call;
        call.layer = query.Text(0);
        call.name = query.Text(1);
        call.source = SourceOf(query, 2, 3);
        call.count = query.Unsigned(4);
        call.ns = query.Integer(5);
        call.has_bytes = !query.IsNull(6);
        call.bytes = query.Unsigned(6);
        report->calls.push_back(call);
    });
}

bool MakeMessages(const ReportInput& input, Report* report, std::string* error) {
    const auto pair = [&](const Query& query) {
        report->pairs.push_back({static_cast<int32_t>(query.Integer(0)),
                                 static_cast<int32_t>(query.Integer(1)), query.Unsigned(2),
                                 query.Unsigned(3), !query.IsNull(3)});
        Report::RankTime* sender = FindRank(report, query.Integer(0));
        if (sender != nullptr) sender->sent_bytes += query.Unsigned(3);
    };
    const auto size = [&](const Query& query) {
        report->sizes.push_back(
            {static_cast<int>(query.Integer(0)), query.Unsigned(1), query.Unsigned(2)});
    };
    const auto wait = [&](const Query& query) {
        Report::RankTime* time = FindRank(report, query.Integer(0));
        if (time == nullptr) return;
        time->collective_wait_ns = query.Integer(1);
        time->came_last = query.Unsigned(2);
    };
    const auto late = [&](const Query& query) {
        Report::LateSenders& all = report->late_senders;
        if (all.calls == 0) {
            all.name = query.Text(0);
            all.source = std::filesystem::path(query.Text(1)).filename().string();
            all.most_ns = query.Integer(3);
        }
        all.calls += query.Unsigned(2);
        all.ns += query.Integer(3);
    };
    // An export folder of an older version has no such view.
    std::string ignored;
    RunReportQuery(input, "late_senders", &ignored, late);
    return RunReportQuery(input, "pairs", error, pair) &&
           RunReportQuery(input, "sizes", error, size) &&
           RunReportQuery(input, "collective_wait", error, wait);
}

}  // namespace

bool MakeReport(Database* database, const std::vector<std::string>& paths, Report* report,
                std::string* error) {
    ReportInput input;
    input.database = database;
    input.paths = paths;
    *report = Report{};
    return RunReportQuery(input, "call_sums", error, [](const Query&) {}) &&
           MakeFacts(&input, report, error) && MakeRanks(input, report, error) &&
           MakeOpenmp(input, report, error) && MakeCalls(input, report, error) &&
           MakeMessages(input, report, error) && MakeStands(input, report, error) &&
           database->CheckAll(error) && MakeWarnings(input, report, error);
}

}  // namespace comshu::read
