#include "matching/receive_order.h"

#include <random>

#include "matching/matching_fixture.h"

namespace comshu::read {
namespace {

TEST_F(MatchingTest, AWildcardHasItsPlaceWhereItWasPosted) {
    Rank(1).StartReceive(Call(1), With(kAnySource, kAnyTag), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(0).Send(Call(3), With(1, 5), 0);
    Rank(0).Send(Call(4), With(1, 5), 0);
    Rank(1).Complete(Got(2, 5, 0, 5, 8));
    EXPECT_TRUE(rows_.messages.empty());
    Rank(1).Complete(Got(1, 6, 0, 5, 8));
    EXPECT_EQ(Pairs(), (SpanPairs{{3, 1}, {4, 2}}));
}

TEST_F(MatchingTest, AWildcardThatGotAnotherMessageHoldsNobody) {
    Rank(1).StartReceive(Call(1), With(kAnySource, 5), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(0).Send(Call(3), With(1, 5), 0);
    Rank(2).Send(Call(4), With(1, 5), 0);
    Rank(1).Complete(Got(1, 5, 2, 5, 8));
    Rank(1).Complete(Got(2, 6, 0, 5, 8));
    EXPECT_EQ(Pairs(), (SpanPairs{{3, 2}, {4, 1}}));
}

TEST_F(MatchingTest, AListenerForAnotherTagHoldsNobody) {
    Rank(1).StartReceive(Call(1), With(kAnySource, 999), 1);
    for (uint64_t i = 1; i <= 1000; ++i) {
        Rank(0).Send(Call(2 * i), With(1, 5), 0);
        Rank(1).Receive(Call(2 * i + 1), With(kAnySource, 5), With(0, 5, 8));
        EXPECT_EQ(rows_.messages.size(), i);
    }
    EXPECT_EQ(state_.channels.in_flight(), 1u);
}

TEST_F(MatchingTest, ACancelledWildcardReleasesWhatItHeld) {
    Rank(1).StartReceive(Call(1), With(kAnySource, kAnyTag), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(0).Send(Call(3), With(1, 5), 0);
    Rank(1).Complete(Got(2, 4, 0, 5, 8));
    Rank(1).Complete(Cancelled(1, 5));
    EXPECT_EQ(Pairs(), (SpanPairs{{3, 2}}));
    EXPECT_EQ(Left(), (SpanReasons{{1, "cancelled"}}));
}

TEST_F(MatchingTest, AHeldReceiveMayBeCancelled) {
    Rank(1).StartReceive(Call(1), With(kAnySource, kAnyTag), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(1).StartReceive(Call(3), With(0, 5), 3);
    Rank(1).Complete(Cancelled(2, 4));
    Rank(0).Send(Call(5), With(1, 5), 0);
    Rank(0).Send(Call(6), With(1, 5), 0);
    Rank(1).Complete(Got(1, 7, 0, 5, 8));
    Rank(1).Complete(Got(3, 8, 0, 5, 8));
    EXPECT_EQ(Pairs(), (SpanPairs{{5, 1}, {6, 3}}));
    EXPECT_EQ(Left(), (SpanReasons{{2, "cancelled"}}));
}

TEST_F(MatchingTest, ALostWildcardIsResolvedByTheCompletionOfAnUnknownRequest) {
    Rank(1).LoseMessages(Side::kReceive, With(kAnySource, 5), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(0).Send(Call(3), With(1, 5), 0);
    Rank(0).Send(Call(4), With(1, 5), 0);
    Rank(1).Complete(Got(2, 5, 0, 5, 8));
    Completion wildcard = Got(1, 6, 0, 5, 8);
    wildcard.wildcard = true;
    Rank(1).Complete(wildcard);
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{4, 2}}));
    EXPECT_EQ(Left(), (SpanReasons{{3, "partner lost"}}));
}

// Plays random programs by the rules of MPI itself (a message goes to the first posted receive that
// it fits, a receive takes the first message that fits it) and compares who met whom. Bytes say which
// message came. Receives complete late and in any order, and some are cancelled.
class RandomProgram : public MatchingTest, public ::testing::WithParamInterface<int> {
protected:
    static constexpr int kSenders = 3;
    static constexpr int kReceiver = kSenders;
    static constexpr int kTags = 3;

    struct Message {
        uint64_t span;
        int32_t source;
        int32_t tag;
    };
    struct Receive {
        uint64_t span;
        uint64_t request;
        int32_t source;
        int32_t tag;
        bool matched = false;
        Message got{};
    };

    static bool Fits(const Message& message, const Receive& receive) {
        return (receive.source == kAnySource || receive.source == message.source) &&
               (receive.tag == kAnyTag || receive.tag == message.tag);
    }
    int Draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

    void SendOne() {
        const Message message{++span_, Draw(kSenders), Draw(kTags)};
        Rank(message.source).Send(Call(message.span), With(kReceiver, message.tag), 0);
        for (Receive& receive : posted_) {
            if (receive.matched || !Fits(message, receive)) continue;
            receive.matched = true;
            receive.got = message;
            return;
        }
        unexpected_.push_back(message);
    }

    void PostOne() {
        Receive receive{++span_, ++request_, Draw(2) ? kAnySource : Draw(kSenders),
                        Draw(3) == 0 ? kAnyTag : Draw(kTags)};
        Rank(kReceiver).StartReceive(Call(receive.span), With(receive.source, receive.tag),
                                     receive.request);
        for (auto message = unexpected_.begin(); message != unexpected_.end(); ++message) {
            if (!Fits(*message, receive)) continue;
            receive.matched = true;
            receive.got = *message;
            unexpected_.erase(message);
            break;
        }
        posted_.push_back(receive);
    }

    void CompleteOne() {
        if (posted_.empty()) return;
        const auto at = posted_.begin() + Draw(static_cast<int>(posted_.size()));
        const Receive receive = *at;
        if (receive.matched) {
            Rank(kReceiver).Complete(
                Got(receive.request, ++span_, receive.got.source, receive.got.tag, 8));
            expected_.insert({receive.got.span, receive.span});
        } else if (Draw(4) == 0) {
            Rank(kReceiver).Complete(Cancelled(receive.request, ++span_));
        } else {
            return;
        }
        posted_.erase(at);
    }

    std::mt19937 random_;
    uint64_t span_ = 0;
    uint64_t request_ = 0;
    std::vector<Receive> posted_;
    std::vector<Message> unexpected_;
    std::set<std::pair<uint64_t, uint64_t>> expected_;
};

TEST_P(RandomProgram, AgreesWithTheRulesOfMpi) {
    random_.seed(static_cast<unsigned>(GetParam()));
    for (int step = 0; step < 600; ++step) {
        switch (Draw(3)) {
            case 0:
                SendOne();
                break;
            case 1:
                PostOne();
                break;
            default:
                CompleteOne();
        }
    }
    while (std::any_of(posted_.begin(), posted_.end(), [](auto& r) { return r.matched; })) {
        CompleteOne();
    }
    const size_t left = unexpected_.size();
    Finish();
    EXPECT_EQ(Pairs(), SpanPairs(expected_.begin(), expected_.end()));
    const auto unreceived =
        std::count_if(rows_.unmatched.begin(), rows_.unmatched.end(),
                      [](const UnmatchedRow& row) { return row.side == Side::kSend; });
    EXPECT_EQ(static_cast<size_t>(unreceived), left);
    EXPECT_EQ(state_.channels.in_flight(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, ::testing::Range(1, 41));

}  // namespace
}  // namespace comshu::read
