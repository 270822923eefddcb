#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/analysis/links.h"
#include "comshu/read/links.h"
#include "comshu/read/query.h"
#include "comshu/read/text_output.h"
#include "error.h"
#include "progress.h"
#include "reading.h"
#include "result_format.h"
#include "verbs.h"

namespace comshu {
namespace {

struct Options {
    std::vector<std::string> folders;
    std::string list;
    read::ResultFormat format = read::ResultFormat::kTable;
};

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

std::string SqlOf(const Options& options) {
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
    auto options = std::make_shared<Options>();
    verb.add_option("DIR", options->folders, "folders of captures, linked as one")->required();
    std::vector<std::string> names;
    for (const analysis::LinkList& list : analysis::LinkLists()) names.push_back(list.name);
    verb.add_option("--list", options->list, ListHelp())
        ->type_name("NAME")
        ->check(CLI::IsMember(names));
    AddResultFormat(verb, &options->format);
    return [options](const std::vector<std::string>&) {
        std::optional<Progress> progress(std::in_place, "link", "opening the capture");
        const std::unique_ptr<read::Database> database = OpenDatabase(options->folders);
        if (database->capture() == nullptr) {
            throw CommandError("an export folder holds its links already: comshu read --section");
        }
        progress->Say("matching messages");
        std::string error;
        if (!read::KeepLinks(database.get(), &error)) throw CommandError(error);
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
