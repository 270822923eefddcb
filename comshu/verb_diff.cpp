#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/analysis/compare.h"
#include "comshu/analysis/sections.h"
#include "comshu/read/query.h"
#include "comshu/read/text_output.h"
#include "error.h"
#include "number_range.h"
#include "progress.h"
#include "read_sections.h"
#include "reading.h"
#include "result_format.h"
#include "verbs.h"

namespace comshu {
namespace {

struct DiffOptions {
    std::vector<std::string> folders;
    double threshold = 10;
    double min_share = 1;
    bool all = false;
    read::ResultFormat format = read::ResultFormat::kRounded;
};

// Times in ms, shares in percent; the head of the list whatever became of it.
constexpr const char* kRows = R"(SELECT "group", name,
    CASE unit WHEN 'ns' THEN 'ms' WHEN 'share' THEN '%' ELSE unit END AS unit,
    round(before * scale, 3) AS before, round(after * scale, 3) AS after,
    round(100 * (after - before) / nullif(before, 0), 1) AS change_percent, verdict
FROM (SELECT *, CASE unit WHEN 'ns' THEN 1e-6 WHEN 'share' THEN 100 ELSE 1 END AS scale FROM difference)
WHERE )";

void AddRemarks(read::Database* database, const char* side, std::vector<std::string>* remarks) {
    std::vector<std::string> found;
    std::string error;
    if (!analysis::UnrecordedRemarks(database, &found, &error)) throw CommandError(error);
    for (const std::string& remark : found) remarks->push_back(std::string(side) + ": " + remark);
}

}  // namespace

VerbAction DeclareDiff(CLI::App& verb) {
    auto options = std::make_shared<DiffOptions>();
    verb.add_option("BEFORE AFTER", options->folders,
                    "two captures of one program, or export folders")
        ->required()
        ->expected(2);
    verb.add_option("--threshold", options->threshold,
                    "percent by which something has to change to count (10)")
        ->type_name("PERCENT")
        ->check(NumberFrom(0.0, 1000.0));
    verb.add_option("--min-share", options->min_share,
                    "and, of times, by how many percent of the time of all threads (1)")
        ->type_name("PERCENT")
        ->check(NumberFrom(0.0, 100.0));
    verb.add_flag("--all", options->all, "what has not changed, too");
    AddResultFormat(verb, &options->format);
    return [options](const std::vector<std::string>&) {
        std::optional<Progress> progress(std::in_place, "diff", "opening the captures");
        const std::unique_ptr<read::Database> before = OpenDatabase({options->folders[0]});
        const std::unique_ptr<read::Database> after = OpenDatabase({options->folders[1]});
        progress->Say("comparing");
        std::vector<analysis::Difference> differences;
        std::string error;
        if (!analysis::Compare(before.get(), after.get(),
                               {options->threshold / 100, options->min_share / 100}, &differences,
                               &error) ||
            !analysis::MakeDifferenceTable(after.get(), differences, &error)) {
            throw CommandError(error);
        }
        std::vector<std::string> remarks(1);
        if (!analysis::WhatDiffersInRecording(before.get(), after.get(), &remarks[0], &error))
            throw CommandError(error);
        if (remarks[0].empty()) remarks.clear();
        AddRemarks(before.get(), "Before", &remarks);
        AddRemarks(after.get(), "After", &remarks);
        progress.reset();
        read::Query query;
        const std::string sql =
            std::string(kRows) +
            (options->all ? "true" : "verdict <> 'same' OR \"group\" IN ('run', 'efficiency')") +
            " ORDER BY place";
        if (!query.Run(after.get(), sql, &error, read::RowCount::kFew) ||
            !read::PrintResult(&query, options->format, stdout, &error)) {
            throw CommandError(error);
        }
        if (options->format == read::ResultFormat::kRounded) {
            ShowRemarks(remarks);
        } else {
            for (const std::string& remark : remarks)
                std::fprintf(stderr, "comshu diff: note: %s\n", remark.c_str());
        }
        const auto worse = std::count_if(differences.begin(), differences.end(),
                                         [](const analysis::Difference& difference) {
                                             return difference.verdict == analysis::Verdict::kWorse;
                                         });
        if (std::fflush(stdout) != 0) throw CommandError("the differences cannot be written");
        if (worse > 0) {
            std::fprintf(stderr, "comshu diff: %ld %s worse by more than %g %%\n",
                         static_cast<long>(worse), worse == 1 ? "measure is" : "measures are",
                         options->threshold);
        }
        return worse > 0 ? kExitFailed : 0;
    };
}

}  // namespace comshu
