#include "read_sections.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "comshu/analysis/sections.h"
#include "comshu/read/number_text.h"
#include "comshu/read/query.h"
#include "comshu/read/text_output.h"
#include "error.h"
#include "progress.h"
#include "reading.h"
#include "terminal.h"

namespace comshu {
namespace {

// More ranks than this are no list.
constexpr int32_t kMostRanks = 1'000'000;

int32_t RankOf(std::string_view text, const std::string& whole) {
    int32_t rank = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (code != std::errc() || end != text.data() + text.size() || rank < 0 || rank > kMostRanks) {
        throw UsageError("--rank " + whole + ": give ranks as 0,4-7");
    }
    return rank;
}

std::vector<int32_t> RanksOf(const std::vector<std::string>& parts) {
    std::vector<int32_t> ranks;
    for (const std::string& part : parts) {
        const size_t dash = part.find('-');
        const int32_t first = RankOf(std::string_view(part).substr(0, dash), part);
        const int32_t last =
            dash == part.npos ? first : RankOf(std::string_view(part).substr(dash + 1), part);
        for (int32_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
    }
    return ranks;
}

std::vector<const analysis::Section*> ChosenSections(const SectionOptions& options) {
    std::vector<const analysis::Section*> chosen;
    for (const std::string& name : options.sections) {
        chosen.push_back(analysis::FindSection(name));
        const auto refuse = [&](const char* option, bool is_given, const char* what) {
            if (!is_given) return;
            throw UsageError(std::string(option) + ": section " + name +
                             " follows the run as a whole and takes no " + what);
        };
        const analysis::Section& section = *chosen.back();
        refuse("--where", !options.where.empty() && section.reads == nullptr, "condition");
        refuse("--window", !options.window.empty() && !section.takes_window, "window");
        refuse("--rank", !options.ranks.empty() && !section.takes_ranks, "ranks");
    }
    return chosen;
}

void Explain(const analysis::Section& section, const analysis::Filter& filter,
             const std::string& window) {
    if (section.pass != nullptr && section.takes_window && !window.empty())
        std::printf("-- %s: comshu sql with --window %s\n\n", section.name, window.c_str());
    const std::string prepare = analysis::PrepareSql(section, filter);
    if (!prepare.empty())
        std::printf("-- %s: once, before the queries, in one call of comshu sql\n%s;\n\n",
                    section.name, prepare.c_str());
    for (const analysis::SectionTable& table : section.tables(filter)) {
        for (const analysis::SectionTable& asked : table.asked) {
            std::printf("-- %s.%s, %s: %s\n%s;\n\n", section.name, table.name.c_str(),
                        asked.name.c_str(), asked.title.c_str(), asked.sql.c_str());
        }
        if (!table.asked.empty()) continue;  // Its rows are the answers.
        std::printf("-- %s.%s: %s\n%s;\n\n", section.name, table.name.c_str(), table.title.c_str(),
                    analysis::ShortSql(table).c_str());
    }
}

// A mistyped rank or window would give tables without rows, which look like an answer.
void CheckFilter(read::Database* database, const SectionOptions& options,
                 const analysis::Filter& filter) {
    read::Query query;
    std::string error;
    if (!query.Run(database, "SELECT rank, max(end_ns) OVER () FROM rank ORDER BY rank", &error))
        throw CommandError(error);
    std::vector<int32_t> ranks;
    std::optional<int64_t> end_ns;
    while (query.Next()) {
        if (!query.IsNull(0)) ranks.push_back(static_cast<int32_t>(query.Integer(0)));
        if (!query.IsNull(1)) end_ns = query.Integer(1);
    }
    for (const int32_t rank : filter.ranks) {
        if (std::binary_search(ranks.begin(), ranks.end(), rank)) continue;
        std::string message = "--rank: the capture has no rank " + std::to_string(rank);
        if (!ranks.empty()) {
            message += "; its ranks go from " + std::to_string(ranks.front()) + " to " +
                       std::to_string(ranks.back());
        }
        throw CommandError(message);
    }
    if (filter.t0_ns && end_ns && *filter.t0_ns >= *end_ns) {
        throw CommandError("--window " + options.window + ": the run had ended by then, after " +
                           read::DurationText(*end_ns));
    }
}

void Ask(read::Database* database, const analysis::SectionTable& table, const std::string& sql,
         read::Query* query) {
    std::string error;
    const bool answered = table.is_remarks
                              ? analysis::AskRemarks(database, table, query, &error)
                              : query->Run(database, sql, &error, read::RowCount::kFew);
    if (!answered) throw CommandError(error);
}

// What a list on a screen leaves out.
std::string HowManyMore(read::Database* database, const analysis::SectionTable& table,
                        uint64_t shown) {
    if (table.most == 0 || shown < table.most) return "";
    read::Query query;
    std::string error;
    if (!query.Run(database, "SELECT count(*) FROM (" + table.sql + ")", &error) || !query.Next())
        throw CommandError(error.empty() ? query.error() : error);
    const uint64_t more = query.Unsigned(0) - shown;
    return more == 0 ? "" : fmt::format("... and {} more; --json has all\n", more);
}

void PrintTable(read::Query* query, read::ResultFormat format, std::FILE* out) {
    std::string error;
    if (!read::PrintResult(query, format, out, &error)) throw CommandError(error);
}

std::string TableText(read::Query* query) {
    char* text = nullptr;
    size_t bytes = 0;
    std::FILE* out = open_memstream(&text, &bytes);
    if (out == nullptr) throw CommandError("there is no memory for the answers");
    const auto take = [&] {
        std::fclose(out);
        const std::string taken(text, bytes);
        std::free(text);
        return taken;
    };
    try {
        PrintTable(query, read::ResultFormat::kRounded, out);
    } catch (...) {
        take();
        throw;
    }
    return take();
}

void TakeRemarks(read::Query* query, std::vector<std::string>* remarks) {
    while (query->Next()) remarks->push_back(query->Text(0));
    if (!query->error().empty()) throw CommandError(query->error());
}

std::string WhyNothing(read::Database* database, const analysis::Section& section,
                       const analysis::Filter& filter) {
    std::string why;
    std::string error;
    if (!analysis::WhyNothing(database, section, filter, &why, &error)) throw CommandError(error);
    return why;
}

// Put together before any of it is shown: a section that has no rows is a sentence and no titles.
void ShowAsText(read::Database* database, const analysis::Section& section,
                const analysis::Filter& filter) {
    std::string page;
    std::vector<std::string> remarks;
    bool has_rows = false;
    for (const analysis::SectionTable& table : section.tables(filter)) {
        read::Query query;
        Ask(database, table, analysis::ShortSql(table), &query);
        if (table.is_remarks) {
            TakeRemarks(&query, &remarks);
            continue;
        }
        const bool is_wider = table.of_all_ranks && !filter.ranks.empty();
        const std::string rows = TableText(&query);
        page += fmt::format("{}{}{}\n\n{}", page.empty() ? "" : "\n", table.title,
                            is_wider ? ", of all ranks" : "", query.taken() == 0 ? "none\n" : rows);
        has_rows |= query.taken() > 0;
        page += HowManyMore(database, table, query.taken());
    }
    if (!has_rows) {
        const std::string why =
            fmt::format("{}: {}", section.name, WhyNothing(database, section, filter));
        page = Wrapped(why, Terminal::Of(stdout).width, 0) + "\n";
    }
    std::fputs(page.c_str(), stdout);
    ShowRemarks(remarks);
}

void ShowAsData(read::Database* database, const analysis::Section& section,
                const analysis::Filter& filter) {
    std::printf("\"%s\": {", section.name);
    bool first = true;
    bool has_rows = false;
    for (const analysis::SectionTable& table : section.tables(filter)) {
        read::Query query;
        Ask(database, table, table.sql, &query);
        std::printf("%s\"%s\": ", first ? "" : ", ", table.name.c_str());
        if (table.of_all_ranks && !filter.ranks.empty()) {
            std::fprintf(stderr, "comshu read: note: %s.%s is of all ranks\n", section.name,
                         table.name.c_str());
        }
        PrintTable(&query, read::ResultFormat::kJson, stdout);
        has_rows |= !table.is_remarks && query.taken() > 0;
        first = false;
    }
    std::fputs("}", stdout);
    if (has_rows) return;
    std::fprintf(stderr, "comshu read: note: %s: %s\n", section.name,
                 WhyNothing(database, section, filter).c_str());
}

}  // namespace

void ShowRemarks(const std::vector<std::string>& remarks) {
    const size_t width = Terminal::Of(stdout).width;
    for (const std::string& remark : remarks)
        std::printf("\n%s\n", Wrapped(remark, width, 0).c_str());
}

void DeclareSections(CLI::App& verb, SectionOptions* options) {
    std::string help = "this answer instead of the report, or several:";
    std::vector<std::string> names;
    for (const analysis::Section& section : analysis::Sections()) {
        names.push_back(section.name);
        help += std::string(names.size() == 1 ? " " : "; ") + section.name + ": " + section.help;
    }
    CLI::Option* section = verb.add_option("--section", options->sections, help)
                               ->delimiter(',')
                               ->allow_extra_args(false)
                               ->type_name("NAME")
                               ->check(CLI::IsMember(names));
    verb.add_option("--window", options->window,
                    "what happened between two times alone: 0.5s:2s, 10ms: or :3 (ns, us, ms, s)")
        ->type_name("T0:T1")
        ->needs(section);
    verb.add_option("--rank", options->ranks, "these ranks alone: 0,4-7")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("LIST")
        ->needs(section);
    verb.add_option("--where", options->where,
                    "rows of the section's view alone that fulfil this condition of SQL")
        ->type_name("SQL")
        ->needs(section);
}

void ShowSections(const SectionOptions& options, const std::vector<std::string>& folders, bool json,
                  bool explain) {
    analysis::Filter filter;
    std::string error;
    if (!options.window.empty() && !filter.SetWindow(options.window, &error)) {
        throw UsageError("--window " + error);
    }
    filter.ranks = RanksOf(options.ranks);
    filter.where = options.where;
    const std::vector<const analysis::Section*> sections = ChosenSections(options);
    if (explain) {
        for (const analysis::Section* section : sections) Explain(*section, filter, options.window);
        return;
    }
    if (folders.empty()) throw UsageError("give a folder: comshu read comshu-out --section waits");
    std::optional<Progress> progress(std::in_place, "read", "opening the capture");
    const std::unique_ptr<read::Database> database = OpenDatabase(folders, options.clock);
    progress.reset();
    CheckFilter(database.get(), options, filter);
    if (json) std::fputs("{", stdout);
    bool first = true;
    for (const analysis::Section* section : sections) {
        progress.emplace("read", std::string("section ") + section->name);
        const bool prepared = analysis::Prepare(*section, filter, database.get(), &error);
        progress.reset();
        if (!prepared) throw CommandError(error);
        if (!first) std::fputs(json ? ", " : "\n", stdout);
        first = false;
        (json ? ShowAsData : ShowAsText)(database.get(), *section, filter);
    }
    if (json) std::fputs("}\n", stdout);
    if (std::fflush(stdout) != 0) throw CommandError("the answers cannot be written");
    if (database->capture() != nullptr) WarnOfProblems("read", *database->capture());
}

}  // namespace comshu
