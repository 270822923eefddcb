// The long answers: what `comshu read --section NAME` shows.
#ifndef COMSHU_ANALYSIS_SECTIONS_H_
#define COMSHU_ANALYSIS_SECTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comshu/read/database.h"
#include "comshu/read/query.h"

namespace comshu::analysis {

// What of a capture is looked at.
struct Filter {
    std::optional<int64_t> t0_ns;
    std::optional<int64_t> t1_ns;
    std::vector<int32_t> ranks;  // Empty: all.
    std::string where;           // A condition of SQL on the columns of what a section reads.

    // `0.5s:2s`, `10ms:`, `:3`; ns, us, ms or s, without a unit s. False and a reason if it is none.
    bool SetWindow(const std::string& text, std::string* error);
};

// A table of a section: its rows are the result of the query, and nothing else.
struct SectionTable {
    std::string name;  // Key of the data.
    std::string title;
    std::string sql;
    uint64_t most = 0;  // Rows that are shown on a screen; 0: all.
    // What the pass of the section asked, one query each, for a table of their answers.
    std::vector<SectionTable> asked = {};
    // Its rows are sentences on the tables before it, or there are none: of its parts, together.
    bool is_remarks = false;
    std::vector<std::string> parts = {};
    // It is about the ranks together, whichever of them are chosen.
    bool of_all_ranks = false;
};

// As a screen shows it: the first rows of a longer list.
std::string ShortSql(const SectionTable& table);

struct Section {
    const char* name;
    const char* help;
    // What it looked for, where none of its tables has a row.
    const char* none;
    std::vector<std::string_view> layers;  // What it is made of is recorded as one of these.
    const char* reads;        // The view that `where` is a condition on; null: it takes none.
    const char* prepare_sql;  // Run before the queries; null: nothing to run.
    // A pass that makes the tables they read; null: they read views.
    bool (*pass)(read::Database* database, const Filter& filter, std::string* error);
    std::vector<SectionTable> (*tables)(const Filter& filter);
    bool takes_window;
    bool takes_ranks;
};
const std::vector<Section>& Sections();
const Section* FindSection(const std::string& name);

// Statement that has to be run before the queries of the tables; empty: none.
std::string PrepareSql(const Section& section, const Filter& filter);
// Runs it, and the pass of the section.
bool Prepare(const Section& section, const Filter& filter, read::Database* database,
             std::string* error);

// Why no table of a section has a row: what it looked for and, where the capture has none of that, what records it.
bool WhyNothing(read::Database* database, const Section& section, const Filter& filter,
                std::string* why, std::string* error);

// Asks a table of remarks: all that the capture, or an export of single tables, can answer.
bool AskRemarks(read::Database* database, const SectionTable& remarks, read::Query* query,
                std::string* error);

// What the numbers of a capture have to be read with, since it does not hold all of its run: a sentence each.
bool UnrecordedRemarks(read::Database* database, std::vector<std::string>* remarks,
                       std::string* error);

// Has the tables that passes make (`efficiency`, `useful_time`, `critical_path`, `slack`, `overtaken`) made when a
// statement reads them, of the window of the filter: what a section explains can then be asked by itself.
void OfferTables(read::Database* database, const Filter& filter);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_SECTIONS_H_
