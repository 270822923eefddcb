// The views as PICL files were before 1992.
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "comshu/read/external_sort.h"
#include "each_row.h"
#include "ordered_messages.h"
#include "picl/imported_marks.h"
#include "picl/line_writer.h"
#include "picl/pair_order.h"
#include "picl/view_writer.h"
#include "span_set.h"
#include "text/one_line.h"

namespace comshu::format::picl {
namespace {

constexpr size_t kMessageColumns = 12;
constexpr const char* kMessageSql =
    R"(send_rank, recv_rank, tag, bytes, send_span, send_begin_ns,
    send_end_ns, recv_span, greatest(recv_begin_ns, coalesce(recv_done_begin_ns, recv_begin_ns)),
    coalesce(recv_end_ns, recv_begin_ns), coalesce(recv_bytes, bytes), recv_done_span)";
// In the columns of a message's sending side.
constexpr const char* kUnmatchedSql =
    R"(SELECT s.rank, u.peer, u.tag, u.bytes, s.span_id, s.begin_ns,
    s.end_ns
FROM span s JOIN unmatched u USING (span_id)
WHERE u.side = 'send' AND u.layer = 'mpi' AND u.why NOT IN ('cancelled', 'failed')
UNION ALL SELECT rank, peer, tag, bytes, span_id, begin_ns, begin_ns FROM unmatched
WHERE side = 'send' AND layer = 'user')";
constexpr const char* kUnmatchedReceivesSql =
    "SELECT count(*) FROM unmatched WHERE side <> 'send' AND layer = 'user'";
constexpr const char* kCollectiveSql = R"(SELECT rank, span_id, begin_ns, end_ns,
    CASE WHEN name LIKE '%arrier%' THEN -1 WHEN name LIKE '%cast%' THEN -2 ELSE -4 END,
    done_span, name NOT IN ('MPI_Barrier', 'MPI_Bcast', 'MPI_Reduce')
        OR coalesce(bytes_in, 0) > 0 OR coalesce(bytes_out, 0) > 0 OR coalesce(root, -1) >= 0
FROM collective)";
constexpr const char* kRegionSql = R"(SELECT rank, span_id, begin_ns, end_ns, coalesce(name, '')
FROM span WHERE layer <> 'mpi')";
constexpr const char* kMarkSql = "SELECT rank, time_ns, coalesce(name, ''), value FROM mark";
constexpr const char* kRankSql = "SELECT rank, begin_ns, coalesce(end_ns, begin_ns) FROM rank";
constexpr const char* kCallSql = "SELECT name, span_id FROM span WHERE layer = 'mpi'";

// At one time ends come before beginnings, inner ones first; what has no length stays together.
struct Event {
    enum class Order : int8_t { kStart, kEnd, kBegin, kMark, kStop };

    int64_t t;
    int32_t rank;
    Order order;
    int8_t step;  // 0: the first record of a call; 1: its last one.
    int16_t record;
    uint64_t span;
    uint64_t message;  // Its number, or 0.
    std::array<int64_t, 3> values;

    bool operator<(const Event& other) const {
        const auto head = [](const Event& e) { return std::tie(e.t, e.rank, e.order); };
        if (head(*this) != head(other)) return head(*this) < head(other);
        if (span != other.span) return order == Order::kEnd ? span > other.span : span < other.span;
        return std::tie(step, message, values) < std::tie(other.step, other.message, other.values);
    }
};

OldLine LineAt(int64_t ns, int64_t rank, int32_t record) {
    OldLine line;
    line.record = record;
    line.seconds = ns / 1'000'000'000;
    line.microseconds = ns % 1'000'000'000 / 1000;
    line.node = rank;
    line.count = ShapeOf(record).fields;
    return line;
}

class OldWriter {
public:
    OldWriter(const ViewExport& what, bool verbose)
        : what_(what), verbose_(verbose), events_(what.space->folder()) {}

    bool Write(std::string* error) {
        for (const auto& [name, number] : what_.numbers) Name(number, name);
        if (!Gather(error) || !FindLeftOut(error) ||
            !events_.Visit([&](const Event& event) { Line(event); }, error)) {
            return false;
        }
        Tell();
        return true;
    }

private:
    bool Gather(std::string* error) {
        const auto each = [&](const char* sql, auto visit) {
            return EachRow(what_.database, sql, error, visit);
        };
        bool has_unmatched = false;
        const auto message = [&](const auto& row, uint64_t number) {
            AddSend(row, number);
            const int64_t begin = row.Integer(8);
            written_.Add(row.Unsigned(7));
            if (!row.IsNull(11)) written_.Add(row.Unsigned(11));
            Begin(begin, row, 1, 7, kRecvBlocking, {row.Integer(2)}, number);
            End(begin, row.Integer(9), row, 1, 7, kRecvWaking,
                {row.Integer(0), row.Integer(2), BytesAt(row, 10)}, number);
        };
        return EachMessage<kMessageColumns>(what_.database, kMessageSql, "true",
                                            what_.space->folder(), error, message) &&
               each("SELECT side FROM unmatched WHERE side = 'send' LIMIT 1",
                    [&](const read::Query&) { has_unmatched = true; }) &&
               (!has_unmatched ||
                each(kUnmatchedSql, [&](const read::Query& row) { AddSend(row, 0); })) &&
               each(kUnmatchedReceivesSql,
                    [&](const read::Query& row) { lost_notices_ = row.Unsigned(0); }) &&
               each(kCollectiveSql,
                    [&](const read::Query& row) {
                        written_.Add(row.Unsigned(1));
                        if (!row.IsNull(5)) written_.Add(row.Unsigned(5));
                        changed_collectives_ += row.Integer(6) != 0;
                        Block(row, row.Integer(4));
                    }) &&
               each(kRegionSql,
                    [&](const read::Query& row) { Block(row, NumberOf(row.Text(4))); }) &&
               each(what_.source == PiclSource::k1992 ? kMarksOf1992Sql : kMarkSql,
                    [&](const read::Query& row) { AddMark(row); }) &&
               each(kRankSql, [&](const read::Query& row) {
                   const auto rank = static_cast<int32_t>(row.Integer(0));
                   if (!starts_.contains(rank))
                       Add(row.Integer(1), row, 0, Event::Order::kStart, 0, 0, kTraceStart,
                           {1, 1, 1});
                   if (!exits_.contains(rank))
                       Add(row.Integer(2), row, 0, Event::Order::kStop, 0, 0, kTraceExit, {});
               });
    }

    template <typename Row>
    void AddSend(const Row& row, uint64_t message) {
        const int64_t begin = row.Integer(5);
        written_.Add(row.Unsigned(4));
        Begin(begin, row, 0, 4, kSend, {row.Integer(1), row.Integer(2), BytesAt(row, 3)}, message);
        never_ended_ += row.IsNull(6);
        if (!row.IsNull(6)) End(begin, row.Integer(6), row, 0, 4, kCompstats, {}, message);
    }

    void AddMark(const read::Query& row) {
        if (what_.source != PiclSource::k1992) {
            return Add(row.Integer(1), row, 0, Event::Order::kMark, 0, 0, kTraceMark,
                       {MarkOf(row.Text(2), row.Real(3))});
        }
        const ImportedMark mark = MarkAsOld(row, what_.numbers);
        lost_values_ += mark.lost;
        const auto rank = static_cast<int32_t>(row.Integer(0));
        if (mark.record == kTraceStart) starts_.insert(rank);
        if (mark.record == kTraceExit) exits_.insert(rank);
        using Order = ImportedMark::Order;
        const Event::Order order = mark.order == Order::kFirst  ? Event::Order::kStart
                                   : mark.order == Order::kLast ? Event::Order::kStop
                                                                : Event::Order::kMark;
        int64_t first = mark.values[0];
        if (ShapeOf(static_cast<int32_t>(mark.record)).has_text) {
            const auto [found, is_new] = text_numbers_.emplace(mark.text, texts_.size());
            if (is_new) texts_.push_back(&found->first);
            first = static_cast<int64_t>(found->second);
        }
        Add(row.Integer(2), row, 0, order, row.Unsigned(kMarkLineNumber), 0,
            static_cast<int32_t>(mark.record), {first, mark.values[1], mark.values[2]});
    }

    // The calls of which nothing was written, and those that have another name now.
    bool FindLeftOut(std::string* error) {
        return EachRow(what_.database, kCallSql, error, [&](const read::Query& row) {
            const std::string name = row.Text(0);
            if (!written_.Contains(row.Unsigned(1)))
                ++left_out_[name];
            else
                renamed_ += name.starts_with("MPI_");
        });
    }
    void Tell() {
        ExportResult& result = *what_.result;
        for (const auto& [name, calls] : left_out_) {
            result.Say(calls, "call", "calls",
                       fmt::format(" of {} left out: the format has no record for it", name));
        }
        result.Say(renamed_, "call has", "calls have",
                   " the names of PICL: send, recv_blocking, barrier, bcast0, global_op");
        result.Say(changed_collectives_, "collective is", "collectives are",
                   " without root, bytes and what operation it was: a block of the format");
        result.Say(lost_notices_, "receive of the program's own transport has no send: left out",
                   "receives of the program's own transport have no sends: left out");
        result.Say(never_ended_, "send never ended: without length",
                   "sends never ended: without length");
        result.Say(lost_values_, "value of a mark left out or cut to a whole number",
                   "values of marks left out or cut to whole numbers");
        result.Say(cut_times_, "time", "times", " cut to microseconds");
        result.Say(pairs_.turned(), "message is", "messages are",
                   " received in another order than sent in: who reads the file takes them for one "
                   "another");
        names_.Tell(&result);
    }

    // A mark that has a number for a name keeps it; others have the number of their name.
    int64_t MarkOf(const std::string& name, double value) {
        const bool is_number = name == "trace_mark";
        constexpr double kMost = 1e15;
        const bool fits = std::abs(value) <= kMost && std::trunc(value) == value;
        lost_values_ += is_number ? !fits : value != 0;
        if (!is_number) return NumberOf(name);
        return std::abs(value) <= kMost ? std::llround(value) : 0;
    }
    template <typename Row>
    static int64_t BytesAt(const Row& row, size_t column) {
        return row.IsNull(column) ? -1 : row.Integer(column);
    }
    int64_t NumberOf(const std::string& name) const {
        const auto found = what_.numbers.find(name);
        return found == what_.numbers.end() ? 0 : found->second;
    }

    using Values = std::array<int64_t, 3>;
    // `rank`, `span`: columns of the row.
    template <typename Row>
    void Add(int64_t t, const Row& row, size_t rank, Event::Order order, uint64_t span, int8_t step,
             int32_t record, Values values, uint64_t message = 0) {
        const auto at = static_cast<int32_t>(row.Integer(rank));
        events_.Add({t, at, order, step, static_cast<int16_t>(record), span, message, values});
    }
    template <typename Row>
    void Begin(int64_t t, const Row& row, size_t rank, size_t span, int32_t record, Values values,
               uint64_t message = 0) {
        Add(t, row, rank, Event::Order::kBegin, row.Unsigned(span), 0, record, values, message);
    }
    template <typename Row>
    void End(int64_t begin, int64_t t, const Row& row, size_t rank, size_t span, int32_t record,
             Values values, uint64_t message = 0) {
        const auto order = t == begin ? Event::Order::kBegin : Event::Order::kEnd;
        if (record == kCompstats) values = {t - begin, 0, 0};
        Add(t, row, rank, order, row.Unsigned(span), 1, record, values, message);
    }
    void Block(const read::Query& row, int64_t number) {
        const int64_t begin = row.Integer(2);
        Begin(begin, row, 0, 1, kBlockBegin, {number});
        if (!row.IsNull(3)) End(begin, row.Integer(3), row, 0, 1, kBlockEnd, {number});
    }

    void Name(int64_t number, const std::string& name) {
        const std::string text =
            fmt::format("{}{}{}{}", kNameBegins, number, kNameFollows, names_.Of(name));
        OldLine line = LineAt(0, 0, kTraceMessage);
        line.text = text;
        Put(line);
    }
    void Line(const Event& event) {
        const int64_t t = std::max<int64_t>(0, event.t);
        cut_times_ += t % 1000 != 0;
        if (event.record == kCompstats) {
            idle_ns_[event.rank] += std::max<int64_t>(0, event.values[0]);
            return Stats(t, event.rank);
        }
        OldLine line = LineAt(t, event.rank, event.record);
        if (ShapeOf(event.record).has_text)
            line.text = *texts_[static_cast<size_t>(event.values[0])];
        for (size_t i = 0; i < 3; ++i) line.values[i] = event.values[i];
        Put(line);
        const auto& v = event.values;
        if (event.record == kRecvWaking) pairs_.Received({v[0], event.rank, v[1]}, event.message);
        if (event.record != kSend) return;
        pairs_.Sent({event.rank, v[0], v[1]}, event.message);
        Stats(t, event.rank);
    }
    void Stats(int64_t t, int64_t rank) {
        OldLine line = LineAt(t, rank, kCompstats);
        const int64_t idle = idle_ns_[rank] / 1000;
        line.values[0] = idle / 1'000'000;
        line.values[1] = idle % 1'000'000;
        Put(line);
    }
    void Put(const OldLine& line) {
        PrintOldLine(line, verbose_, what_.out);
        ++what_.result->records;
    }

    const ViewExport& what_;
    const bool verbose_;
    read::ExternalSort<Event> events_;
    std::map<int64_t, int64_t> idle_ns_;
    PairOrder pairs_;
    LineNames names_;
    SpanSet written_;
    std::map<std::string, uint64_t> left_out_;
    std::set<int32_t> starts_;  // Ranks whose tracing begins by a record of the file.
    std::set<int32_t> exits_;
    // Of an imported file.
    std::map<std::string, size_t> text_numbers_;
    std::vector<const std::string*> texts_;
    uint64_t renamed_ = 0;
    uint64_t changed_collectives_ = 0;
    uint64_t lost_notices_ = 0;
    uint64_t never_ended_ = 0;
    uint64_t lost_values_ = 0;
    uint64_t cut_times_ = 0;
};

}  // namespace

bool WriteOldViews(const ViewExport& what, bool verbose, std::string* error) {
    return OldWriter(what, verbose).Write(error);
}

}  // namespace comshu::format::picl
