#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/analysis/sections.h"
#include "comshu/read/text_output.h"
#include "clock_option.h"
#include "error.h"
#include "progress.h"
#include "reading.h"
#include "result_format.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclareSql(CLI::App& verb) {
    struct Options {
        std::vector<std::string> words;
        read::ResultFormat format = read::ResultFormat::kTable;
        read::ClockChoice clock = read::ClockChoice::kMeasured;
        std::string window;
    };
    auto options = std::make_shared<Options>();
    verb.add_option("DIR... QUERY", options->words,
                    "folders of captures, read as one, or an export folder; last the query")
        ->required();
    verb.add_option("--window", options->window,
                    "of the tables efficiency, useful_time, critical_path and slack: as that of "
                    "comshu read --section")
        ->type_name("T0:T1");
    AddClockOption(verb, &options->clock);
    AddResultFormat(verb, &options->format);
    return [options](const std::vector<std::string>&) {
        if (options->words.size() < 2) {
            throw UsageError(
                "give a folder and a query: comshu sql comshu-out \"select * from rank\"");
        }
        analysis::Filter filter;
        std::string error;
        if (!options->window.empty() && !filter.SetWindow(options->window, &error))
            throw UsageError("--window " + error);
        const std::vector<std::string> folders(options->words.begin(), options->words.end() - 1);
        std::optional<Progress> progress(std::in_place, "sql", "opening the capture");
        const std::unique_ptr<read::Database> database = OpenDatabase(folders, options->clock);
        analysis::OfferTables(database.get(), filter);
        read::Query query;
        // Who asks what is damaged wants all of it known.
        if (options->words.back().find("problem") != std::string::npos &&
            !database->CheckAll(&error)) {
            throw CommandError(error);
        }
        progress->Say("running the query");
        const bool ran = query.Run(database.get(), options->words.back(), &error);
        progress.reset();
        if (!ran || !read::PrintResult(&query, options->format, stdout, &error)) {
            throw CommandError(error);
        }
        if (database->capture() != nullptr) WarnOfProblems("sql", *database->capture());
        return 0;
    };
}

}  // namespace comshu
