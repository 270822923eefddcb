#include "matching/rank_matcher.h"

#include "matching/matching_fixture.h"

namespace comshu::read {
namespace {

TEST_F(MatchingTest, BlockingSendMeetsBlockingReceive) {
    Rank(0).Send(Call(1), With(1, 5, 100), 0);
    Rank(1).Receive(Call(2), With(0, 5), With(0, 5, 80));
    Finish();
    ASSERT_EQ(rows_.messages.size(), 1u);
    const MessageRow& row = rows_.messages[0];
    EXPECT_EQ(row.comm, kComm);
    EXPECT_EQ(row.send_rank, 0);
    EXPECT_EQ(row.recv_rank, 1);
    EXPECT_EQ(row.tag, 5);
    EXPECT_EQ(row.bytes, 100u);
    EXPECT_EQ(row.recv_bytes, 80u);
    EXPECT_EQ(row.send_span, 1u);
    EXPECT_EQ(row.recv_span, 2u);
    EXPECT_EQ(row.send_begin, 10);
    EXPECT_EQ(row.send_end, 15);
    EXPECT_EQ(row.send_done, 15);
    EXPECT_EQ(row.recv_begin, 20);
    EXPECT_EQ(row.recv_end, 25);
    EXPECT_TRUE(rows_.unmatched.empty());
}

TEST_F(MatchingTest, TheReceiverMayBeReadFirst) {
    Rank(1).Receive(Call(2), With(0, 5), With(0, 5, 8));
    Rank(1).Receive(Call(3), With(0, 5), With(0, 5, 9));
    Rank(0).Send(Call(1), With(1, 5, 8), 0);
    Rank(0).Send(Call(4), With(1, 5, 9), 0);
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 2}, {4, 3}}));
}

TEST_F(MatchingTest, TagAndCommunicatorKeepMessagesApart) {
    Rank(0).Send(Call(1), With(1, 5), 0);
    Rank(0).Send(Call(2), With(1, 6), 0);
    Rank(0).Send(Call(3), With(1, 5, 0, 78), 0);
    Rank(1).Receive(Call(4), With(0, 5, 0, 78), With(0, 5, 0, 78));
    Rank(1).Receive(Call(5), With(0, 6), With(0, 6));
    Rank(1).Receive(Call(6), With(0, 5), With(0, 5));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 6}, {2, 5}, {3, 4}}));
}

TEST_F(MatchingTest, NonblockingTimesAreThoseOfTheCompletingCalls) {
    Rank(1).StartReceive(Call(1), With(0, 5), 900);
    Rank(0).Send(Call(2), With(1, 5, 64), 800);
    Rank(0).Complete(Done(800, 7));
    Rank(1).Complete(Got(900, 9, 0, 5, 64));
    Finish();
    ASSERT_EQ(rows_.messages.size(), 1u);
    const MessageRow& row = rows_.messages[0];
    EXPECT_EQ(row.recv_begin, 10);
    EXPECT_EQ(row.send_begin, 20);
    EXPECT_EQ(row.send_end, 25);
    EXPECT_EQ(row.send_done, 75);
    EXPECT_EQ(row.send_done_span, 7u);
    EXPECT_EQ(row.recv_end, 95);
    EXPECT_EQ(row.recv_done_span, 9u);
    EXPECT_EQ(row.recv_bytes, 64u);
}

TEST_F(MatchingTest, ReceivesAreOrderedByPostingNotByCompletion) {
    Rank(1).StartReceive(Call(1), With(0, 5), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(0).Send(Call(3), With(1, 5), 0);
    Rank(0).Send(Call(4), With(1, 5), 0);
    Rank(1).Complete(Got(2, 5, 0, 5, 8));
    Rank(1).Complete(Got(1, 6, 0, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{3, 1}, {4, 2}}));
}

TEST_F(MatchingTest, AnyNumberOfRequestsOfOneId) {
    for (uint64_t i = 0; i < 100; ++i) {
        Rank(0).Send(Call(2 * i + 1), With(1, 5, i), 3);
        Rank(0).Complete(Done(3, 2 * i + 1));
        Rank(1).StartReceive(Call(2 * i + 2), With(0, 5), 4);
        Rank(1).Complete(Got(4, 2 * i + 2, 0, 5, i));
    }
    EXPECT_EQ(rows_.messages.size(), 100u);
    EXPECT_EQ(state_.channels.in_flight(), 0u);
    for (const MessageRow& row : rows_.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
}

TEST_F(MatchingTest, PersistentRequestsStartManyTimes) {
    Rank(0).InitPersistent(Side::kSend, With(1, 5, 32), 10, false);
    Rank(1).InitPersistent(Side::kReceive, With(0, 5), 20, false);
    for (uint64_t i = 1; i <= 3; ++i) {
        Rank(0).Start(Call(10 * i), 10);
        Rank(1).Start(Call(10 * i + 1), 20);
        Rank(0).Complete(Done(10, 10 * i + 2));
        Rank(1).Complete(Got(20, 10 * i + 3, 0, 5, 32));
    }
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{10, 11}, {20, 21}, {30, 31}}));
    EXPECT_TRUE(rows_.unmatched.empty());
}

TEST_F(MatchingTest, APersistentRequestThatIsFreedIsForgotten) {
    Rank(0).InitPersistent(Side::kSend, With(1, 5, 32), 10, false);
    Completion freed = Done(10, 3);
    freed.freed = true;
    Rank(0).Complete(freed);
    Rank(0).Start(Call(4), 10);
    Finish();
    EXPECT_TRUE(rows_.unmatched.empty());
}

TEST_F(MatchingTest, PartitionedMessagesMatchAmongThemselves) {
    Rank(0).InitPersistent(Side::kSend, With(1, 5, 32), 10, true);
    Rank(1).InitPersistent(Side::kReceive, With(0, 5), 20, true);
    Rank(0).Send(Call(1), With(1, 5, 1), 0);
    Rank(0).Start(Call(2), 10);
    Rank(1).Start(Call(3), 20);
    Rank(1).Receive(Call(4), With(0, 5), With(0, 5, 1));
    Rank(0).Complete(Done(10, 5));
    Rank(1).Complete(Got(20, 6, 0, 5, 32));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 4}, {2, 3}}));
}

TEST_F(MatchingTest, SendrecvIsASendAndAReceive) {
    Rank(0).SendReceive(Call(1), With(1, 5, 10), With(1, 6), With(1, 6, 20), 0);
    Rank(1).SendReceive(Call(2), With(0, 6, 20), With(0, 5), With(0, 5, 10), 0);
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 2}, {2, 1}}));
    for (const MessageRow& row : rows_.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
}

TEST_F(MatchingTest, IsendrecvCompletesBothSides) {
    Rank(0).SendReceive(Call(1), With(1, 5, 10), With(1, kAnyTag), Envelope{}, 70);
    Rank(1).SendReceive(Call(2), With(0, 6, 20), With(kAnySource, 5), Envelope{}, 71);
    Rank(0).Complete(Got(70, 3, 1, 6, 20));
    Rank(1).Complete(Got(71, 4, 0, 5, 10));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 2}, {2, 1}}));
    for (const MessageRow& row : rows_.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
}

TEST_F(MatchingTest, ARankMaySendToItself) {
    Rank(0).StartReceive(Call(1), With(0, 5), 1);
    Rank(0).Send(Call(2), With(0, 5, 4), 2);
    Rank(0).Complete(Got(1, 3, 0, 5, 4));
    Rank(0).Complete(Done(2, 3));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{2, 1}}));
}

TEST_F(MatchingTest, NothingGoesToOrComesFromProcNull) {
    Rank(0).Send(Call(1), With(kProcNull, 5, 4), 0);
    Rank(0).Send(Call(2), With(kProcNull, 5, 4), 2);
    Rank(0).Receive(Call(3), With(kProcNull, 5), With(kProcNull, kAnyTag, 0));
    Rank(0).StartReceive(Call(4), With(kProcNull, 5), 3);
    Rank(0).SendReceive(Call(5), With(kProcNull, 5, 4), With(kProcNull, 5),
                        With(kProcNull, kAnyTag, 0), 0);
    Rank(0).Complete(Got(3, 6, kProcNull, kAnyTag, 0));
    Rank(0).Complete(Done(2, 6));
    Finish();
    EXPECT_TRUE(rows_.messages.empty());
    EXPECT_TRUE(rows_.unmatched.empty());
}

TEST_F(MatchingTest, ACancelledReceiveLeavesItsPlaceToTheNext) {
    Rank(1).StartReceive(Call(1), With(0, 5), 1);
    Rank(1).StartReceive(Call(2), With(0, 5), 2);
    Rank(0).Send(Call(3), With(1, 5), 0);
    Rank(1).Complete(Got(2, 4, 0, 5, 8));
    Rank(1).Complete(Cancelled(1, 5));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{3, 2}}));
    EXPECT_EQ(Left(), (SpanReasons{{1, "cancelled"}}));
}

TEST_F(MatchingTest, ACancelledSendLeavesItsPlaceToTheNext) {
    Rank(0).Send(Call(1), With(1, 5), 1);
    Rank(0).Send(Call(2), With(1, 5), 2);
    Rank(1).Receive(Call(3), With(0, 5), With(0, 5, 8));
    Rank(0).Complete(Done(2, 4));
    Rank(0).Complete(Cancelled(1, 4));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{2, 3}}));
    EXPECT_EQ(Left(), (SpanReasons{{1, "cancelled"}}));
}

TEST_F(MatchingTest, AFailedSendSendsNothing) {
    Rank(0).Send(Call(1), With(1, 5, 8), 0, true);
    Rank(0).Send(Call(2), With(1, 5, 8), 0);
    Rank(1).Receive(Call(3), With(0, 5), With(0, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{2, 3}}));
    EXPECT_EQ(Left(), (SpanReasons{{1, "failed"}}));
}

TEST_F(MatchingTest, AMatchedMessageIsTakenWhenItIsProbed) {
    Rank(0).Send(Call(1), With(1, 5, 11), 0);
    Rank(0).Send(Call(2), With(1, 5, 22), 0);
    Rank(0).Send(Call(3), With(1, 5, 33), 0);
    Rank(1).Mprobe(Call(4), With(0, 5, 11), 100);
    Rank(1).Mprobe(Call(5), With(0, 5, 22), 101);
    Rank(1).Receive(Call(6), With(kAnySource, kAnyTag), With(0, 5, 33));
    Rank(1).Receive(Call(8), With(0, 5), With(0, 5, 11), 100);
    Rank(1).StartMatchedReceive(Call(7), With(0, 5), 50);
    Rank(1).Complete(Got(50, 9, 0, 5, 22));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 8}, {2, 7}, {3, 6}}));
    for (const MessageRow& row : rows_.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
}

TEST_F(MatchingTest, MatchedMessagesAreReceivedInAnyOrder) {
    for (uint64_t i = 1; i <= 3; ++i) Rank(0).Send(Call(i), With(1, 5, 11 * i), 0);
    for (uint64_t i = 1; i <= 3; ++i) Rank(1).Mprobe(Call(3 + i), With(0, 5, 11 * i), 100 + i);
    for (uint64_t i = 3; i >= 1; --i)
        Rank(1).StartMatchedReceive(Call(10 - i), With(0, 5), 100 + i);
    for (uint64_t i = 1; i <= 3; ++i) Rank(1).Complete(Got(100 + i, 10, 0, 5, 11 * i));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 9}, {2, 8}, {3, 7}}));
    for (const MessageRow& row : rows_.messages) EXPECT_EQ(row.bytes, row.recv_bytes);
}

TEST_F(MatchingTest, WhatIsLeftSaysWhy) {
    Rank(0).Send(Call(1), With(1, 5), 0);
    Rank(0).Send(Call(2), With(2, 5), 0);
    Rank(1).Receive(Call(3), With(0, 6), With(0, 6, 8));
    Rank(1).StartReceive(Call(4), With(0, 7), 1);
    Rank(1).StartReceive(Call(5), With(kAnySource, 8), 2);
    Rank(1).Receive(OpenCall(6), With(0, 9), Envelope{});
    Rank(1).Receive(OpenCall(7), With(2, 9), Envelope{});
    Finish({2});
    EXPECT_TRUE(rows_.messages.empty());
    EXPECT_EQ(Left(), (SpanReasons{{1, "no receive"},
                                   {2, "peer not in the capture"},
                                   {3, "no send"},
                                   {4, "open"},
                                   {5, "open"},
                                   {6, "open"},
                                   {7, "peer not in the capture"}}));
}

TEST_F(MatchingTest, OpenSidesOfAPairAreAMessageWithoutEnds) {
    Rank(0).Send(OpenCall(1), With(1, 5, 1000), 0);
    Rank(1).StartReceive(Call(2), With(0, 5), 1);
    Finish();
    ASSERT_EQ(rows_.messages.size(), 1u);
    EXPECT_EQ(rows_.messages[0].send_end, kNoTime);
    EXPECT_EQ(rows_.messages[0].send_done, kNoTime);
    EXPECT_EQ(rows_.messages[0].recv_end, kNoTime);
    EXPECT_EQ(rows_.messages[0].recv_bytes, kNoBytes);
}

TEST_F(MatchingTest, LostSendsKeepTheirPlaces) {
    Rank(0).Send(Call(1), With(1, 5), 0);
    Rank(0).LoseMessages(Side::kSend, With(1, 5), 2);
    Rank(0).Send(Call(2), With(1, 5), 0);
    for (uint64_t span = 11; span <= 14; ++span) {
        Rank(1).Receive(Call(span), With(0, 5), With(0, 5, 8));
    }
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 11}, {2, 14}}));
    EXPECT_EQ(Left(), (SpanReasons{{12, "partner lost"}, {13, "partner lost"}}));
}

TEST_F(MatchingTest, LossOnBothSides) {
    Rank(0).LoseMessages(Side::kSend, With(1, 5), 3);
    Rank(0).Send(Call(1), With(1, 5), 0);
    Rank(0).Send(Call(2), With(1, 5), 0);
    Rank(1).Receive(Call(11), With(0, 5), With(0, 5, 8));
    Rank(1).LoseMessages(Side::kReceive, With(0, 5), 3);
    Rank(1).Receive(Call(12), With(0, 5), With(0, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{2, 12}}));
    EXPECT_EQ(Left(), (SpanReasons{{1, "partner lost"}, {11, "partner lost"}}));
}

TEST_F(MatchingTest, ALostCompletionNamesItsWildcard) {
    for (uint64_t span = 1; span <= 3; ++span) Rank(0).Send(Call(span), With(2, 5), 0);
    Rank(1).Send(Call(4), With(2, 5), 0);
    Rank(2).StartReceive(Call(11), With(kAnySource, 5), 1);
    Rank(2).StartReceive(Call(12), With(kAnySource, 5), 2);
    Rank(2).StartReceive(Call(13), With(0, 5), 3);
    Rank(2).LoseCompletions(2, With(1, 5), 1);
    Rank(2).Complete(Got(1, 14, 0, 5, 8));
    Rank(2).Complete(Got(3, 14, 0, 5, 8));
    Rank(2).Receive(Call(15), With(0, 5), With(0, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 11}, {2, 13}, {3, 15}, {4, 12}}));
    EXPECT_TRUE(Left().empty());
}

TEST_F(MatchingTest, ALostCancellationGivesUpThePlace) {
    Rank(0).Send(Call(1), With(1, 5), 0);
    Rank(1).StartReceive(Call(11), With(0, 5), 1);
    Rank(1).StartReceive(Call(12), With(kAnySource, 5), 2);
    Rank(1).LoseCompletions(1, With(kNoNumber, kNoNumber), 1);
    Rank(1).LoseCompletions(2, With(kNoNumber, kNoNumber), 1);
    Rank(1).Receive(Call(13), With(0, 5), With(0, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{1, 13}}));
    EXPECT_EQ(Left(), (SpanReasons{{11, "cancelled"}, {12, "source unknown"}}));
}

// A completion of a receive that named its source does not speak for a wildcard.
TEST_F(MatchingTest, LostReceivesAreResolvedByCompletionsOfWildcards) {
    for (uint64_t span = 1; span <= 2; ++span) Rank(0).Send(Call(span), With(2, 5), 0);
    for (uint64_t span = 3; span <= 4; ++span) Rank(1).Send(Call(span), With(2, 5), 0);
    Rank(2).LoseMessages(Side::kReceive, With(kAnySource, 5), 1);
    Rank(2).LoseMessages(Side::kReceive, With(0, 5), 1);
    Rank(2).Complete(Got(8, 13, 0, 5, 8));
    Completion wildcard = Got(7, 14, 1, 5, 8);
    wildcard.wildcard = true;
    Rank(2).Complete(wildcard);
    Rank(2).Receive(Call(11), With(0, 5), With(0, 5, 8));
    Rank(2).Receive(Call(12), With(1, 5), With(1, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{2, 11}, {4, 12}}));
    EXPECT_EQ(Left(), (SpanReasons{{1, "partner lost"}, {3, "partner lost"}}));
}

TEST_F(MatchingTest, AReceiveOfALostProbeTakesNoPlaceOfItsOwn) {
    for (uint64_t span = 1; span <= 3; ++span) Rank(0).Send(Call(span), With(1, 5), 0);
    Rank(1).LoseMessages(Side::kReceive, With(0, 5), 2);
    Rank(1).Receive(Call(11), With(0, 5), With(0, 5, 8), 9);
    Rank(1).StartMatchedReceive(Call(12), With(0, 5), 4);
    Rank(1).Receive(Call(13), With(0, 5), With(0, 5, 8));
    Finish();
    EXPECT_EQ(Pairs(), (SpanPairs{{3, 13}}));
    EXPECT_EQ(
        Left(),
        (SpanReasons{
            {1, "partner lost"}, {2, "partner lost"}, {11, "partner lost"}, {12, "partner lost"}}));
}

TEST_F(MatchingTest, CollectivesAreNumberedPerCommunicator) {
    CollectiveRow row;
    row.comm = kComm;
    row.bytes_in = 8;
    Rank(0).Collective(Call(1), row, 0);
    Rank(0).Collective(Call(2), row, 5);
    Rank(1).Collective(Call(3), row, 0);
    Rank(1).Collective(OpenCall(4), row, 0);
    Rank(0).Complete(Done(5, 9));
    Finish();
    ASSERT_EQ(rows_.collectives.size(), 4u);
    const auto instance_of = [&](uint64_t span) {
        for (const CollectiveRow& found : rows_.collectives) {
            if (found.span == span) return found.instance;
        }
        return uint64_t{0};
    };
    EXPECT_NE(instance_of(1), instance_of(2));
    EXPECT_EQ(instance_of(1), instance_of(3));
    EXPECT_EQ(instance_of(2), instance_of(4));
    for (const CollectiveRow& found : rows_.collectives) {
        const int64_t ends[] = {0, 15, 95, 35, kNoTime};
        EXPECT_EQ(found.end, ends[found.span]) << found.span;
        EXPECT_EQ(found.bytes_in, 8u);
        EXPECT_EQ(found.rank, found.span <= 2 ? 0 : 1);
    }
}

TEST_F(MatchingTest, PersistentCollectivesCountAmongThemselves) {
    CollectiveRow row;
    row.comm = kComm;
    for (int32_t rank = 0; rank < 2; ++rank) {
        Rank(rank).InitCollective(row, 1);
        Rank(rank).InitCollective(row, 2);
    }
    Rank(0).Start(Call(1), 1);
    Rank(0).Start(Call(2), 2);
    Rank(1).Start(Call(3), 2);
    Rank(1).Start(Call(4), 1);
    Finish();
    ASSERT_EQ(rows_.collectives.size(), 4u);
    uint64_t instance[5] = {};
    for (const CollectiveRow& found : rows_.collectives) instance[found.span] = found.instance;
    EXPECT_EQ(instance[1], instance[4]);
    EXPECT_EQ(instance[2], instance[3]);
    EXPECT_NE(instance[1], instance[2]);
}

TEST_F(MatchingTest, LostCollectivesKeepInstancesApart) {
    CollectiveRow row;
    row.comm = kComm;
    for (uint64_t span = 1; span <= 3; ++span) Rank(0).Collective(Call(span), row, 0);
    Rank(1).LoseCollectives(kComm, 2);
    Rank(1).Collective(Call(4), row, 0);
    ASSERT_EQ(rows_.collectives.size(), 4u);
    EXPECT_EQ(rows_.collectives[2].instance, rows_.collectives[3].instance);
}

}  // namespace
}  // namespace comshu::read
