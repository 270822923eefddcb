// Export as a Paraver trace: .prv, and .pcf and .row beside it.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "communicators.h"
#include "comshu/format/export.h"
#include "comshu/read/external_sort.h"
#include "comshu/read/pending_file.h"
#include "comshu/read/query.h"
#include "each_row.h"
#include "ordered_messages.h"
#include "paraver/mpi_events.h"
#include "paraver/name_files.h"
#include "paraver/objects.h"
#include "paraver/record_writer.h"
#include "plain_losses.h"
#include "sort_space.h"
#include "text/file_output.h"
#include "text/one_line.h"

namespace comshu::format {
namespace {

using paraver::MpiEvent;
using paraver::Place;

// Of regions their names, of calls of MPI their categories, too.
constexpr const char* kKindsSql = R"(SELECT DISTINCT layer = 'mpi' AS is_call,
    coalesce(name, '') AS name, CASE WHEN layer = 'mpi' THEN category END AS category
FROM span ORDER BY ALL)";

constexpr const char* kSpanSql = R"(SELECT rank, thread, span_id, begin_ns, end_ns, parent_id,
    layer = 'mpi', category, coalesce(name, '') FROM span)";
constexpr size_t kMessageColumns = 12;
constexpr const char* kMessageSql =
    R"(send_rank, span_thread(send_span), send_span, send_begin_ns,
    greatest(coalesce(recv_end_ns, recv_begin_ns), 0), recv_rank,
    span_thread(coalesce(recv_done_span, recv_span)), coalesce(bytes, recv_bytes), tag,
    coalesce(send_end_ns, send_begin_ns), recv_begin_ns, coalesce(recv_bytes <> bytes, false))";
constexpr const char* kCollectiveSql =
    R"(SELECT rank, span_thread(span_id), span_id, begin_ns, bytes_in, bytes_out, coalesce(root, -1),
    comm, coalesce(done_span <> span_id, false) FROM collective)";
// When the run began, in UTC.
constexpr const char* kDateSql = R"(SELECT strftime(make_timestamp_ns(min(start_realtime_ns)),
    '%d/%m/%Y at %H:%M') FROM capture)";
constexpr const char* kEndSql = R"(SELECT greatest(
    (SELECT coalesce(max(end_ns), 0) FROM rank),
    (SELECT coalesce(max(greatest(begin_ns, coalesce(end_ns, 0))), 0) FROM span)))";
constexpr const char* kThreadSql = "SELECT rank, thread, begin_ns FROM thread";

// Calls that other formats name otherwise.
struct OtherName {
    const char* name;
    const char* mpi;
};
constexpr OtherName kOtherNames[] = {
    {"send", "MPI_Send"},          {"recv", "MPI_Recv"},
    {"recv_blocking", "MPI_Recv"}, {"recv blocked", "MPI_Recv"},
    {"isend", "MPI_Isend"},        {"irecv", "MPI_Irecv"},
    {"sync", "MPI_Barrier"},       {"barrier", "MPI_Barrier"},
    {"bcast0", "MPI_Bcast"},       {"bcast1", "MPI_Bcast"},
    {"bcast", "MPI_Bcast"},        {"global_op", "MPI_Reduce"},
    {"reduce", "MPI_Reduce"},      {"allreduce", "MPI_Allreduce"},
    {"irecv end", "MPI_Wait"},     {"irecv end blocked", "MPI_Wait"},
    {"isend end", "MPI_Wait"},     {"isend end blocked", "MPI_Wait"},
};

const MpiEvent* EventOf(std::string_view name) {
    static const auto other_names = [] {
        std::map<std::string_view, std::string_view> made;
        for (const OtherName& other : kOtherNames) made[other.name] = other.mpi;
        return made;
    }();
    const auto other = other_names.find(name);
    return paraver::FindMpiEvent(other == other_names.end() ? name : other->second);
}

// Numbers of the states of Paraver. `event`: of the call, or null.
uint8_t StateOf(const std::string& category, const MpiEvent* event) {
    if (category == "run") return 1;
    if (category == "wait") return 8;
    if (category == "collective") return 13;
    if (category == "sync") return 5;
    if (category == "probe") return 6;
    if (category == "io") return 12;
    if (category == "p2p") {
        const int64_t value = event == nullptr ? 0 : event->value;
        return value == 1 ? 4 : value == 3 ? 10 : value == 4 ? 11 : 3;
    }
    return 7;
}

// What the calls of one name are in the trace.
struct CallKind {
    int32_t type = 0;
    int32_t value = 0;
    uint8_t state = 0;
    bool is_renamed = false;
};

class ParaverWriter {
public:
    ParaverWriter(const SortSpace& space, FileOutput* out, int64_t end_ns, ExportResult* result)
        : out_(*out),
          result_(*result),
          end_ns_(end_ns),
          folder_(space.folder()),
          items_(folder_),
          records_(out, end_ns) {}

    bool Header(read::Database* database, const paraver::Objects& objects, std::string* error) {
        std::string date;
        if (!comms_.Load(database, error) ||
            !EachRow(database, kDateSql, error,
                     [&](const read::Query& row) { date = row.Text(0); })) {
            return false;
        }
        out_.Print("#Paraver ({}):{}_ns:", date, end_ns_);
        objects.WriteHeader(&out_);
        out_.Print(",{}\n", comms_.all().size());
        for (const uint64_t comm : comms_.others()) CommOf(comm);
        for (const Communicator& comm : comms_.all()) {
            out_.Print("c:1:{}:{}", CommOf(comm.id), comm.members.size());
            for (const int32_t rank : comm.members) out_.Print(":{}", rank + 1);
            out_.Write("\n");
            named_comms_ += !comms_.IsWorld(comm.id) && !comm.name.empty();
        }
        return true;
    }

    // Of what is not MPI: the number behind its name.
    void Region(const std::string& name, int64_t number) { regions_[name] = number; }
    // So that numbers do not depend on which one comes first.
    void Call(const std::string& name, const std::string& category) { KindOf(name, category); }
    const std::vector<paraver::OwnEvent>& own_events() const { return own_events_; }

    bool Gather(read::Database* database, std::string* error) {
        return EachRow(database, kThreadSql, error,
                       [&](const read::Query& row) {
                           items_.Add(At(row, row.Integer(2), Item::Order::kThread));
                       }) &&
               EachRow(database, kSpanSql, error, [&](const read::Query& row) { AddSpan(row); }) &&
               EachRow(database, kCollectiveSql, error,
                       [&](const read::Query& row) { AddCollective(row); }) &&
               EachMessage<kMessageColumns>(
                   database, kMessageSql, "true", folder_, error,
                   [&](const auto& row, uint64_t number) {
                       Item item = At(row, row.Integer(3), Item::Order::kMessage);
                       unknown_bytes_ += row.IsNull(7);
                       item.span = row.Unsigned(2);
                       item.other_ns = row.Integer(4);
                       item.peer = static_cast<int32_t>(row.Integer(5));
                       item.peer_thread = static_cast<int32_t>(row.Integer(6));
                       item.bytes_or_parent = row.Unsigned(7);
                       item.tag = row.Integer(8);
                       item.number = number;
                       item.end_ns = row.Integer(9);
                       item.value = row.Integer(10);
                       other_length_ += row.Integer(11) != 0;
                       items_.Add(item);
                   });
    }
    bool Write(std::string* error) {
        return items_.Visit([&](const Item& item) { Line(item); }, error);
    }

    void Finish(LineNames* names) {
        for (paraver::OwnEvent& event : own_events_) event.name = names->Of(event.name);
        records_.Finish();
        result_.records = records_.records();
        result_.Say(renamed_, "call has the name of MPI for it",
                    "calls have the names of MPI for them", ": MPI_Send, MPI_Recv, MPI_Barrier");
        result_.Say(nested_, "call ends where one of its kind within it begins",
                    "calls end where one of their kind within them begins");
        result_.Say(crossed_, "region overlaps another without nesting: their ends are swapped",
                    "regions overlap others without nesting: their ends are swapped");
        result_.Say(started_, "nonblocking collective is complete where it is started",
                    "nonblocking collectives are complete where they are started");
        result_.Say(unknown_bytes_, "length of a message is not known: 0",
                    "lengths of messages are not known: 0");
        result_.Say(other_length_, "message came in another length than it was sent in: as sent",
                    "messages came in other lengths than they were sent in: as sent");
        result_.Say(named_comms_, "name of a communicator left out",
                    "names of communicators left out");
    }

private:
    // At one time ends come first, inner ones before outer ones; what has no length stays together.
    struct Item {
        enum class Order : uint8_t { kThread, kEnd, kBegin, kMessage };
        enum class Step : uint8_t { kBegins, kDetails, kEnds };

        int64_t t;
        int32_t rank;
        int32_t thread;
        Order order;
        Step step;
        bool is_call;  // Of MPI.
        uint8_t state;
        uint64_t span;
        uint64_t bytes_or_parent;  // Of details: bytes that come.
        int64_t
            other_ns;  // Of a call, its end; of a message, when it arrives; of details, bytes that go.
        int64_t end_ns;  // Of a message, when its send ends.
        int64_t value;   // Of the event; of details, the communicator; of a message, its post.
        int64_t tag;     // Of details: the root.
        int32_t type;    // Of the event.
        int32_t peer;
        int32_t peer_thread;
        uint64_t number;  // Of a message.

        bool operator<(const Item& other) const {
            const auto head = [](const Item& i) {
                return std::make_tuple(i.t, i.order == Order::kMessage, i.rank, i.thread, i.order);
            };
            if (head(*this) != head(other)) return head(*this) < head(other);
            if (span != other.span)
                return order == Order::kEnd ? span > other.span : span < other.span;
            return std::tie(step, number) < std::tie(other.step, other.number);
        }
    };
    static constexpr int64_t kUnknown = -1;

    template <typename Row>
    static Item At(const Row& row, int64_t t, Item::Order order) {
        Item item{};
        item.t = t;
        item.rank = static_cast<int32_t>(row.Integer(0));
        item.thread = static_cast<int32_t>(row.Integer(1));
        item.order = order;
        return item;
    }

    const CallKind& KindOf(const std::string& name, const std::string& category) {
        const auto [found, is_new] = kinds_.try_emplace({name, category});
        if (!is_new) return found->second;
        CallKind& kind = found->second;
        const MpiEvent* event = EventOf(name);
        kind.state = StateOf(category, event);
        if (event != nullptr) {
            kind.type = static_cast<int32_t>(event->type);
            kind.value = static_cast<int32_t>(event->value);
            kind.is_renamed = name != event->name;
            return kind;
        }
        kind.type = static_cast<int32_t>(category == "collective" ? paraver::kCollectiveType
                                                                  : paraver::kOtherType);
        kind.value = static_cast<int32_t>(paraver::kFirstOwnValue) +
                     static_cast<int32_t>(own_events_.size());
        own_events_.push_back({kind.type, kind.value, name});
        return kind;
    }
    void AddSpan(const read::Query& row) {
        Item item = At(row, row.Integer(3), Item::Order::kBegin);
        const std::string name = row.Text(8);
        const bool ends = !row.IsNull(4);
        item.step = Item::Step::kBegins;
        item.is_call = row.Integer(6) != 0;
        item.span = row.Unsigned(2);
        item.bytes_or_parent = row.Unsigned(5);
        item.other_ns = ends ? row.Integer(4) : end_ns_;
        if (item.is_call) {
            const CallKind& kind = KindOf(name, row.Text(7));
            item.state = kind.state;
            item.type = kind.type;
            item.value = kind.value;
            renamed_ += kind.is_renamed;
        } else {
            item.type = static_cast<int32_t>(paraver::kRegionType);
            item.value = regions_[name];
        }
        items_.Add(item);
        if (!ends) return;
        item.order = item.other_ns == item.t ? Item::Order::kBegin : Item::Order::kEnd;
        item.t = item.other_ns;
        item.step = Item::Step::kEnds;
        item.value = 0;
        items_.Add(item);
    }
    void AddCollective(const read::Query& row) {
        Item item = At(row, row.Integer(3), Item::Order::kBegin);
        item.step = Item::Step::kDetails;
        item.span = row.Unsigned(2);
        item.other_ns = row.IsNull(4) ? kUnknown : row.Integer(4);
        item.bytes_or_parent = row.IsNull(5) ? static_cast<uint64_t>(kUnknown) : row.Unsigned(5);
        item.tag = row.Integer(6);
        item.value = row.IsNull(7) ? kUnknown : CommOf(row.Unsigned(7));
        item.peer = IsRoot(item.rank, item.tag, row);
        started_ += row.Integer(8) != 0;
        items_.Add(item);
    }
    // Whether a rank of the capture is the root of the communicator.
    bool IsRoot(int32_t rank, int64_t root, const read::Query& row) const {
        const int64_t number = row.IsNull(7) ? -1 : comms_.NumberOf(row.Unsigned(7));
        if (number < 0 || root < 0) return false;
        const auto& members = comms_.all()[static_cast<size_t>(number)].members;
        return static_cast<size_t>(root) < members.size() &&
               members[static_cast<size_t>(root)] == rank;
    }
    // Those whose members are not known have numbers after the others.
    int64_t CommOf(uint64_t comm) {
        const int64_t known = comms_.NumberOf(comm);
        if (known >= 0) return known + 1;
        const auto next = static_cast<int64_t>(comms_.all().size() + other_comms_.size()) + 1;
        return other_comms_.try_emplace(comm, next).first->second;
    }

    void Line(const Item& item) {
        const Place place = {item.rank, item.thread};
        if (item.order == Item::Order::kThread) return records_.ThreadStarts(item.t, place);
        if (item.order == Item::Order::kMessage) {
            return records_.Send({.from = place,
                                  .to = {item.peer, item.peer_thread},
                                  .sent_ns = item.t,
                                  .send_end_ns = item.end_ns,
                                  .posted_ns = item.value,
                                  .received_ns = item.other_ns,
                                  .bytes = static_cast<int64_t>(item.bytes_or_parent),
                                  .tag = item.tag});
        }
        if (item.step == Item::Step::kDetails) return Details(item, place);
        Follow(item, place);
        if (item.is_call && item.step == Item::Step::kBegins) {
            records_.CallBegins(item.t, place, item.span, item.bytes_or_parent, item.other_ns,
                                item.state);
        } else if (item.is_call) {
            records_.CallEnds(item.t, place, item.span);
        }
        records_.Event(item.t, place, item.type, item.value);
    }
    void Details(const Item& item, Place place) {
        const auto say = [&](int64_t type, int64_t value) {
            if (value != kUnknown) records_.Event(item.t, place, type, value);
        };
        say(paraver::kSentType, item.other_ns);
        say(paraver::kReceivedType, static_cast<int64_t>(item.bytes_or_parent));
        if (item.peer != 0) say(paraver::kIsRootType, 1);
        say(paraver::kCommType, item.value);
        if (item.tag >= 0) say(paraver::kRootType, item.tag + 1);
    }
    // An end is that of what began last with its type.
    void Follow(const Item& item, Place place) {
        std::vector<uint64_t>& open = open_[{place, item.type}];
        if (item.step == Item::Step::kBegins) {
            nested_ += item.is_call && !open.empty();
            open.push_back(item.span);
            return;
        }
        crossed_ += !item.is_call && !open.empty() && open.back() != item.span;
        std::erase(open, item.span);
    }

    FileOutput& out_;
    ExportResult& result_;
    const int64_t end_ns_;
    const std::string folder_;
    read::ExternalSort<Item> items_;
    paraver::RecordWriter records_;
    Communicators comms_;
    std::map<uint64_t, int64_t> other_comms_;
    std::unordered_map<std::string, int64_t> regions_;
    std::map<std::pair<std::string, std::string>, CallKind> kinds_;
    std::vector<paraver::OwnEvent> own_events_;
    std::map<std::pair<Place, int32_t>, std::vector<uint64_t>> open_;
    uint64_t renamed_ = 0;
    uint64_t nested_ = 0;
    uint64_t crossed_ = 0;
    uint64_t started_ = 0;
    uint64_t unknown_bytes_ = 0;
    uint64_t other_length_ = 0;
    uint64_t named_comms_ = 0;
};

std::string Beside(const std::string& path, const char* suffix) {
    return (path.ends_with(".prv") ? path.substr(0, path.size() - 4) : path) + suffix;
}

// What the trace does not hold.
bool TellLeftOut(read::Database* database, ExportResult* result, std::string* error) {
    return EachRow(database,
                   "SELECT (SELECT count(*) FROM mark), (SELECT count(*) FROM counter), "
                   "(SELECT count(*) FROM unmatched), "
                   "(SELECT count(*) FROM span WHERE end_ns IS NULL)",
                   error, [&](const read::Query& row) {
                       result->Say(row.Unsigned(0), "mark left out", "marks left out");
                       result->Say(row.Unsigned(1), "value of a counter left out",
                                   "values of counters left out");
                       result->Say(row.Unsigned(2), "send or receive has no partner: left out",
                                   "sends and receives have no partner: left out");
                       result->Say(row.Unsigned(3), "call never ended: drawn to the end of the run",
                                   "calls never ended: drawn to the end of the run");
                   });
}

}  // namespace

std::vector<std::string> ParaverFiles(const std::string& path) {
    return {path, Beside(path, ".pcf"), Beside(path, ".row")};
}

bool ExportParaver(read::Database* database, const std::string& path, ExportResult* result,
                   std::string* error) {
    if (read::PendingFile(path).in_place()) {
        *error = path + ": a Paraver trace is three files: give a name for them";
        return false;
    }
    if (!HasWholeCapture(database, error)) return false;
    const SortSpace space(database, path);
    std::vector<std::string> regions;
    std::vector<std::pair<std::string, std::string>> calls;
    int64_t end_ns = 0;
    paraver::Objects objects;
    const auto kind = [&](const read::Query& row) {
        if (row.Integer(0) != 0)
            calls.emplace_back(row.Text(1), row.Text(2));
        else
            regions.push_back(row.Text(1));
    };
    if (!EachRow(database, kKindsSql, error, kind) ||
        !EachRow(database, kEndSql, error,
                 [&](const read::Query& row) { end_ns = row.Integer(0); }) ||
        !objects.Load(database, error)) {
        return false;
    }
    const std::vector<std::string> files = ParaverFiles(path);
    FileOutput out(files[0]), names(files[1]), row_names(files[2]);
    ParaverWriter writer(space, &out, end_ns, result);
    LineNames line_names;
    for (const auto& [name, category] : calls) writer.Call(name, category);
    for (size_t i = 0; i < regions.size(); ++i) {
        writer.Region(regions[i], static_cast<int64_t>(i) + 1);
        regions[i] = line_names.Of(regions[i]);
    }
    if (!writer.Header(database, objects, error) || !writer.Gather(database, error) ||
        !writer.Write(error))
        return false;
    writer.Finish(&line_names);
    if (!TellLeftOut(database, result, error)) return false;
    if (!TellPlainLosses(database, {.threads = true, .names = true, .collective_comms = true},
                         result, error))
        return false;
    paraver::WriteNames(writer.own_events(), regions, &names);
    objects.WriteNames(&line_names, &row_names);
    result->Say(objects.names_left_out(), "name of a thread left out", "names of threads left out");
    line_names.Tell(result);
    return out.Close(error) && names.Close(error) && row_names.Close(error) && out.Finish(error) &&
           names.Finish(error) && row_names.Finish(error);
}

}  // namespace comshu::format
