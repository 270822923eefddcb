#include "comshu/read/views.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "comshu/read/links.h"

#include "openmp/openmp_views.h"
#include "views/call_waits.h"
#include "views/category.h"
#include "views/match_functions.h"
#include "views/older_export.h"
#include "views/openmp_spans.h"
#include "views/rma_view.h"
#include "views/span_threads.h"
#include "views/wait_view.h"
#include "waits/wait_function.h"

namespace comshu::read {
namespace {

bool Has(const RecordTable& table, std::string_view column) {
    return table.FindColumn(column) >= 0;
}

bool IsInCapture(const Capture& capture, const RecordTable& table) {
    return std::any_of(capture.blocks().begin(), capture.blocks().end(), [&](const Block& block) {
        return !block.definitions() && capture.MayHold(block, table.record);
    });
}

bool HasTable(const Capture& capture, std::string_view name) {
    return std::any_of(capture.tables().begin(), capture.tables().end(),
                       [&](const RecordTable& table) { return table.name == name; });
}

bool HasManyWorlds(const Capture& capture) {
    std::set<std::pair<std::string, uint64_t>> worlds;
    std::set<std::string> passes;
    for (const auto& process : capture.processes()) {
        for (const WorldRank& place : process->worlds) {
            worlds.emplace(process->pass, place.world);
            passes.insert(process->pass);
        }
    }
    return worlds.size() > passes.size();
}

// Names of an enum by number, as a variable of the connection: indexing a list of ENUM values is a
// fraction of a join's cost, and nothing at all where the column is not asked for.
std::string ListName(const std::string& enum_name, const char* what) {
    return fmt::format("{}_{}", what, enum_name);
}

std::string NameOf(const RecordTable& table, const char* column, const char* what) {
    const int found = table.FindColumn(column);
    if (found < 0) return "NULL::VARCHAR";
    return fmt::format("getvariable('{}')[{} + 1]::VARCHAR",
                       ListName(table.columns[static_cast<size_t>(found)].enum_name, what), column);
}

std::string PeerOf(const RecordTable& table, bool many_worlds) {
    const char* peer = Has(table, "peer") ? "peer" : Has(table, "target") ? "target" : nullptr;
    if (peer == nullptr) return "NULL::INTEGER";
    const std::string world_peer = fmt::format("world_{}", peer);
    if (many_worlds) {
        return fmt::format("peer_rank(process_id, {}, {}, {})",
                           Has(table, "comm") ? "comm" : "0::UBIGINT", peer, world_peer);
    }
    return fmt::format("CASE WHEN {0} < 0 THEN {0} ELSE {1} END", peer, world_peer);
}

std::string Column(const RecordTable& table, const char* name, const char* type) {
    return Has(table, name) ? name : fmt::format("NULL::{}", type);
}

constexpr const char* kSpanWindow =
    "WHERE (t1 IS NULL OR begin_ns < t1) AND (t0 IS NULL OR end_ns IS NULL OR end_ns >= t0)";

bool IsOpenmp(const RecordTable& table) {
    return table.layer == "openmp" && Has(table, "construct");
}

// A procedure bears its name, and so does a call of it.
std::string OpenmpNameSql(const RecordTable& table) {
    const std::string name = NameOf(table, "function", "shown");
    if (table.name != "omp_procedure") return name;
    return fmt::format(
        "CASE WHEN place_name IS NULL THEN {0} WHEN {1} = 'call' THEN 'call ' || "
        "place_name ELSE place_name END",
        name, name);
}

// The part of `span` that one record type gives.
std::string SpanSelect(const RecordTable& table, bool many_worlds) {
    const bool openmp = IsOpenmp(table);
    const std::string category = Has(table, "category") ? NameOf(table, "category", "name")
                                 : table.layer == "mpi" || openmp
                                     ? NameOf(table, "function", "category")
                                 : table.layer == "user" ? "'user'"
                                                         : "'other'";
    // To or from MPI_PROC_NULL nothing moves, whatever the call was given.
    const std::string bytes =
        Has(table, "bytes_in") ? "greatest(bytes_in, bytes_out)"
        : Has(table, "peer") && Has(table, "bytes")
            ? fmt::format("CASE WHEN peer = {} THEN 0 ELSE bytes END", kProcNull)
            : Column(table, "bytes", "UBIGINT");
    const char* peer = Has(table, "target") ? "target" : "peer";
    const std::string source =
        fmt::format("source_text(process_id, {})", Column(table, "caller", "UBIGINT"));
    return fmt::format(
        R"(SELECT span_id, parent_id, rank, process_id, thread,
    {layer} AS layer, {category} AS category, {name} AS name,
    begin_ns, end_ns, end_ns - begin_ns AS duration_ns,
    end_ns - begin_ns - nested_ns(span_id) AS self_ns,
    {bytes} AS bytes, {comm} AS comm, {peer} AS peer, {tag} AS tag,
    {source} AS source,
    {comm_peer} AS comm_peer, {root} AS root, {request} AS request, {caller} AS caller,
    (flags & 2) <> 0 AS failed, (flags & 1) <> 0 AS unwound, comm_name({comm}) AS comm_name
FROM {table}(t0_ns := CAST(t0 AS BIGINT), t1_ns := CAST(t1 AS BIGINT)){join}
{window})",
        fmt::arg("window", kSpanWindow), fmt::arg("layer", SqlText(table.layer)),
        fmt::arg("category", category),
        fmt::arg("name", openmp               ? OpenmpNameSql(table)
                         : Has(table, "name") ? "name"
                                              : NameOf(table, "function", "name")),
        fmt::arg("source", openmp ? fmt::format("coalesce(place_source, {})", source) : source),
        fmt::arg("join", openmp ? " LEFT JOIN openmp_place() USING (process_id, construct)" : ""),
        fmt::arg("bytes", bytes), fmt::arg("comm", Column(table, "comm", "UBIGINT")),
        fmt::arg("peer", PeerOf(table, many_worlds)),
        fmt::arg("tag", Column(table, "tag", "INTEGER")),
        fmt::arg("comm_peer", Column(table, peer, "INTEGER")),
        fmt::arg("root", Column(table, "root", "INTEGER")),
        fmt::arg("request", Column(table, "request", "UBIGINT")),
        fmt::arg("caller", Column(table, "caller", "UBIGINT")),
        fmt::arg("table", SqlName(table.name)));
}

constexpr const char* kNoSpans = R"(SELECT NULL::UBIGINT AS span_id, NULL::UBIGINT AS parent_id,
    NULL::INTEGER AS rank, NULL::UINTEGER AS process_id, NULL::UINTEGER AS thread,
    NULL::VARCHAR AS layer, NULL::VARCHAR AS category, NULL::VARCHAR AS name,
    NULL::BIGINT AS begin_ns, NULL::BIGINT AS end_ns, NULL::BIGINT AS duration_ns,
    NULL::BIGINT AS self_ns, NULL::UBIGINT AS bytes, NULL::UBIGINT AS comm, NULL::INTEGER AS peer,
    NULL::INTEGER AS tag, NULL::VARCHAR AS source, NULL::INTEGER AS comm_peer,
    NULL::INTEGER AS root, NULL::UBIGINT AS request, NULL::UBIGINT AS caller,
    NULL::BOOLEAN AS failed, NULL::BOOLEAN AS unwound, NULL::VARCHAR AS comm_name
WHERE false)";

std::string SpanSql(const Capture& capture) {
    const bool many_worlds = HasManyWorlds(capture);
    std::string sql;
    for (const RecordTable& table : capture.tables()) {
        if (table.layer.empty() || table.head != core::Head::kSpan) continue;
        if (!IsInCapture(capture, table)) continue;
        if (!sql.empty()) sql += "\nUNION ALL\n";
        sql += SpanSelect(table, many_worlds);
        if (table.name == "omp_implicit_task") {
            sql += "\nUNION ALL";
            sql += kOpenmpMemberWaits;
        }
    }
    return sql.empty() ? kNoSpans : sql;
}

// Each is a table macro over a window of time; the view is the whole.
struct ViewSql {
    const char* name;
    const char* from;  // What `sql` reads.
    const char* sql;
};
constexpr ViewSql kViews[] = {
    {"message", "all_message()", R"(SELECT * FROM all_message()
WHERE (t1 IS NULL OR least(send_begin_ns, recv_begin_ns) < t1)
    AND (t0 IS NULL OR send_done_ns IS NULL OR recv_end_ns IS NULL
        OR greatest(send_done_ns, recv_end_ns) >= t0))"},
    {"unmatched", "all_unmatched()", R"(SELECT * FROM all_unmatched()
WHERE (t1 IS NULL OR begin_ns < t1) AND (t0 IS NULL OR begin_ns >= t0))"},
    {"collective", "all_collective()", R"(SELECT * FROM all_collective()
WHERE (t1 IS NULL OR begin_ns < t1) AND (t0 IS NULL OR end_ns IS NULL OR end_ns >= t0))"},
    {"wait_state", "all_wait_state()", R"(SELECT * FROM all_wait_state()
WHERE (t1 IS NULL OR begin_ns < t1) AND (t0 IS NULL OR begin_ns + wait_ns >= t0))"},
    {"rma_epoch", "all_rma_epoch()", R"(SELECT * FROM all_rma_epoch()
WHERE (t1 IS NULL OR begin_ns < t1) AND (t0 IS NULL OR end_ns IS NULL OR end_ns >= t0))"},
    {"file_access", "all_file_access()", R"(SELECT * FROM all_file_access()
WHERE (t1 IS NULL OR begin_ns < t1) AND (t0 IS NULL OR end_ns IS NULL OR end_ns >= t0))"},
    {"mark", "mark_record(t0_ns := CAST(t0 AS BIGINT), t1_ns := CAST(t1 AS BIGINT))",
     R"(SELECT rank, thread, time_ns, name, value, process_id, span_id
FROM mark_record(t0_ns := CAST(t0 AS BIGINT), t1_ns := CAST(t1 AS BIGINT))
WHERE (t1 IS NULL OR time_ns < t1) AND (t0 IS NULL OR time_ns >= t0))"},
    {"counter", "counter_record(t0_ns := CAST(t0 AS BIGINT), t1_ns := CAST(t1 AS BIGINT))",
     R"(SELECT rank, thread, time_ns, name, value, process_id, span_id
FROM counter_record(t0_ns := CAST(t0 AS BIGINT), t1_ns := CAST(t1 AS BIGINT))
WHERE (t1 IS NULL OR time_ns < t1) AND (t0 IS NULL OR time_ns >= t0))"},
    {"stack", "all_stack()", R"(SELECT * FROM all_stack()
WHERE (t1 IS NULL OR time_ns < t1) AND (t0 IS NULL OR time_ns >= t0))"},
};

constexpr const char* kStacks = R"(SELECT c.rank, c.thread, c.span_id, f.level, s.function,
    s.file || coalesce(':' || s.line, '') AS source, f.address, c.process_id, c.time_ns
FROM call_stack c JOIN stack_frame f ON f.stack_id = c.stack_id
LEFT JOIN source s ON s.process_id = c.process_id AND s.address = f.address)";
constexpr const char* kMpiMessages =
    "SELECT *, 'mpi' AS layer, NULL::VARCHAR AS transport, comm_name(comm) AS comm_name "
    "FROM linked_message()";
constexpr const char* kMpiUnmatched =
    "SELECT *, 'mpi' AS layer, NULL::VARCHAR AS transport, comm_name(comm) AS comm_name "
    "FROM linked_unmatched()";

constexpr const char* kCollectives =
    "SELECT *, comm_name(comm) AS comm_name FROM linked_collective()";

// Both sides of a message of the program's own transport name the same number.
constexpr const char* kUserMessages = R"(
UNION ALL BY NAME
SELECT s.rank AS send_rank, r.rank AS recv_rank, s.tag, s.bytes, r.bytes AS recv_bytes,
    s.span_id AS send_span, r.span_id AS recv_span, s.time_ns AS send_begin_ns,
    s.time_ns AS send_end_ns, s.time_ns AS send_done_ns, r.time_ns AS recv_begin_ns,
    r.time_ns AS recv_end_ns, 'user' AS layer, s.transport
FROM user_message s JOIN user_message r ON s.direction = 0 AND r.direction = 1
    AND s.transport = r.transport AND s.peer = r.rank AND r.peer = s.rank AND s.tag = r.tag
    AND s.number = r.number)";
constexpr const char* kUserUnmatched = R"(
UNION ALL BY NAME
SELECT CASE WHEN m.direction = 0 THEN 'send' ELSE 'receive' END AS side, m.rank, m.peer, m.tag,
    m.bytes, m.span_id, m.time_ns AS begin_ns,
    CASE WHEN m.peer NOT IN (SELECT rank FROM rank) THEN 'peer not in the capture'
        WHEN m.direction = 0 THEN 'no receive' ELSE 'no send' END AS why,
    'user' AS layer, m.transport
FROM user_message m ANTI JOIN user_message o ON m.direction <> o.direction
    AND m.transport = o.transport AND m.peer = o.rank AND o.peer = m.rank AND m.tag = o.tag
    AND m.number = o.number)";

// Macros, so that what lists views does not list them.
bool MakeParts(Database* database, bool has_user_messages, std::string* error) {
    const auto make = [&](const char* name, const char* mpi, const char* user) {
        return database->Execute(fmt::format("CREATE MACRO {}() AS TABLE\n{}{}", name, mpi,
                                             has_user_messages ? user : ""),
                                 error);
    };
    return make("all_message", kMpiMessages, kUserMessages) &&
           make("all_collective", kCollectives, "") &&
           make("all_unmatched", kMpiUnmatched, kUserUnmatched) && make("all_stack", kStacks, "");
}

// Null: the capture has no such calls, and there is nothing to read.
const RecordTable* UsedTable(const Capture& capture, const char* name) {
    const auto table = std::find_if(capture.tables().begin(), capture.tables().end(),
                                    [&](const RecordTable& one) { return one.name == name; });
    return table != capture.tables().end() && IsInCapture(capture, *table) ? &*table : nullptr;
}

std::string RmaEpochsOf(const Capture& capture) {
    const RecordTable* table = UsedTable(capture, "mpi_rma");
    return table == nullptr ? kNoRmaEpochs
                            : RmaEpochSql(NameOf(*table, "function", "name"),
                                          PeerOf(*table, HasManyWorlds(capture)));
}

std::string FileAccessesOf(const Capture& capture) {
    const RecordTable* table = UsedTable(capture, "mpi_io");
    return table == nullptr ? kNoFileAccesses : FileAccessSql(NameOf(*table, "function", "name"));
}

bool MakeView(Database* database, const char* name, const std::string& sql, std::string* error) {
    return database->Execute(fmt::format("CREATE MACRO {0}(t0, t1) AS TABLE\n{1}", name, sql),
                             error) &&
           database->Execute(fmt::format("CREATE VIEW {0} AS SELECT * FROM {0}(NULL, NULL)", name),
                             error);
}

// Of a view that is long. DuckDB looks through a macro when it is made, and through what it calls again.
void MakeViewOnMention(Database* database, const ViewSql& view, const std::string& sql) {
    std::string whole = view.sql;
    const std::string_view from = view.from;
    whole.replace(whole.find(from), from.size(), "(" + sql + ")");
    database->MakeOnMention({view.name}, [database, view, whole](std::string* error) {
        return MakeView(database, view.name, whole, error);
    });
}

// The lists behind ListName() for one enum of functions.
bool MakeNameLists(Database* database, const std::string& enum_name, std::string* error) {
    const std::string values = fmt::format("enum_value WHERE enum = {}", SqlText(enum_name));
    return database->Execute(fmt::format("CREATE TYPE {0} AS ENUM (SELECT DISTINCT name FROM {1})",
                                         ListName(enum_name, "name"), values),
                             error) &&
           database->Execute(
               fmt::format("SET VARIABLE {0} = (SELECT list(v.name::{0} ORDER BY r.range) FROM "
                           "range((SELECT max(value) + 1 FROM {1})) r LEFT JOIN (FROM {1}) v "
                           "ON v.value = r.range)",
                           ListName(enum_name, "name"), values),
               error);
}

// What `text` makes of each name of an enum, as a list.
template <typename Text>
bool MakeTextList(Database* database, const core::EnumType& functions, const char* what, Text text,
                  std::string* error) {
    std::string list;
    std::set<std::string> texts;
    int64_t next = 0;
    for (const auto& [value, name] : functions.values) {
        for (; next < value; ++next) list += "NULL, ";
        list += fmt::format("'{}', ", text(name));
        texts.emplace(text(name));
        ++next;
    }
    std::string type;
    for (const std::string& one : texts)
        type += fmt::format("{}'{}'", type.empty() ? "" : ", ", one);
    const std::string name = ListName(functions.name, what);
    return database->Execute(fmt::format("CREATE TYPE {} AS ENUM ({})", name, type), error) &&
           database->Execute(fmt::format("SET VARIABLE {0} = [{1}]::{0}[]", name, list), error);
}

constexpr const char* kCommunicators = R"(CREATE VIEW communicator AS
SELECT comm, comm_name(comm) AS name FROM (SELECT DISTINCT comm FROM mpi_comm))";

// What the functions say of a capture stands in tables of an export folder.
bool AddLookups(Database* database, std::string* error) {
    const auto add = [&](const char* table, const char* macro, const char* from_table) {
        std::string ignored;
        const bool has_table =
            database->Execute(fmt::format("SELECT 1 FROM {} LIMIT 0", table), &ignored);
        return database->Execute(
            fmt::format("CREATE MACRO {} AS {}", macro, has_table ? from_table : "NULL::VARCHAR"),
            error);
    };
    return add("communicator", "comm_name(of_comm)",
               "(SELECT min(name) FROM communicator WHERE comm = of_comm)") &&
           add("source", "source_text(of_process, of_address)",
               "(SELECT min(file || ':' || line) FROM source WHERE process_id = of_process AND "
               "address = of_address)");
}

// An export folder holds the views as files; what is missing are their windows of time.
bool AddWindows(Database* database, std::string* error) {
    const auto add = [&](const char* name, std::string from, std::string sql) {
        const size_t at = sql.find(from);
        sql.replace(at, from.size(), name);
        std::string ignored;
        // An export of single tables does not have them all.
        if (!database->Execute(fmt::format("SELECT 1 FROM {} LIMIT 0", name), &ignored))
            return true;
        return database->Execute(fmt::format("CREATE MACRO {}(t0, t1) AS TABLE\n{}", name, sql),
                                 error);
    };
    if (!add("span", "?", fmt::format("SELECT * FROM ?\n{}", kSpanWindow))) return false;
    return std::all_of(std::begin(kViews), std::end(kViews),
                       [&](const ViewSql& view) { return add(view.name, view.from, view.sql); });
}

}  // namespace

const std::vector<std::string>& ViewNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> made = {"span"};
        for (const ViewSql& view : kViews) made.push_back(view.name);
        made.insert(made.end(), {"rank", "thread"});
        return made;
    }();
    return names;
}

bool AddViews(Database* database, std::string* error) {
    if (!database->Execute(CollectiveShapeSql(), error)) return false;
    if (database->capture() == nullptr) {
        std::string ignored;
        // An export of single tables may have no messages.
        if (database->Execute("SELECT 1 FROM message LIMIT 0", &ignored)) {
            AddCallWaits(database,
                         !database->Execute("SELECT 1 FROM wait_state LIMIT 0", &ignored));
        }
        AddSpanThreads(database);
        return AddLookups(database, error) && CompleteOlderExport(database, error) &&
               AddWindows(database, error);
    }
    const Capture& capture = *database->capture();
    const auto state = std::make_shared<AnswerState>(capture);
    if (!RegisterMatchFunctions(database->connection(),
                                [state]() -> const MatchResult& { return state->matches(); }) ||
        !RegisterLookupFunctions(database->connection(), state) ||
        !RegisterWaitFunction(database)) {
        *error = "DuckDB refuses a function of the views";
        return false;
    }
    std::set<std::string> done;
    for (const RecordTable& table : capture.tables()) {
        for (const char* column : {"function", "category"}) {
            const int found = table.FindColumn(column);
            if (found < 0) continue;
            const std::string& name = table.columns[static_cast<size_t>(found)].enum_name;
            if (name.empty() || !done.insert(name).second) continue;
            if (!MakeNameLists(database, name, error)) return false;
        }
    }
    for (const core::EnumType& type : core::Schema::BuiltIn().enums()) {
        const bool openmp = type.name.ends_with("OmpFunction");
        if (!openmp && !type.name.ends_with("MpiFunction")) continue;
        const auto category = openmp ? OpenmpCategory : MpiCategory;
        if (!MakeTextList(database, type, "category", category, error)) return false;
        if (openmp && !MakeTextList(database, type, "shown", OpenmpName, error)) return false;
    }
    if (HasTable(capture, "omp_construct")) {
        if (!database->Execute(kOpenmpPlace, error)) return false;
        database->MakeOnMention({"dbg_", "openmp_"}, [database](std::string* reason) {
            return AddOpenmpViews(database, reason);
        });
    }
    if (HasTable(capture, "mpi_comm") && !database->Execute(kCommunicators, error)) return false;
    if (!MakeView(database, "span", SpanSql(capture), error)) return false;
    const bool has_user_messages = std::any_of(
        capture.tables().begin(), capture.tables().end(), [&](const RecordTable& table) {
            return table.name == "user_message" && IsInCapture(capture, table);
        });
    if (!UseLinks(database, error) || !MakeParts(database, has_user_messages, error)) return false;
    // Before what works on messages.
    database->MakeOnMention(
        {"message", "unmatched", "collective", "wait"},
        [database](std::string*) {
            KeepLinksIfWorth(database);
            return true;
        },
        Database::Need::kRows);
    AddCallWaits(database, false);
    AddSpanThreads(database);
    for (const ViewSql& view : kViews) {
        const std::string_view name = view.name;
        if (name == "wait_state") {
            MakeViewOnMention(database, view, kWaitStateSql);
        } else if (name == "rma_epoch") {
            MakeViewOnMention(database, view, RmaEpochsOf(capture));
        } else if (name == "file_access") {
            MakeViewOnMention(database, view, FileAccessesOf(capture));
        } else if (!MakeView(database, view.name, view.sql, error)) {
            return false;
        }
    }
    return true;
}

}  // namespace comshu::read
