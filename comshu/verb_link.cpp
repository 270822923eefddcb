#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/analysis/links.h"
#include "comshu/read/links.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "comshu/read/text_output.h"
#include "clock_option.h"
#include "error.h"
#include "link_job.h"
#include "number_range.h"
#include "progress.h"
#include "reading.h"
#include "result_format.h"
#include "verbs.h"

namespace comshu {
namespace {

struct LinkOptions {
    std::vector<std::string> folders;
    std::string list;
    read::ClockChoice clock = read::ClockChoice::kMeasured;
    read::ResultFormat format = read::ResultFormat::kTable;
    uint64_t part_rows = read::kLinkRowsPerFile;
};

// Makes what the lists that are asked for read; without a name all are.
void MakePasses(const std::string& name, read::Database* database) {
    for (const analysis::LinkList& list : analysis::LinkLists()) {
        if (list.pass == nullptr || (!name.empty() && name != list.name)) continue;
        std::string error;
        if (!list.pass(database, &error)) throw CommandError(error);
    }
}

// All counts as one query, so that they are one table.
std::string CountsSql() {
    std::string sql = analysis::kLinkCountsSql;
    for (const analysis::LinkList& list : analysis::LinkLists()) {
        if (std::string_view(list.name) == "unmatched") continue;
        sql += std::string("\nUNION ALL SELECT '") + list.name + "', count(*), NULL FROM (" +
               list.sql + ")";
    }
    return sql;
}

std::string SqlOf(const LinkOptions& options) {
    for (const analysis::LinkList& list : analysis::LinkLists()) {
        if (options.list == list.name) return list.sql;
    }
    return CountsSql();
}

std::string ListHelp() {
    std::string help = "rows instead of counts:";
    for (const analysis::LinkList& list : analysis::LinkLists()) {
        help += std::string(&list == &analysis::LinkLists().front() ? " " : "; ") + list.name +
                ": " + list.what;
    }
    return help;
}

}  // namespace

VerbAction DeclareLink(CLI::App& verb) {
    auto options = std::make_shared<LinkOptions>();
    verb.add_option("DIR", options->folders, "folders of captures, linked as one")->required();
    std::vector<std::string> names;
    for (const analysis::LinkList& list : analysis::LinkLists()) names.push_back(list.name);
    verb.add_option("--list", options->list, ListHelp())
        ->type_name("NAME")
        ->check(CLI::IsMember(names));
    AddClockOption(verb, &options->clock);
    AddResultFormat(verb, &options->format);
    verb.add_option(
            "--part-rows", options->part_rows,
            "rows in a file of what is kept, and of what a process of `mpirun -n K comshu "
            "link` works on at a time: its memory is a few hundred bytes for each (1048576)")
        ->type_name("N")
        ->check(NumberFrom(1, std::numeric_limits<int32_t>::max()));
    return [options](const std::vector<std::string>&) {
        if (LinkAsRank(options->folders, options->part_rows, options->clock) == LinkRole::kOther)
            return 0;
        read::SayWhenInterrupted(kLinkInterrupted);
        std::optional<Progress> progress(std::in_place, "link", "opening the capture");
        const std::unique_ptr<read::Database> database =
            OpenDatabase(options->folders, options->clock);
        if (database->capture() == nullptr) {
            throw CommandError("an export folder holds its links already: comshu read --section");
        }
        progress->Say("matching messages");
        std::string error;
        if (!read::KeepLinks(database.get(), &error, options->part_rows)) throw CommandError(error);
        progress->Say("counting links");
        MakePasses(options->list, database.get());
        read::Query query;
        const bool ran = query.Run(database.get(), SqlOf(*options), &error);
        progress.reset();
        if (!ran || !read::PrintResult(&query, options->format, stdout, &error)) {
            throw CommandError(error);
        }
        WarnOfProblems("link", *database->capture());
        return 0;
    };
}

}  // namespace comshu
