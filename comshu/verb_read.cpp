#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/read/report.h"
#include "clock_option.h"
#include "error.h"
#include "follow.h"
#include "number_range.h"
#include "progress.h"
#include "read_sections.h"
#include "reading.h"
#include "verbs.h"

namespace comshu {
namespace {

struct ReadOptions {
    std::vector<std::string> folders;
    bool json = false;
    bool explain = false;
    bool follow = false;
    double every = 2;
    read::ClockChoice clock = read::ClockChoice::kMeasured;
    SectionOptions sections;
};

void Explain() {
    constexpr std::string_view kEnd = "$end";
    constexpr std::string_view kEndSql =
        "(SELECT greatest(max(end_ns), (SELECT max(begin_ns + open_ns) FROM open_span)) FROM rank)";
    for (const read::ReportQuery& query : read::ReportQueries()) {
        std::string sql = query.sql;
        for (size_t at; (at = sql.find(kEnd)) != sql.npos;) sql.replace(at, kEnd.size(), kEndSql);
        std::printf("-- %s: %s\n%s;\n\n", query.name, query.what, sql.c_str());
    }
}

}  // namespace

VerbAction DeclareRead(CLI::App& verb) {
    auto options = std::make_shared<ReadOptions>();
    verb.add_option("DIR...", options->folders,
                    "folders of captures, read as one, or an export folder");
    verb.add_flag("--json", options->json, "the same as data");
    verb.add_flag("--explain", options->explain,
                  "print the queries that every number comes from, and no report");
    verb.add_flag("--follow", options->follow,
                  "while the program runs: again and again, until it has ended");
    verb.add_option("--every", options->every,
                    "seconds from one look to the next, with --follow (2)")
        ->type_name("SECONDS")
        ->check(NumberFrom(0.05, 86400.0));
    AddClockOption(verb, &options->clock);
    DeclareSections(verb, &options->sections);
    return [options](const std::vector<std::string>&) {
        if (!options->sections.sections.empty()) {
            options->sections.clock = options->clock;
            ShowSections(options->sections, options->folders, options->json, options->explain);
            return 0;
        }
        if (options->explain) {
            Explain();
            return 0;
        }
        if (options->folders.empty()) throw UsageError("give a folder: comshu read comshu-out");
        if (options->follow) Follow(options->folders, options->every);
        std::optional<Progress> progress(std::in_place, "read", "opening the capture");
        const std::unique_ptr<read::Database> database =
            OpenDatabase(options->folders, options->clock);
        if (database->capture() != nullptr) HintAtPack("read", *database->capture());
        read::Report report;
        std::string error;
        progress->Say("making the report");
        if (!read::MakeReport(database.get(), options->folders, &report, &error)) {
            throw CommandError(error);
        }
        progress.reset();
        const std::string text = options->json
                                     ? read::ReportJson(report)
                                     : read::ReportText(report, read::ReportStyle::Of(stdout));
        if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
            throw CommandError("the report cannot be written");
        }
        return 0;
    };
}

}  // namespace comshu
