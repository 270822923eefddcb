#include "timeline/span_stream.h"

#include <algorithm>
#include <tuple>

#include "each_row.h"
#include "ordered_messages.h"

namespace comshu::format {
namespace {

constexpr const char* kSpanSql =
    R"(SELECT process_id, rank, thread, span_id, begin_ns, end_ns, layer,
    category, name, source, bytes, peer, tag, root, comm, request,
    coalesce(failed, false), coalesce(unwound, false) FROM span)";

constexpr size_t kMessageColumns = 17;
constexpr const char* kMessageSql = R"(send_span, send_begin_ns,
    coalesce(recv_done_span, recv_span),
    CASE WHEN recv_done_span IS NULL THEN recv_begin_ns ELSE recv_done_begin_ns END,
    send_rank, recv_rank, tag, coalesce(bytes, recv_bytes),
    coalesce(recv_end_ns < send_begin_ns, false), comm, coalesce(recv_bytes, bytes),
    send_done_span, send_done_begin_ns, send_done_span IS DISTINCT FROM send_span,
    recv_span, recv_begin_ns, coalesce(recv_done_span <> recv_span, false))";

// What the program told of its own transport has a time of its own, often within no call.
constexpr const char* kNoticeSql = R"(WITH side AS (
    SELECT *, direction = 0 AS sends, CASE WHEN direction = 0 THEN rank ELSE peer END AS a,
        CASE WHEN direction = 0 THEN peer ELSE rank END AS z FROM user_message)
SELECT process_id, rank, thread, time_ns, transport, peer, tag, bytes, sends,
    source_text(process_id, caller), dense_rank() OVER (ORDER BY transport, a, z, tag, number),
    coalesce(min(bytes) FILTER (sends) OVER pair, min(bytes) OVER pair, 0),
    bool_or(sends) OVER pair AND bool_or(NOT sends) OVER pair,
    coalesce(max(time_ns) FILTER (NOT sends) OVER pair < min(time_ns) FILTER (sends) OVER pair, false)
FROM side WINDOW pair AS (PARTITION BY transport, a, z, tag, number)
ORDER BY time_ns, process_id, thread, 11, sends)";

// A blocking call that never returned would have completed what it began.
constexpr const char* kCollectiveSql = R"(SELECT span_id, begin_ns, coalesce(done_span,
        CASE WHEN regexp_matches(name, '^MPI_I[a-z]|_init(_c)?$') THEN NULL ELSE span_id END),
    CASE WHEN coalesce(done_span, span_id) = span_id THEN begin_ns ELSE done_begin_ns END,
    name, comm, coalesce(root, -1), bytes_in, bytes_out
FROM collective)";

// Notices are no spans of the capture: numbers of their own.
constexpr uint64_t kNoticeBit = uint64_t{0xffffff} << 40;

template <typename Row>
int64_t NumberAt(const Row& row, size_t column) {
    return row.IsNull(column) ? TimelineSpan::kNone : row.Integer(column);
}

}  // namespace

SpanStream::SpanStream(std::string folder, const Communicators* comms,
                       const std::vector<std::string>& collective_names, int64_t end_ns)
    : comms_(*comms),
      collective_names_(collective_names),
      end_ns_(end_ns),
      folder_(std::move(folder)),
      items_(folder_) {}

bool SpanStream::Item::operator<(const Item& other) const {
    const auto key = [](const Item& i) {
        return std::tie(i.process, i.thread, i.begin, i.span, i.kind, i.end);
    };
    return key(*this) < key(other);
}

bool SpanStream::Gather(read::Database* database, bool with_collectives, bool with_requests,
                        std::string* error) {
    return GatherSpans(database, error) && GatherMessages(database, with_requests, error) &&
           GatherNotices(database, error) &&
           (!with_collectives || GatherCollectives(database, error));
}

template <typename Row>
int64_t SpanStream::CommAt(const Row& row, size_t column) const {
    return row.IsNull(column) ? -1 : comms_.NumberOf(row.Unsigned(column));
}

bool SpanStream::GatherSpans(read::Database* database, std::string* error) {
    return EachRow(database, kSpanSql, error, [&](const read::Query& row) {
        Item item{};
        item.process = static_cast<uint32_t>(row.Unsigned(0));
        item.rank = static_cast<int32_t>(row.Integer(1));
        item.thread = static_cast<uint32_t>(row.Unsigned(2));
        item.span = row.Unsigned(3);
        item.begin = row.Integer(4);
        item.flag = row.IsNull(5);
        item.end = row.Integer(5);
        const std::string layer = row.Text(6);
        item.layer = TextId(layer);
        item.category = TextId(row.Text(7));
        item.name = TextId(row.Text(8));
        item.source = TextId(row.Text(9));
        for (size_t i = 0; i < item.numbers.size(); ++i) {
            // Signed ones may be below zero.
            item.numbers[i] = row.IsNull(10 + i) ? TimelineSpan::kNone
                              : i >= 1 && i <= 3 ? row.Integer(10 + i)
                                                 : static_cast<int64_t>(row.Unsigned(10 + i));
        }
        item.failed = row.Integer(16) != 0;
        item.unwound = row.Integer(17) != 0;
        if (layer != "openmp") places_.try_emplace(item.span >> 40, item.process, item.thread);
        items_.Add(item);
    });
}

bool SpanStream::GatherMessages(read::Database* database, bool with_requests, std::string* error) {
    const auto add = [&](const auto& row, uint64_t number) {
        Item item{};
        messages_ = number;
        item.end = static_cast<int64_t>(number);
        item.flag = row.Integer(8) != 0;
        const bool sends_later = row.Integer(13) != 0;
        const bool receives_later = row.Integer(16) != 0;
        item.numbers = {row.Integer(6), NumberAt(row, 7), CommAt(row, 9), NumberAt(row, 10),
                        sends_later};
        item.kind = Item::Kind::kSent;
        item.rank = static_cast<int32_t>(row.Integer(5));
        AddTo(row.Unsigned(0), row.Integer(1), item);
        item.kind = Item::Kind::kSendDone;
        if (with_requests && sends_later && !row.IsNull(11) && !row.IsNull(12))
            AddTo(row.Unsigned(11), row.Integer(12), item);
        item.numbers[4] = receives_later;
        item.rank = static_cast<int32_t>(row.Integer(4));
        item.kind = Item::Kind::kPosts;
        if (with_requests && receives_later) AddTo(row.Unsigned(14), row.Integer(15), item);
        item.kind = Item::Kind::kReceived;
        AddTo(row.Unsigned(2), row.Integer(3), item);
    };
    return EachMessage<kMessageColumns>(database, kMessageSql, "layer = 'mpi'", folder_, error,
                                        add);
}

bool SpanStream::GatherNotices(read::Database* database, std::string* error) {
    uint64_t notices = 0;
    return EachRow(database, kNoticeSql, error, [&](const read::Query& row) {
        const bool sends = row.Integer(8) != 0;
        const std::string transport = row.Text(4);
        Item item{};
        item.process = static_cast<uint32_t>(row.Unsigned(0));
        item.rank = static_cast<int32_t>(row.Integer(1));
        item.thread = static_cast<uint32_t>(row.Unsigned(2));
        item.begin = row.Integer(3);
        item.end = item.begin + 1;
        item.span = kNoticeBit | notices++;
        item.layer = TextId("user");
        item.category = TextId("message");
        item.name = TextId((sends ? "send (" : "receive (") + transport + ")");
        item.source = TextId(row.Text(9));
        item.transport = TextId(transport);
        item.numbers = {NumberAt(row, 7),    NumberAt(row, 5),    NumberAt(row, 6),
                        TimelineSpan::kNone, TimelineSpan::kNone, TimelineSpan::kNone};
        items_.Add(item);
        if (row.Integer(12) == 0) return;
        item.kind = sends ? Item::Kind::kSent : Item::Kind::kReceived;
        item.rank = static_cast<int32_t>(row.Integer(5));
        item.end = static_cast<int64_t>(messages_ + row.Unsigned(10));
        item.flag = row.Integer(13) != 0;
        item.numbers = {row.Integer(6), row.Integer(11), -1, row.Integer(11), 0};
        items_.Add(item);
    });
}

bool SpanStream::GatherCollectives(read::Database* database, std::string* error) {
    std::unordered_map<std::string, int64_t> names;
    for (const std::string& name : collective_names_)
        names.emplace(name, static_cast<int64_t>(names.size()));
    return EachRow(database, kCollectiveSql, error, [&](const read::Query& row) {
        const auto name = names.find(row.Text(4));
        if (name == names.end()) return;
        Item item{};
        item.end = static_cast<int64_t>(row.Unsigned(0));
        item.numbers = {name->second, CommAt(row, 5),
                        std::max(row.Integer(6), TimelineCollective::kNoRoot), NumberAt(row, 7),
                        NumberAt(row, 8)};
        item.kind = Item::Kind::kStarts;
        AddTo(row.Unsigned(0), row.Integer(1), item);
        item.kind = Item::Kind::kCompletes;
        if (!row.IsNull(2)) AddTo(row.Unsigned(2), row.Integer(3), item);
    });
}

void SpanStream::AddTo(uint64_t span, int64_t begin, Item item) {
    const auto place = places_.find(span >> 40);
    if (place == places_.end()) {
        ++without_call_;
        return;
    }
    item.process = place->second.process;
    item.thread = place->second.thread;
    item.begin = begin;
    item.span = span;
    items_.Add(item);
}

uint32_t SpanStream::TextId(const std::string& text) {
    const auto [found, is_new] = text_ids_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return found->second;
}

TimelineSpan SpanStream::SpanOf(const Item& item) const {
    TimelineSpan span;
    span.row.process_id = item.process;
    span.row.rank = item.rank;
    span.row.thread = item.thread;
    span.is_notice = item.transport != 0;
    span.span_id = span.is_notice ? 0 : item.span;
    span.begin_ns = std::max<int64_t>(0, item.begin);
    span.is_open = item.flag;
    span.failed = item.failed;
    span.unwound = item.unwound;
    span.end_ns = std::max(span.begin_ns, span.is_open ? end_ns_ : item.end);
    span.layer = texts_[item.layer];
    span.category = texts_[item.category];
    span.name = texts_[item.name];
    span.source = texts_[item.source];
    span.transport = texts_[item.transport];
    int64_t* const numbers[] = {&span.bytes, &span.peer, &span.tag,
                                &span.root,  &span.comm, &span.request};
    for (size_t i = 0; i < item.numbers.size(); ++i) *numbers[i] = item.numbers[i];
    return span;
}

void SpanStream::Attach(const Item& item, TimelineSpan* span) const {
    const auto& [a, b, c, d, e, f] = item.numbers;
    const auto id = static_cast<uint64_t>(item.end);
    switch (item.kind) {
        case Item::Kind::kSpan:
            break;
        case Item::Kind::kSent:
            span->sends.push_back({id, item.rank, a, b, item.flag, c, d, e != 0});
            break;
        case Item::Kind::kReceived:
            span->receives.push_back({id, item.rank, a, b, item.flag, c, d, e != 0});
            break;
        case Item::Kind::kPosts:
            span->posts.push_back({id, item.rank, a, b, item.flag, c, d, e != 0});
            break;
        case Item::Kind::kSendDone:
            span->sent.push_back({id, item.rank, a, b, item.flag, c, d, e != 0});
            break;
        case Item::Kind::kStarts:
            span->starts.push_back({id, a, b, c, d, e});
            break;
        case Item::Kind::kCompletes:
            span->completes.push_back({id, a, b, c, d, e});
    }
}

void SpanStream::HandOn(std::vector<TimelineSpan>* group, const Visitor& visit) const {
    // In order of number: a stable sort keeps it.
    std::stable_sort(group->begin(), group->end(),
                     [](const TimelineSpan& a, const TimelineSpan& b) {
                         return std::tuple(!a.is_open, b.end_ns) < std::tuple(!b.is_open, a.end_ns);
                     });
    for (TimelineSpan& span : *group) visit(std::move(span));
    group->clear();
}

bool SpanStream::Visit(const Visitor& visit, std::string* error) {
    std::vector<TimelineSpan> group;
    Item last{};
    const auto is_group = [&](const Item& item) {
        return item.process == last.process && item.thread == last.thread &&
               item.begin == last.begin;
    };
    const bool done = items_.Visit(
        [&](const Item& item) {
            if (item.kind == Item::Kind::kSpan) {
                if (!group.empty() && !is_group(item)) HandOn(&group, visit);
                group.push_back(SpanOf(item));
                last = item;
            } else if (!group.empty() && is_group(item) && item.span == last.span) {
                Attach(item, &group.back());
            } else {
                ++without_call_;
            }
        },
        error);
    HandOn(&group, visit);
    return done;
}

}  // namespace comshu::format
