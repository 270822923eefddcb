#include <nlohmann/json.hpp>

#include "comshu/read/report.h"

namespace comshu::read {
namespace {

using nlohmann::json;

json Clocks(const Report::Clocks& clocks) {
    if (clocks.clocks < 2) return nullptr;
    return {{"clocks", clocks.clocks},
            {"measured", clocks.measured},
            {"choice", clocks.choice},
            {"bound_ns", clocks.bound_ns},
            {"messages_backward_before", clocks.messages_before},
            {"messages_backward", clocks.messages},
            {"collectives_left_early_before", clocks.collectives_before},
            {"collectives_left_early", clocks.collectives}};
}

json Facts(const Report::Facts& facts) {
    return {{"paths", facts.paths},
            {"command", facts.command},
            {"library", facts.library},
            {"ending", facts.ending},
            {"launcher", facts.launcher.empty() ? json() : json(facts.launcher)},
            {"hosts", facts.hosts},
            {"start_realtime_ns", facts.start_realtime_ns},
            {"duration_ns", facts.duration_ns},
            {"ranks", facts.ranks},
            {"ranks_elsewhere", facts.ranks_elsewhere},
            {"threads", facts.threads},
            {"calls", facts.calls},
            {"regions", facts.regions},
            {"recorded", facts.recorded},
            {"lost", facts.lost},
            {"damaged", facts.is_damaged},
            {"cut_ranks", facts.cut_ranks},
            {"bytes", facts.bytes},
            {"clocks", Clocks(facts.clocks)},
            {"unfinished_ranks", facts.unfinished}};
}

json Ranks(const Report& report) {
    json rows = json::array();
    for (const Report::RankTime& rank : report.ranks) {
        rows.push_back({{"rank", rank.rank},
                        {"host", rank.host},
                        {"state", rank.state},
                        {"calls", rank.calls},
                        {"mpi_ns", rank.mpi_ns},
                        {"init_ns", rank.init_ns},
                        {"openmp_wait_ns", rank.openmp_wait_ns},
                        {"total_ns", rank.total_ns},
                        {"sent_bytes", rank.sent_bytes},
                        {"collective_wait_ns", rank.collective_wait_ns},
                        {"came_last", rank.came_last}});
    }
    return rows;
}

void AddSource(const Report::Source& source, json* row) {
    const bool known = !source.text.empty();
    (*row)["source"] = known ? json(source.text) : json();
    (*row)["file"] = known ? json(source.file) : json();
    (*row)["line"] = known ? json(source.line) : json();
}

json Calls(const Report& report) {
    json rows = json::array();
    for (const Report::Call& call : report.calls) {
        json row = {{"layer", call.layer},
                    {"name", call.name},
                    {"count", call.count},
                    {"time_ns", call.ns},
                    {"bytes", call.bytes}};
        AddSource(call.source, &row);
        if (!call.has_bytes) row["bytes"] = nullptr;
        rows.push_back(row);
    }
    return rows;
}

json Places(const std::vector<Report::Openmp::Place>& places) {
    json rows = json::array();
    for (const Report::Openmp::Place& place : places) {
        rows.push_back({{"name", place.name}, {"count", place.count}, {"time_ns", place.ns}});
        AddSource(place.source, &rows.back());
    }
    return rows;
}

json Stands(const Report& report) {
    json rows = json::array();
    for (const Report::Stand& stand : report.stands) {
        json row = {{"rank", stand.rank},          {"thread", stand.thread},
                    {"call", stand.name},          {"detail", stand.detail},
                    {"begin_ns", stand.begin_ns},  {"for_ns", stand.for_ns},
                    {"waits_for", stand.waits_for}};
        if (stand.name.empty()) row["call"] = nullptr;
        if (!stand.failed.empty()) row["failed"] = stand.failed;
        AddSource(stand.source, &row);
        rows.push_back(row);
    }
    return rows;
}

json LateSenders(const Report::LateSenders& late) {
    json row = {
        {"calls", late.calls}, {"wait_ns", late.ns}, {"call", nullptr}, {"source", nullptr}};
    if (!late.name.empty()) row["call"] = late.name;
    if (!late.source.empty()) row["source"] = late.source;
    return row;
}

}  // namespace

std::string ReportJson(const Report& report) {
    json pairs = json::array();
    for (const Report::Pair& pair : report.pairs) {
        pairs.push_back({{"from", pair.from},
                         {"to", pair.to},
                         {"messages", pair.messages},
                         {"bytes", pair.bytes}});
        if (!pair.has_bytes) pairs.back()["bytes"] = nullptr;
    }
    json sizes = json::array();
    for (const Report::Size& size : report.sizes) {
        // From this size up to twice it; empty messages: 0.
        const uint64_t from = size.exponent < 0 ? 0 : uint64_t{1} << size.exponent;
        sizes.push_back({{"from_bytes", from}, {"messages", size.messages}, {"bytes", size.bytes}});
    }
    json warnings = json::array();
    for (const Report::Warning& warning : report.warnings) {
        warnings.push_back({{"kind", warning.kind}, {"text", warning.text}});
    }
    json failures = json::array();
    for (const Report::Failure& failure : report.failures) {
        failures.push_back({{"rank", failure.rank},
                            {"signal", failure.signal},
                            {"exit_code", failure.exit_code},
                            {"end_ns", failure.end_ns}});
    }
    const json openmp = {{"regions", Places(report.openmp.regions)},
                         {"waits", Places(report.openmp.waits)}};
    const json all = {{"run", Facts(report.facts)},
                      {"ranks", Ranks(report)},
                      {"openmp", openmp},
                      {"calls", Calls(report)},
                      {"messages", pairs},
                      {"sizes", sizes},
                      {"late_senders", LateSenders(report.late_senders)},
                      {"failures", failures},
                      {"stands", Stands(report)},
                      {"deadlocks", report.deadlocks},
                      {"waits_for_gone", report.waits_for_gone},
                      {"near_misses", report.near_misses},
                      {"warnings", warnings}};
    return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace comshu::read
