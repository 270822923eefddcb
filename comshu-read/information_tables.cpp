#include "information_tables.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "comshu/read/open_span.h"
#include "comshu/schema/core_generated.h"
#include "table_appender.h"

namespace comshu::read {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE capture (path VARCHAR, start_realtime_ns BIGINT, clock_error_ns DOUBLE,
    clock_choice VARCHAR);
CREATE TABLE clock (clock_id UINTEGER, host VARCHAR, boot_id VARCHAR, processes UINTEGER,
    method VARCHAR, offset_ns DOUBLE, drift_ppb DOUBLE, bound_ns DOUBLE);
CREATE TABLE process (process_id UINTEGER, rank INTEGER, host VARCHAR, pid UINTEGER,
    parent_pid UINTEGER, exec_number USMALLINT, state VARCHAR, exit_code INTEGER, signal INTEGER,
    begin_ns BIGINT, end_ns BIGINT, recorded UBIGINT, lost UBIGINT, waited_ns BIGINT, executable VARCHAR,
    command VARCHAR, working_directory VARCHAR, boot_id VARCHAR, pass VARCHAR, path VARCHAR,
    clock_id UINTEGER);
CREATE TABLE rank (rank INTEGER, world UBIGINT, world_rank INTEGER, host VARCHAR, pid UINTEGER,
    process_id UINTEGER, thread UINTEGER, name VARCHAR, begin_ns BIGINT, end_ns BIGINT,
    recorded UBIGINT, lost UBIGINT, state VARCHAR);
CREATE TABLE thread (rank INTEGER, world UBIGINT, world_rank INTEGER, host VARCHAR, pid UINTEGER,
    process_id UINTEGER, thread UINTEGER, tid UINTEGER, name VARCHAR, begin_ns BIGINT, end_ns BIGINT,
    recorded UBIGINT, lost UBIGINT, state VARCHAR);
CREATE TABLE note (rank INTEGER, process_id UINTEGER, time_ns BIGINT, kind VARCHAR, text VARCHAR);
CREATE TABLE artifact (id UBIGINT, kind UTINYINT, bytes UBIGINT, text VARCHAR);
CREATE TABLE stack_frame (stack_id UBIGINT, level UINTEGER, address UBIGINT);
CREATE TABLE source (process_id UINTEGER, rank INTEGER, address UBIGINT, file VARCHAR, line UINTEGER,
    function VARCHAR, module VARCHAR);
CREATE TABLE enum_value (enum VARCHAR, value BIGINT, name VARCHAR);
CREATE TABLE record_type (type USMALLINT, name VARCHAR, record VARCHAR, archetype VARCHAR,
    layer VARCHAR, documentation VARCHAR);
CREATE TABLE record_column (record_type VARCHAR, name VARCHAR, position UINTEGER, unit VARCHAR,
    enum VARCHAR, documentation VARCHAR);
CREATE TABLE open_span (rank INTEGER, process_id UINTEGER, thread UINTEGER, depth UINTEGER,
    span_id UBIGINT, parent_id UBIGINT, record VARCHAR, name VARCHAR, begin_ns BIGINT,
    open_ns BIGINT, comm UBIGINT, peer INTEGER, world_peer INTEGER, tag INTEGER, root INTEGER,
    bytes UBIGINT, request UBIGINT, caller UBIGINT, state VARCHAR);
CREATE TABLE problem (text VARCHAR, kind VARCHAR);
)";

std::optional<int64_t> RankOf(const Process& process) {
    if (process.rank == kNoRank) return std::nullopt;
    return process.rank;
}

std::optional<int64_t> TimeOf(const Process& process, uint64_t tick) {
    if (tick == 0) return std::nullopt;
    return process.scale.ToNs(tick);
}

// Orderly ends have a time. What was killed ended when comshu run saw it, or stood in its calls until the
// run ended; else all that is known is its last record.
class Ends {
public:
    Ends(const Capture& capture, const std::vector<OpenSpan>& open) : capture_(capture) {
        for (const OpenSpan& span : open) standing_.insert({span.process, span.thread});
    }
    std::optional<int64_t> Of(const Process& process) const {
        const auto stands = standing_.lower_bound({process.id, 0});
        return Of(process, stands != standing_.end() && stands->first == process.id);
    }
    std::optional<int64_t> Of(const Process& process, uint32_t thread) const {
        return Of(process, standing_.contains({process.id, thread}));
    }

private:
    std::optional<int64_t> Of(const Process& process, bool stands) const {
        if (process.state == ProcessState::kRunning) return std::nullopt;
        if (process.ended) return process.scale.ToNs(process.end);
        return stands || process.failed_ns ? capture_.StoodUntilNs(process)
                                           : capture_.LastNs(process);
    }

    const Capture& capture_;
    std::set<std::pair<uint32_t, uint32_t>> standing_;  // Process and thread.
};

std::string BaseName(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

struct Counts {
    uint64_t recorded = 0;
    uint64_t lost = 0;
};

Counts CountsOf(const Process& process) {
    Counts counts;
    for (const auto& [number, thread] : process.threads) {
        counts.recorded += thread.recorded;
        counts.lost += thread.lost;
    }
    if (process.live != nullptr) {
        counts.lost = std::max(counts.lost, process.live->write_lost());
        counts.lost += process.live->unslotted_lost();
    }
    return process.ended ? Counts{process.recorded, process.lost} : counts;
}

void FillProcesses(const Capture& capture, const Ends& ends, TableAppender* to) {
    for (const auto& process : capture.processes()) {
        const Counts counts = CountsOf(*process);
        to->Unsigned(process->id).SignedOrNull(RankOf(*process)).TextOrNull(process->host);
        to->Unsigned(process->pid).Unsigned(process->parent_pid).Unsigned(process->exec_number);
        to->Text(StateName(process->state));
        if (process->exit_code == std::numeric_limits<int32_t>::min())
            to->Null();
        else
            to->Signed(process->exit_code);
        if (process->signal == 0)
            to->Null();
        else
            to->Signed(process->signal);
        to->SignedOrNull(TimeOf(*process, process->begin)).SignedOrNull(ends.Of(*process));
        to->Unsigned(counts.recorded).Unsigned(counts.lost);
        to->Signed(process->scale.DurationNs(process->waited));
        to->TextOrNull(process->executable).TextOrNull(process->command);
        to->TextOrNull(process->working_directory).TextOrNull(process->boot_id);
        to->TextOrNull(process->pass).Text(process->path).Unsigned(process->clock_id).EndRow();
    }
}

void PlaceOf(const Process& process, TableAppender* to) {
    to->SignedOrNull(RankOf(process));
    if (process.worlds.empty())
        to->Null().Null();
    else
        to->Unsigned(process.worlds.front().world).Signed(process.worlds.front().rank);
    to->TextOrNull(process.host).Unsigned(process.pid).Unsigned(process.id);
}

// A rank may have several processes (forks, execs): the one that is in a world speaks for it.
void FillRanks(const Capture& capture, const Ends& ends, TableAppender* to) {
    std::map<int32_t, std::vector<const Process*>> ranks;
    for (const auto& process : capture.processes()) ranks[process->rank].push_back(process.get());
    for (auto& [rank, members] : ranks) {
        const Process* main =
            *std::min_element(members.begin(), members.end(), [](const auto* a, const auto* b) {
                if (a->worlds.empty() != b->worlds.empty()) return b->worlds.empty();
                return a->scale.ToNs(a->begin) < b->scale.ToNs(b->begin);
            });
        Counts counts;
        for (const Process* member : members) {
            const Counts of_member = CountsOf(*member);
            counts.recorded += of_member.recorded;
            counts.lost += of_member.lost;
        }
        PlaceOf(*main, to);
        to->Null().TextOrNull(BaseName(main->executable));
        to->SignedOrNull(TimeOf(*main, main->begin)).SignedOrNull(ends.Of(*main));
        to->Unsigned(counts.recorded).Unsigned(counts.lost).Text(StateName(main->state));
        to->EndRow();
    }
}

void FillThreads(const Capture& capture, const Ends& ends, TableAppender* to) {
    for (const auto& process : capture.processes()) {
        for (const auto& [number, thread] : process->threads) {
            PlaceOf(*process, to);
            to->Unsigned(number).Unsigned(thread.tid).TextOrNull(thread.name);
            to->SignedOrNull(TimeOf(*process, thread.begin));
            to->SignedOrNull(thread.end != 0 ? TimeOf(*process, thread.end)
                                             : ends.Of(*process, number));
            to->Unsigned(thread.recorded).Unsigned(thread.lost);
            to->Text(thread.end != 0 ? "finished" : StateName(process->state)).EndRow();
        }
    }
}

void FillNotes(const Capture& capture, TableAppender* to) {
    for (const auto& process : capture.processes()) {
        for (const Note& note : process->notes) {
            to->SignedOrNull(RankOf(*process)).Unsigned(process->id);
            to->SignedOrNull(TimeOf(*process, note.tick)).Text(note.kind).Text(note.text).EndRow();
        }
    }
}

void FillArtifacts(const Capture& capture, TableAppender* to) {
    for (const auto& [id, artifact] : capture.artifacts().all()) {
        to->Unsigned(id).Unsigned(artifact.kind).Unsigned(artifact.content.size());
        if (artifact.kind == 0)
            to->Text(artifact.content);
        else
            to->Null();
        to->EndRow();
    }
}

void FillStackFrames(const Capture& capture, TableAppender* to) {
    for (const auto& [id, artifact] : capture.artifacts().all()) {
        if (artifact.kind != static_cast<uint8_t>(schema::ArtifactKind::call_stack)) continue;
        uint64_t level = 0;
        for (const uint64_t address : capture.artifacts().CallStack(id))
            to->Unsigned(id).Unsigned(level++).Unsigned(address).EndRow();
    }
}

void FillSources(const Capture& capture, TableAppender* to) {
    for (const SourcePosition& source : capture.sources()) {
        const Process& process = *capture.processes()[source.process];
        to->Unsigned(process.id).SignedOrNull(RankOf(process)).Unsigned(source.address);
        to->TextOrNull(source.file);
        if (source.line == 0)
            to->Null();
        else
            to->Unsigned(source.line);
        to->TextOrNull(source.function).TextOrNull(source.module).EndRow();
    }
}

void FillEnumValues(const Capture& capture, TableAppender* to) {
    std::set<std::pair<std::string, int64_t>> done;
    std::vector<const core::Schema*> schemas = {&core::Schema::BuiltIn()};
    for (const auto& process : capture.processes()) schemas.push_back(&process->schema());
    for (const core::Schema* schema : schemas) {
        for (const core::EnumType& type : schema->enums()) {
            for (const auto& [value, name] : type.values) {
                if (!done.emplace(type.name, value).second) continue;
                to->Text(type.name).Signed(value).Text(name).EndRow();
            }
        }
    }
}

const char* ArchetypeName(core::Archetype archetype) {
    switch (archetype) {
        case core::Archetype::kEvent:
            return "event";
        case core::Archetype::kEntity:
            return "entity";
        case core::Archetype::kArtifact:
            return "artifact";
        case core::Archetype::kEdge:
            return "edge";
    }
    return "";
}

// A time in ticks is one in ns here.
std::string UnitOf(const TableColumn& column) {
    if (column.kind == TableColumnKind::kTime || column.kind == TableColumnKind::kDuration)
        return "ns";
    if (column.kind == TableColumnKind::kArtifactText) return "";
    return column.field.unit;
}

void FillRecordTypes(const Capture& capture, TableAppender* to) {
    for (const RecordTable& table : capture.tables()) {
        to->Unsigned(table.type).Text(table.name).Text(table.record);
        to->Text(ArchetypeName(table.archetype)).TextOrNull(table.layer);
        to->TextOrNull(table.documentation).EndRow();
    }
}

void FillRecordColumns(const Capture& capture, TableAppender* to) {
    for (const RecordTable& table : capture.tables()) {
        for (size_t i = 0; i < table.columns.size(); ++i) {
            const TableColumn& column = table.columns[i];
            to->Text(table.name).Text(column.name).Unsigned(i).TextOrNull(UnitOf(column));
            to->TextOrNull(column.enum_name).TextOrNull(column.field.documentation).EndRow();
        }
    }
}

void FillOpenSpans(const Capture& capture, const std::vector<OpenSpan>& open, TableAppender* to) {
    for (const OpenSpan& span : open) {
        const Process& process = *capture.processes()[span.process];
        to->SignedOrNull(RankOf(process)).Unsigned(process.id).Unsigned(span.thread);
        to->Unsigned(span.depth).Unsigned(span.span_id);
        to->UnsignedOrNull(span.parent_id == 0 ? std::nullopt : std::optional(span.parent_id));
        to->Text(span.record).Text(span.name).Signed(span.begin_ns).Signed(span.open_ns);
        to->UnsignedOrNull(span.comm).SignedOrNull(span.peer).SignedOrNull(span.world_peer);
        to->SignedOrNull(span.tag).SignedOrNull(span.root).UnsignedOrNull(span.bytes);
        to->UnsignedOrNull(span.request).UnsignedOrNull(span.caller);
        to->Text(StateName(process.state)).EndRow();
    }
}

void FillCapture(const Capture& capture, TableAppender* to) {
    for (const std::string& path : capture.paths()) {
        to->Text(path).Signed(capture.start_realtime_ns()).Double(capture.clock_error_ns());
        to->Text(ChoiceText(capture.clock_choice())).EndRow();
    }
}

void FillClocks(const Capture& capture, TableAppender* to) {
    uint64_t number = 0;
    for (const HostClock& clock : capture.clocks()) {
        const bool measured = clock.method == HostClock::Method::kLinear ||
                              clock.method == HostClock::Method::kOffset;
        to->Unsigned(number++).TextOrNull(clock.host).TextOrNull(clock.boot_id);
        to->Unsigned(clock.processes).Text(MethodText(clock.method));
        for (const double value : {clock.offset_ns, clock.drift_ppb, clock.bound_ns}) {
            if (measured)
                to->Double(value);
            else
                to->Null();
        }
        to->EndRow();
    }
}

void FillProblems(const Capture& capture, TableAppender* to) {
    for (const Problem& problem : capture.problems())
        to->Text(problem.text).Text(KindName(problem.kind)).EndRow();
}

bool Run(duckdb_connection connection, const char* sql, std::string* error) {
    duckdb_result result;
    const bool done = duckdb_query(connection, sql, &result) == DuckDBSuccess;
    if (!done) *error = duckdb_result_error(&result);
    duckdb_destroy_result(&result);
    return done;
}

}  // namespace

bool RefillProblems(duckdb_connection connection, const Capture& capture, std::string* error) {
    if (!Run(connection, "DELETE FROM problem", error)) return false;
    TableAppender appender(connection, "problem");
    FillProblems(capture, &appender);
    return appender.Close(error);
}

bool MakeInformationTables(duckdb_connection connection, const Capture& capture,
                           std::string* error) {
    if (!Run(connection, kTables, error)) return false;
    const std::vector<OpenSpan> open = OpenSpans(capture);
    const Ends ends(capture, open);
    using Fill = std::function<void(const Capture&, TableAppender*)>;
    const auto with_ends = [&](auto fill) {
        return [&ends, fill](const Capture& of, TableAppender* to) { fill(of, ends, to); };
    };
    const std::pair<const char*, Fill> fills[] = {
        {"capture", FillCapture},
        {"clock", FillClocks},
        {"process", with_ends(FillProcesses)},
        {"rank", with_ends(FillRanks)},
        {"thread", with_ends(FillThreads)},
        {"note", FillNotes},
        {"artifact", FillArtifacts},
        {"stack_frame", FillStackFrames},
        {"source", FillSources},
        {"enum_value", FillEnumValues},
        {"record_type", FillRecordTypes},
        {"record_column", FillRecordColumns},
        {"open_span", [&](const Capture& of, TableAppender* to) { FillOpenSpans(of, open, to); }},
        {"problem", FillProblems},
    };
    for (const auto& [table, fill] : fills) {
        TableAppender appender(connection, table);
        fill(capture, &appender);
        if (!appender.Close(error)) return false;
    }
    return true;
}

}  // namespace comshu::read
