#include "stacked_lane.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace comshu::format {

using schema::ImportCategory;
using schema::MpiFunction;

int32_t MpiFunctionNumber(const std::string& name) {
    static const std::map<std::string, int32_t> numbers = [] {
        std::map<std::string, int32_t> made;
        for (int32_t i = 0; i <= static_cast<int32_t>(MpiFunction::MAX); ++i)
            made.emplace(schema::EnumNameMpiFunction(static_cast<MpiFunction>(i)), i);
        return made;
    }();
    const auto found = numbers.find(name);
    return found == numbers.end() ? -1 : found->second;
}

ImportCategory CategoryOfMpi(const std::string& name) {
    struct Rule {
        const char* part;
        ImportCategory category;
    };
    static constexpr Rule kRules[] = {
        {"MPI_Init", ImportCategory::init},
        {"MPI_Finalize", ImportCategory::init},
        {"MPI_Wait", ImportCategory::wait},
        {"MPI_Test", ImportCategory::wait},
        {"MPI_Probe", ImportCategory::probe},
        {"MPI_Iprobe", ImportCategory::probe},
        {"MPI_Reduce_scatter", ImportCategory::collective},
        {"MPI_Send", ImportCategory::p2p},
        {"MPI_Isend", ImportCategory::p2p},
        {"MPI_Recv", ImportCategory::p2p},
        {"MPI_Irecv", ImportCategory::p2p},
        {"MPI_Ssend", ImportCategory::p2p},
        {"MPI_Bsend", ImportCategory::p2p},
        {"MPI_Rsend", ImportCategory::p2p},
        {"MPI_Barrier", ImportCategory::collective},
        {"MPI_Bcast", ImportCategory::collective},
        {"MPI_Reduce", ImportCategory::collective},
        {"MPI_All", ImportCategory::collective},
        {"MPI_Gather", ImportCategory::collective},
        {"MPI_Scatter", ImportCategory::collective},
        {"MPI_Scan", ImportCategory::collective},
        {"MPI_Comm_", ImportCategory::comm},
        {"MPI_Cart_", ImportCategory::comm},
        {"MPI_File_", ImportCategory::io},
        {"MPI_Win_", ImportCategory::rma},
        {"MPI_Put", ImportCategory::rma},
        {"MPI_Get", ImportCategory::rma},
    };
    const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const Rule& r) { return name.starts_with(r.part); });
    return rule == std::end(kRules) ? ImportCategory::other : rule->category;
}

void StackedLane::Enter(int64_t ns, const StateKind& kind, const Place& place) {
    sink_.SeeTime(ns);
    if (spare_.empty()) spare_.emplace_back();
    open_.splice(open_.end(), spare_, spare_.begin());
    Open& open = open_.back();
    open = Open{};
    open.span = lane_->NextSpan();
    open.begin = ns;
    open.place = place;
    open.kind = kind;
    OpenState& innermost = innermost_.try_emplace(kind.key, open_.end()).first->second;
    open.outer = innermost;
    innermost = std::prev(open_.end());
}

bool StackedLane::Leave(int64_t ns, uint64_t key) {
    sink_.SeeTime(ns);
    const auto found = innermost_.find(key);
    if (found == innermost_.end() || found->second == open_.end()) return false;
    const OpenState state = found->second;
    found->second = state->outer;
    const Open open = std::move(*state);
    const uint64_t parent = state == open_.begin() ? 0 : std::prev(state)->span;
    spare_.splice(spare_.end(), open_, state);
    Write(open, schema::SpanHead(TickOf(open.begin), TickOf(std::max(ns, open.begin)), open.span,
                                 static_cast<uint32_t>(parent == 0 ? 0 : open.span - parent),
                                 schema::SpanFlags{}));
    return true;
}

// `what`: role, message, name.
void StackedLane::Communicate(int64_t ns, Open what) {
    sink_.SeeTime(ns);
    if (OpenFunction() >= 0) {
        Open& open = open_.back();
        open.role = what.role;
        open.message = what.message;
        open.started = std::move(what.started);
        return;
    }
    what.kind.category = ImportCategory::p2p;
    Instant(ns, std::move(what));
}

void StackedLane::Instant(int64_t ns, Open open) {
    open.span = lane_->NextSpan();
    open.begin = ns;
    const uint64_t parent = open_.empty() ? 0 : open_.back().span;
    // It may have begun before what is open now.
    if (parent != 0 && open_.back().begin > ns) {
        Write(open, schema::SpanHead(TickOf(ns), TickOf(ns), open.span, 0, schema::SpanFlags{}));
        return;
    }
    Write(open, schema::SpanHead(TickOf(ns), TickOf(ns), open.span,
                                 static_cast<uint32_t>(parent == 0 ? 0 : open.span - parent),
                                 schema::SpanFlags{}));
}

void StackedLane::Send(int64_t ns, const Message& message, uint64_t name) {
    Open what;
    what.role = Role::kSend;
    what.message = message;
    what.kind.name = name;
    Communicate(ns, std::move(what));
}

void StackedLane::Receive(int64_t ns, const Message& message, uint64_t name) {
    if (!open_.empty() && open_.back().kind.function >= 0 && open_.back().role == Role::kSend) {
        // MPI_Sendrecv: the receive is as long as the call.
        const auto started = std::make_shared<Started>();
        started->request = sink_.NextRequest();
        started->is_receive = started->is_known = true;
        started->message = message;
        StartApart(open_.back().begin, started, name);
        return Complete({ns, started->request, true, false, message}, name);
    }
    Open what;
    what.role = Role::kReceive;
    what.message = message;
    what.kind.name = name;
    Communicate(ns, std::move(what));
}

void StackedLane::Start(int64_t ns, const std::shared_ptr<Started>& started, uint64_t name) {
    Open what;
    what.role = Role::kStart;
    what.started = started;
    what.kind.name = name;
    Communicate(ns, std::move(what));
}

void StackedLane::StartApart(int64_t ns, const std::shared_ptr<Started>& started, uint64_t name) {
    sink_.SeeTime(ns);
    Open what;
    what.role = Role::kStart;
    what.started = started;
    what.kind.name = name;
    what.kind.category = ImportCategory::p2p;
    Instant(ns, std::move(what));
}

namespace {

int32_t PeerOf(const StackedLane::Message& message) {
    return message.comm_peer == kNoNumber ? message.peer : message.comm_peer;
}

// What is not known may be anything.
schema::ImportPointToPoint RecordOfStart(const StackedLane::Started& started) {
    const StackedLane::Message& m = started.message;
    const bool any = started.is_receive && !started.is_known;
    return schema::ImportPointToPoint(
        started.head, started.name, m.comm, started.is_receive ? kNoBytes : m.bytes,
        started.request, any ? kAnyTag : m.tag, any ? kAnySource : PeerOf(m),
        any ? kAnySource : m.peer, kNoNumber,
        started.is_receive ? MpiFunction::MPI_Irecv : MpiFunction::MPI_Isend, started.category);
}

}  // namespace

bool StackedLane::Know(Started* started, const Message* message) {
    started->is_known = message != nullptr;
    if (message != nullptr) started->message = *message;
    return started->lane == nullptr ||
           sink_.writer().Replace(started->lane, started->at, RecordOfStart(*started));
}

void StackedLane::WriteStart(const Open& open, const schema::SpanHead& head) {
    Started& started = *open.started;
    started.head = head;
    started.name = open.kind.name;
    started.category = open.kind.category;
    const schema::ImportPointToPoint record = RecordOfStart(started);
    if (!started.is_receive || started.is_known || head.end() == 0)
        return Put(record, head.end() == 0);
    started.at = sink_.writer().AddUnfinished(lane_, record);
    started.lane = lane_;
}

void StackedLane::Complete(const Completion& completion, uint64_t name) {
    sink_.SeeTime(completion.ns);
    if (!open_.empty() && open_.back().kind.function >= 0) {
        open_.back().completions.push_back(completion);
        return;
    }
    CompleteApart(completion, name);
}

void StackedLane::CompleteApart(const Completion& completion, uint64_t name) {
    sink_.SeeTime(completion.ns);
    Open open;
    open.kind.name = name;
    open.kind.function = static_cast<int32_t>(MpiFunction::MPI_Wait);
    open.kind.category = ImportCategory::wait;
    open.completions.push_back(completion);
    Instant(completion.ns, std::move(open));
}

void StackedLane::WriteCompletion(const Completion& completion, const schema::SpanHead& head) {
    const Message& m = completion.message;
    const uint64_t tick = head.end() == 0 ? TickOf(completion.ns) : head.end();
    sink_.writer().Add(
        lane_,
        schema::ImportCompletion(
            {tick, head.span()}, completion.request, completion.is_receive ? m.bytes : kNoBytes,
            completion.is_receive ? PeerOf(m) : kNoNumber,
            completion.is_receive ? m.peer : kNoNumber, completion.is_receive ? m.tag : kNoNumber,
            completion.is_receive ? schema::MpiRequestKind::receive : schema::MpiRequestKind::send,
            completion.is_cancelled ? schema::MpiCompletionFlags::cancelled
                                    : schema::MpiCompletionFlags{}));
}

bool StackedLane::Collect(const Collective& collective) {
    if (open_.empty() || open_.back().role != Role::kPlain) return false;
    open_.back().role = Role::kCollective;
    open_.back().collective = collective;
    return true;
}

void StackedLane::Complete(int64_t ns, const Collective& collective, uint64_t name) {
    sink_.SeeTime(ns);
    if (Collect(collective)) return;
    Open open;
    open.kind.name = name;
    open.role = Role::kCollective;
    open.collective = collective;
    Instant(ns, open);
}

void StackedLane::Mark(int64_t ns, uint64_t name, double value) {
    sink_.SeeTime(ns);
    sink_.writer().Add(
        lane_, schema::Mark({TickOf(ns), open_.empty() ? 0 : open_.back().span}, name, value));
}

void StackedLane::Count(int64_t ns, uint64_t name, double value) {
    sink_.SeeTime(ns);
    sink_.writer().Add(
        lane_, schema::Counter({TickOf(ns), open_.empty() ? 0 : open_.back().span}, name, value));
}

// Completions follow the call that brings them.
void StackedLane::Write(const Open& open, const schema::SpanHead& head) {
    WriteCall(open, head);
    for (const Completion& completion : open.completions) WriteCompletion(completion, head);
}

void StackedLane::WriteCall(const Open& open, const schema::SpanHead& head) {
    const bool is_open = head.end() == 0;
    const Message& m = open.message;
    switch (open.role) {
        case Role::kSend:
            return Put(schema::ImportPointToPoint(head, open.kind.name, m.comm, m.bytes, 0, m.tag,
                                                  PeerOf(m), m.peer, kNoNumber,
                                                  MpiFunction::MPI_Send, open.kind.category),
                       is_open);
        case Role::kReceive:
            return Put(schema::ImportReceive(head, open.kind.name, m.comm, m.bytes, m.tag,
                                             PeerOf(m), m.peer, m.tag, PeerOf(m), kNoNumber,
                                             MpiFunction::MPI_Recv, open.kind.category),
                       is_open);
        case Role::kCollective: {
            const Collective& c = open.collective;
            return Put(
                schema::ImportCollective(head, open.kind.name, c.comm, c.sent, c.received, c.root,
                                         kNoNumber, c.function, ImportCategory::collective),
                is_open);
        }
        case Role::kStart:
            return WriteStart(open, head);
        case Role::kPlain:
            break;
    }
    if (open.kind.function >= 0) {
        const uint64_t request = open.completions.empty() ? 0 : open.completions.front().request;
        return Put(
            schema::ImportCall(head, open.kind.name, request, kNoNumber,
                               static_cast<MpiFunction>(open.kind.function), open.kind.category),
            is_open);
    }
    Put(schema::ImportState(head, open.kind.name, kNoNumber, open.kind.category), is_open);
}

uint64_t StackedLane::Finish() {
    const uint64_t count = open_.size();
    for (const Open& open : open_) {
        Write(open, schema::SpanHead(TickOf(open.begin), 0, open.span, 0, schema::SpanFlags{}));
    }
    open_.clear();
    innermost_.clear();
    return count;
}

void StackedLane::Finish(OpenEnds* ends) {
    if (open_.empty()) return;
    const Place first = open_.front().place;
    ends->Add(first, Finish());
}

}  // namespace comshu::format
