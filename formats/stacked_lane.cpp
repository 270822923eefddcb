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

void StackedLane::Enter(int64_t ns, const StateKind& kind) {
    sink_.SeeTime(ns);
    if (spare_.empty()) spare_.emplace_back();
    open_.splice(open_.end(), spare_, spare_.begin());
    Open& open = open_.back();
    open = Open{};
    open.span = lane_->NextSpan();
    open.begin = ns;
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
    const Open open = *state;
    const uint64_t parent = state == open_.begin() ? 0 : std::prev(state)->span;
    spare_.splice(spare_.end(), open_, state);
    Write(open, schema::SpanHead(TickOf(open.begin), TickOf(std::max(ns, open.begin)), open.span,
                                 static_cast<uint32_t>(parent == 0 ? 0 : open.span - parent),
                                 schema::SpanFlags{}));
    return true;
}

void StackedLane::Communicate(int64_t ns, Role role, const Message& message, uint64_t name) {
    sink_.SeeTime(ns);
    if (!open_.empty() && open_.back().kind.function >= 0 && open_.back().role == Role::kPlain) {
        open_.back().role = role;
        open_.back().message = message;
        return;
    }
    Open open;
    open.kind.name = name;
    open.kind.category = ImportCategory::p2p;
    open.role = role;
    open.message = message;
    Instant(ns, open);
}

void StackedLane::Instant(int64_t ns, Open open) {
    open.span = lane_->NextSpan();
    open.begin = ns;
    const uint64_t parent = open_.empty() ? 0 : open_.back().span;
    Write(open, schema::SpanHead(TickOf(ns), TickOf(ns), open.span,
                                 static_cast<uint32_t>(parent == 0 ? 0 : open.span - parent),
                                 schema::SpanFlags{}));
}

void StackedLane::Send(int64_t ns, const Message& message, uint64_t name) {
    Communicate(ns, Role::kSend, message, name);
}

void StackedLane::Receive(int64_t ns, const Message& message, uint64_t name) {
    Communicate(ns, Role::kReceive, message, name);
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

void StackedLane::Write(const Open& open, const schema::SpanHead& head) {
    const bool is_open = head.end() == 0;
    const Message& m = open.message;
    switch (open.role) {
        case Role::kSend:
            return Put(schema::ImportPointToPoint(head, open.kind.name, m.comm, m.bytes, 0, m.tag,
                                                  m.peer, m.peer, kNoNumber, MpiFunction::MPI_Send,
                                                  open.kind.category),
                       is_open);
        case Role::kReceive:
            return Put(schema::ImportReceive(head, open.kind.name, m.comm, m.bytes, m.tag, m.peer,
                                             m.peer, m.tag, m.peer, kNoNumber,
                                             MpiFunction::MPI_Recv, open.kind.category),
                       is_open);
        case Role::kCollective: {
            const Collective& c = open.collective;
            return Put(
                schema::ImportCollective(head, open.kind.name, c.comm, c.sent, c.received, c.root,
                                         kNoNumber, c.function, ImportCategory::collective),
                is_open);
        }
        case Role::kPlain:
            break;
    }
    if (open.kind.function >= 0) {
        return Put(
            schema::ImportCall(head, open.kind.name, 0, kNoNumber,
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

}  // namespace comshu::format
