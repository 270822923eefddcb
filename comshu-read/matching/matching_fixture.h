// For tests of matching: keeps the rows, and short ways to say what a rank does.
#ifndef COMSHU_READ_MATCHING_MATCHING_FIXTURE_H_
#define COMSHU_READ_MATCHING_MATCHING_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "matching/rank_matcher.h"

namespace comshu::read {

struct KeptRows : MatchSink {
    void Message(const MessageRow& row) override { messages.push_back(row); }
    void Unmatched(const UnmatchedRow& row) override { unmatched.push_back(row); }
    void Collective(const CollectiveRow& row) override { collectives.push_back(row); }

    std::vector<MessageRow> messages;
    std::vector<UnmatchedRow> unmatched;
    std::vector<CollectiveRow> collectives;
};

// Spans are numbered by the test; the call of span s begins at 10 s and ends at 10 s + 5.
class MatchingTest : public ::testing::Test {
protected:
    static constexpr uint64_t kComm = 77;

    RankMatcher& Rank(int32_t rank) {
        while (static_cast<int32_t>(ranks_.size()) <= rank) {
            ranks_.push_back(
                std::make_unique<RankMatcher>(&state_, static_cast<int32_t>(ranks_.size())));
        }
        return *ranks_[rank];
    }

    static CallTimes Call(uint64_t span) {
        const auto begin = static_cast<int64_t>(span) * 10;
        return CallTimes{span, begin, begin + 5};
    }
    static CallTimes OpenCall(uint64_t span) {
        return CallTimes{span, static_cast<int64_t>(span) * 10, kNoTime};
    }
    static Envelope With(int32_t peer, int32_t tag, uint64_t bytes = kNoBytes,
                         uint64_t comm = kComm) {
        return Envelope{comm, peer, tag, bytes};
    }
    // Completed by the call of `span`.
    static Completion Done(uint64_t request, uint64_t span) {
        Completion completion;
        completion.request = request;
        completion.done = Call(span).end;
        completion.done_span = span;
        return completion;
    }
    static Completion Got(uint64_t request, uint64_t span, int32_t source, int32_t tag,
                          uint64_t bytes) {
        Completion completion = Done(request, span);
        completion.is_receive = true;
        completion.actual = With(source, tag, bytes);
        return completion;
    }
    static Completion Cancelled(uint64_t request, uint64_t span) {
        Completion completion = Done(request, span);
        completion.cancelled = true;
        return completion;
    }

    void Finish(std::set<int32_t> missing = {}) {
        for (const auto& rank : ranks_) rank->Finish();
        state_.channels.Finish([missing](int32_t rank) {
            return missing.count(rank) == 0 ? Recorded::kWhole : Recorded::kNot;
        });
    }

    // (sending span, receiving span) of each message, in order of the sending span.
    std::vector<std::pair<uint64_t, uint64_t>> Pairs() const {
        std::set<std::pair<uint64_t, uint64_t>> pairs;
        for (const MessageRow& row : rows_.messages) pairs.insert({row.send_span, row.recv_span});
        return {pairs.begin(), pairs.end()};
    }
    // (span, why) of each unmatched side, in order of span.
    std::vector<std::pair<uint64_t, std::string>> Left() const {
        std::set<std::pair<uint64_t, std::string>> left;
        for (const UnmatchedRow& row : rows_.unmatched) left.insert({row.span, WhyText(row.why)});
        return {left.begin(), left.end()};
    }

    KeptRows rows_;
    CollectiveTable collectives_;
    MatchState state_{&rows_, &collectives_};
    std::vector<std::unique_ptr<RankMatcher>> ranks_;
};

using SpanPairs = std::vector<std::pair<uint64_t, uint64_t>>;
using SpanReasons = std::vector<std::pair<uint64_t, std::string>>;

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MATCHING_FIXTURE_H_
