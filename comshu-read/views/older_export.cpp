#include "views/older_export.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "comshu/read/query.h"
#include "views/rma_view.h"
#include "views/wait_view.h"

namespace comshu::read {
namespace {

struct LaterColumn {
    const char* view;
    const char* column;
    const char* value;
};
constexpr LaterColumn kLaterColumns[] = {
    {"span", "comm_name", "NULL::VARCHAR"},
    {"message", "comm_name", "NULL::VARCHAR"},
    {"unmatched", "comm_name", "NULL::VARCHAR"},
    {"collective", "comm_name", "NULL::VARCHAR"},
    {"collective", "done_span", "NULL::UBIGINT"},
    {"collective", "done_begin_ns", "NULL::BIGINT"},
    {"process", "signal", "NULL::INTEGER"},
    {"wait_state", "call_ns", "NULL::BIGINT"},
    // By what was said then.
    {"problem", "kind",
     "CASE WHEN regexp_matches(text, 'damaged and left out|missing: the records|not in the "
     "capture|no sound frame') "
     "THEN 'missing' ELSE 'damage' END"},
};

// Without these it is an export of single tables.
constexpr const char* kOfWholeExport[] = {"span", "message", "collective", "rank", "thread"};

using ColumnsOfTables = std::map<std::string, std::set<std::string>>;

bool FindColumns(Database* database, ColumnsOfTables* columns, std::string* error) {
    Query query;
    if (!query.Run(database,
                   "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal",
                   error)) {
        return false;
    }
    while (query.Next()) (*columns)[query.Text(0)].insert(query.Text(1));
    *error = query.error();
    return error->empty();
}

// The view with further columns, in place of itself.
bool AddColumns(Database* database, const std::string& view, const std::string& columns,
                std::string* error) {
    Query query;
    if (!query.Run(database,
                   "SELECT sql FROM duckdb_views() WHERE view_name = " + SqlText(view) +
                       " AND NOT internal",
                   error)) {
        return false;
    }
    std::string sql = query.Next() ? query.Text(0) : "";
    constexpr std::string_view kAs = " AS ";
    const size_t at = sql.find(kAs);
    if (at == sql.npos) return true;
    sql = sql.substr(at + kAs.size());
    while (!sql.empty() && (sql.back() == ';' || sql.back() == '\n')) sql.pop_back();
    return database->Execute(fmt::format("CREATE OR REPLACE VIEW {} AS SELECT *{} FROM ({})",
                                         SqlName(view), columns, sql),
                             error);
}

}  // namespace

bool CompleteOlderExport(Database* database, std::string* error) {
    ColumnsOfTables columns;
    if (!FindColumns(database, &columns, error)) return false;
    std::map<std::string, std::string> missing;
    for (const LaterColumn& later : kLaterColumns) {
        const auto view = columns.find(later.view);
        if (view == columns.end() || view->second.contains(later.column)) continue;
        missing[later.view] += fmt::format(", {} AS {}", later.value, later.column);
    }
    for (const auto& [view, more] : missing) {
        if (!AddColumns(database, view, more, error)) return false;
    }
    if (!std::all_of(std::begin(kOfWholeExport), std::end(kOfWholeExport),
                     [&](const char* table) { return columns.contains(table); }))
        return true;
    const auto make = [&](const char* name, const char* sql) {
        // What is made of others may want of them what they do not have.
        std::string ignored;
        if (!columns.contains(name))
            database->Execute(fmt::format("CREATE VIEW {} AS\n{}", name, sql), &ignored);
    };
    // Addresses have become source lines there.
    std::string waits = kWaitStateOfTablesSql;
    constexpr std::string_view kSource = "source_text(s.process_id, s.caller) AS source";
    if (const size_t at = waits.find(kSource); at != waits.npos)
        waits.replace(at, kSource.size(), "s.source");
    make("wait_state", waits.c_str());
    make("rma_epoch", kNoRmaEpochs);
    make("file_access", kNoFileAccesses);
    return true;
}

}  // namespace comshu::read
