#include "waits/wait_finder.h"

#include <algorithm>
#include <tuple>

#include "comshu/read/collective_root.h"

namespace comshu::read {
namespace {

uint64_t PairOf(int32_t from, int32_t to) {
    return uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to);
}

// As `least` and `greatest` of SQL have it: what is not known does not count.
int64_t Least(int64_t a, int64_t b) {
    return a == kNoTime ? b : b == kNoTime ? a : std::min(a, b);
}

}  // namespace

const char* WaitKindText(WaitKind kind) {
    switch (kind) {
        case WaitKind::kLateSender:
            return "late sender";
        case WaitKind::kLateReceiver:
            return "late receiver";
        case WaitKind::kAtBarrier:
            return "wait at barrier";
        case WaitKind::kBarrierCompletion:
            return "barrier completion";
        case WaitKind::kAtAll:
            return "wait at NxN";
        case WaitKind::kAllCompletion:
            return "NxN completion";
        case WaitKind::kEarlyReduce:
            return "early reduce";
        case WaitKind::kLateBroadcast:
            return "late broadcast";
        case WaitKind::kEarlyScan:
            return "early scan";
    }
    return "";
}

bool WaitFinder::Cause::Take(const Cause& other) {
    const auto key = [](const Cause& cause) {
        return std::tuple(-static_cast<__int128>(cause.ns), cause.rank, cause.span);
    };
    const bool longer = other.ns != kNever && (ns == kNever || key(other) < key(*this));
    if (longer) *this = other;
    return longer;
}

void WaitFinder::Split::Take(const WaitRow& other, int64_t other_ns) {
    const auto key = [](const WaitRow& wait, int64_t at) {
        return std::tuple(-static_cast<__int128>(at), wait.cause_rank, wait.instance);
    };
    if (ns != kNever && key(other, other_ns) >= key(row, ns)) return;
    row = other;
    ns = other_ns;
}

uint32_t WaitFinder::CallOf(uint64_t span, int32_t rank, int64_t enter_ns, int64_t exit_ns) {
    uint32_t* known = call_of_.Insert(span, kNone);
    if (*known == kNone) {
        if (free_calls_.empty()) {
            free_calls_.push_back(static_cast<uint32_t>(calls_.size()));
            calls_.emplace_back();
        }
        *known = free_calls_.back();
        free_calls_.pop_back();
        Call& call = calls_[*known];
        call = Call{};
        call.span = span;
        call.rank = rank;
        call.enter_ns = enter_ns;
        call.final_ns = exit_ns;
        turns_.push({exit_ns, *known});
    }
    Call& call = calls_[*known];
    if (exit_ns != kNoTime) call.exit_ns = exit_ns;
    Expect(*known, exit_ns);
    return *known;
}

void WaitFinder::Expect(uint32_t index, int64_t ns) {
    Call& call = calls_[index];
    call.final_ns = std::max(call.final_ns, ns);
}

void WaitFinder::Advance(int64_t ns) {
    now_ns_ = ns;
    while (!sent_.empty() && sent_.top().ns < ns) {
        const Sent sent = sent_.top();
        sent_.pop();
        Receive(sent);
    }
    while (!turns_.empty() && turns_.top().ns < ns) {
        const uint32_t index = turns_.top().call;
        turns_.pop();
        Call& call = calls_[index];
        if (call.final_ns >= ns) {
            turns_.push({call.final_ns, index});
            continue;
        }
        call.passed = true;
        if (call.missing == 0) Close(index);
    }
}

// Of messages that were sent at one time the one whose call came last is last, so what is before a message with a
// later call was sent before it.
void WaitFinder::Receive(const Sent& sent) {
    const auto to = static_cast<size_t>(sent.to);
    if (to >= latest_.size()) latest_.resize(to + 1, kNever);
    int64_t& of_pair = *latest_of_.Insert(PairOf(sent.from, sent.to), kNever);
    if (sent.call != kNone) {
        const WrongOrder wrong = of_pair > sent.done_begin_ns       ? WrongOrder::kSameSource
                                 : latest_[to] > sent.done_begin_ns ? WrongOrder::kOtherSource
                                                                    : WrongOrder::kNo;
        calls_[sent.call].sender.Take({sent.ns, sent.from, wrong, sent.span});
    }
    of_pair = std::max(of_pair, sent.done_begin_ns);
    latest_[to] = std::max(latest_[to], sent.done_begin_ns);
}

void WaitFinder::AddMessage(const MessageRow& row) {
    const int64_t ns = Least(row.send_begin, row.recv_begin);
    if (ns != kNoTime) Advance(std::max(now_ns_, ns));
    uint32_t call = kNone;
    if (row.recv_done_span != 0) {
        call = CallOf(row.recv_done_span, row.recv_rank, row.recv_done_begin, row.recv_end);
        calls_[call].receives = true;
        if (row.recv_end == kNoTime || row.recv_done_begin == kNoTime ||
            row.send_begin <= row.recv_done_begin) {
            call = kNone;
        } else {
            Expect(call, row.send_begin);
        }
    }
    if (row.recv_done_begin != kNoTime && row.send_begin != kNoTime) {
        sent_.push({row.send_begin, row.recv_done_begin, row.send_span, row.send_rank,
                    row.recv_rank, call});
    }
    if (row.send_done_span == 0 || row.send_done_begin == kNoTime || row.recv_begin == kNoTime ||
        row.recv_begin <= row.send_done_begin || row.send_done <= row.recv_begin) {
        return;
    }
    call = CallOf(row.send_done_span, row.send_rank, row.send_done_begin, row.send_done);
    const Cause cause{row.recv_begin, row.recv_rank, WrongOrder::kNo, row.recv_span};
    calls_[call].receiver.Take(cause);
    if (synchronous_.Find(row.send_span) != nullptr) calls_[call].synchronous_receiver.Take(cause);
}

void WaitFinder::AddCollective(const CollectiveRow& row) {
    if (row.begin != kNoTime) Advance(std::max(now_ns_, row.begin));
    if (IsSplit(row)) ++calls_[CallOf(row.done_span, row.rank, row.done_begin, row.end)].missing;
    const uint32_t members = members_.Get(row.instance);
    if (members <= 1) return CloseInstance({row});
    Instance& rows = *instances_.Insert(row.instance, {});
    rows.push_back(row);
    if (rows.size() < members) return;
    const Instance whole = std::move(rows);
    instances_.Erase(row.instance);
    CloseInstance(whole);
}

void WaitFinder::Finish() {
    instances_.ForEach([&](uint64_t, const Instance& rows) { CloseInstance(rows); });
    for (; !sent_.empty(); sent_.pop()) Receive(sent_.top());
    call_of_.ForEach([&](uint64_t, uint32_t index) { EmitCall(calls_[index]); });
}

void WaitFinder::Close(uint32_t index) {
    Call& call = calls_[index];
    EmitCall(call);
    if (call.splits != kNone) free_splits_.push_back(call.splits);
    call_of_.Erase(call.span);
    free_calls_.push_back(index);
}

void WaitFinder::EmitCall(const Call& call) {
    Cause longest = call.sender;
    // A call that completes receives too tells of its sends only where they are synchronous by name.
    const bool is_receiver =
        longest.Take(call.receives ? call.synchronous_receiver : call.receiver);
    WaitRow message;
    const bool has_message = longest.ns != kNever;
    if (has_message) {
        message.kind = is_receiver ? WaitKind::kLateReceiver : WaitKind::kLateSender;
        message.wrong = longest.wrong;
        message.rank = call.rank;
        message.cause_rank = longest.rank;
        message.span = call.span;
        message.cause_span = longest.span;
        message.enter_ns = call.enter_ns;
        message.until_ns = std::min(longest.ns, call.exit_ns);
    }
    const Splits* splits = call.splits == kNone ? nullptr : &splits_[call.splits];
    // A call that completes several operations waits once, and completes the last of them.
    const bool split_waits = splits != nullptr && splits->wait.ns != kNever &&
                             (!has_message || splits->wait.row.until_ns >= message.until_ns);
    if (split_waits) {
        found_(splits->wait.row);
    } else if (has_message) {
        found_(message);
    }
    if (splits == nullptr || splits->completion.ns == kNever) return;
    WaitRow completion = splits->completion.row;
    if (has_message) completion.enter_ns = std::max(completion.enter_ns, message.until_ns);
    if (split_waits) completion.enter_ns = std::max(completion.enter_ns, splits->wait.row.until_ns);
    if (completion.until_ns > completion.enter_ns) found_(completion);
}

void WaitFinder::Emit(const CollectiveRow& row, WaitKind kind, int64_t enter_ns, int64_t until_ns,
                      const CollectiveRow* cause, bool cause_is_done) {
    if (cause == nullptr || row.end == kNoTime || row.done_span == 0 || enter_ns == kNoTime ||
        until_ns <= enter_ns) {
        return;
    }
    WaitRow wait;
    wait.kind = kind;
    wait.rank = row.rank;
    wait.cause_rank = cause->rank;
    wait.span = row.done_span;
    wait.cause_span = cause_is_done ? cause->done_span : cause->span;
    wait.instance = row.instance;
    wait.enter_ns = enter_ns;
    wait.until_ns = until_ns;
    if (!IsSplit(row)) return found_(wait);
    Call& call = calls_[*call_of_.Find(row.done_span)];
    if (call.splits == kNone) {
        if (free_splits_.empty()) {
            free_splits_.push_back(static_cast<uint32_t>(splits_.size()));
            splits_.emplace_back();
        }
        call.splits = free_splits_.back();
        free_splits_.pop_back();
        splits_[call.splits] = Splits{};
    }
    const bool is_completion =
        kind == WaitKind::kBarrierCompletion || kind == WaitKind::kAllCompletion;
    if (is_completion) {
        splits_[call.splits].completion.Take(wait, enter_ns);
    } else {
        splits_[call.splits].wait.Take(wait, until_ns);
    }
}

void WaitFinder::CloseInstance(const Instance& rows) {
    const auto shape_of = [](const CollectiveRow& row) { return TraitsOf(row.function).shape; };
    // The last to come and the first to leave; the root, and the first of the others. Ties: the lowest rank.
    const CollectiveRow* last = nullptr;
    const CollectiveRow* left_first = nullptr;
    const CollectiveRow* root = nullptr;
    const CollectiveRow* first = nullptr;
    int64_t root_ns = kNoTime;
    size_t shaped = 0;
    const bool two_groups = std::any_of(rows.begin(), rows.end(), [](const CollectiveRow& row) {
        return TellsOfTwoGroups(row.root);
    });
    const auto part_of = [two_groups](const CollectiveRow& row) {
        return RootPartOf(row.root, row.comm_rank, two_groups);
    };
    for (const CollectiveRow& row : rows) {
        if (shape_of(row) == CollectiveShape::kNone || part_of(row) == RootPart::kNone) continue;
        ++shaped;
        if (last == nullptr ||
            std::pair(-row.begin, row.rank) < std::pair(-last->begin, last->rank))
            last = &row;
        if (row.end != kNoTime &&
            (left_first == nullptr ||
             std::pair(row.end, row.rank) < std::pair(left_first->end, left_first->rank)))
            left_first = &row;
        if (part_of(row) == RootPart::kRoot) {
            root_ns = Least(root_ns, row.begin);
            if (root == nullptr || row.rank < root->rank) root = &row;
        } else if (first == nullptr ||
                   std::pair(row.begin, row.rank) < std::pair(first->begin, first->rank)) {
            first = &row;
        }
    }
    std::vector<const CollectiveRow*> scans;
    for (const CollectiveRow& row : rows) {
        const CollectiveShape shape = shape_of(row);
        if (shape == CollectiveShape::kScan && row.comm_rank != kNoNumber) scans.push_back(&row);
        if (shaped < 2) continue;
        const int64_t enter_ns = row.done_begin;
        if (shape == CollectiveShape::kBarrier || shape == CollectiveShape::kAll) {
            const bool is_barrier = shape == CollectiveShape::kBarrier;
            Emit(row, is_barrier ? WaitKind::kAtBarrier : WaitKind::kAtAll, enter_ns,
                 Least(last->begin, row.end), last, false);
            if (left_first == nullptr) continue;
            Emit(row, is_barrier ? WaitKind::kBarrierCompletion : WaitKind::kAllCompletion,
                 std::max({left_first->end, last->begin, enter_ns}), row.end, left_first, true);
        } else if (shape == CollectiveShape::kToRoot && part_of(row) == RootPart::kRoot &&
                   first != nullptr) {
            Emit(row, WaitKind::kEarlyReduce, enter_ns, Least(first->begin, row.end), first, false);
        } else if (shape == CollectiveShape::kFromRoot && part_of(row) == RootPart::kOther) {
            Emit(row, WaitKind::kLateBroadcast, enter_ns, Least(root_ns, row.end), root, false);
        }
    }
    std::sort(scans.begin(), scans.end(), [](const CollectiveRow* a, const CollectiveRow* b) {
        return a->comm_rank < b->comm_rank;
    });
    const CollectiveRow* before = nullptr;
    for (const CollectiveRow* row : scans) {
        if (before != nullptr) {
            Emit(*row, WaitKind::kEarlyScan, row->done_begin, Least(before->begin, row->end),
                 before, false);
        }
        if (before == nullptr ||
            std::pair(-row->begin, row->rank) < std::pair(-before->begin, before->rank))
            before = row;
    }
    for (const CollectiveRow& row : rows) {
        if (!IsSplit(row)) continue;
        const uint32_t call = *call_of_.Find(row.done_span);
        if (--calls_[call].missing == 0 && calls_[call].passed) Close(call);
    }
}

}  // namespace comshu::read
