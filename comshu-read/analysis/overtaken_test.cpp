// Messages that were overtaken: the same as each looked at with each.
#include "overtaken.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "comshu/analysis/links.h"
#include "comshu/read/query.h"
#include "mpi_run.h"

namespace comshu::analysis {
namespace {

struct TimedMessage {
    SentMessage sent;
    int64_t first_ns = 0;
};

auto KeyOf(const SentMessage& message) {
    return std::tuple(message.send_rank, message.recv_rank, message.send_begin_ns,
                      message.recv_end_ns);
}
using Keys = std::vector<decltype(KeyOf(SentMessage{}))>;

Keys Overtaken(std::vector<TimedMessage> messages) {
    std::sort(messages.begin(), messages.end(),
              [](const auto& a, const auto& b) { return a.first_ns < b.first_ns; });
    Keys found;
    OvertakenFinder finder([&](const SentMessage& message) { found.push_back(KeyOf(message)); });
    for (const TimedMessage& message : messages) finder.Add(message.sent, message.first_ns);
    finder.Finish();
    std::sort(found.begin(), found.end());
    return found;
}

Keys OvertakenByDefinition(const std::vector<TimedMessage>& messages) {
    Keys found;
    for (const auto& [one, ignored] : messages) {
        const bool is_overtaken =
            std::any_of(messages.begin(), messages.end(), [&, one = one](const auto& other) {
                return other.sent.send_rank == one.send_rank &&
                       other.sent.recv_rank == one.recv_rank &&
                       other.sent.send_begin_ns > one.send_begin_ns &&
                       other.sent.recv_end_ns < one.recv_end_ns;
            });
        if (is_overtaken) found.push_back(KeyOf(one));
    }
    std::sort(found.begin(), found.end());
    return found;
}

TEST(Overtaken, IsWhatADefinitionSays) {
    size_t all = 0;
    for (uint32_t seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](int64_t end) {
            return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
        };
        // Few times make many equal ones.
        const int64_t times = 2 + below(60);
        std::vector<TimedMessage> messages(static_cast<size_t>(below(40)));
        for (auto& [sent, first_ns] : messages) {
            sent = {static_cast<int32_t>(below(3)), static_cast<int32_t>(below(2)), below(times),
                    below(times)};
            first_ns = std::min({sent.send_begin_ns, sent.recv_end_ns, below(times)});
        }
        const Keys expected = OvertakenByDefinition(messages);
        ASSERT_EQ(Overtaken(messages), expected) << seed;
        all += expected.size();
    }
    EXPECT_GT(all, 1000u);
}

// Tag 2 overtakes tag 1, and both tag 3; the one on the way back is of other ranks.
TEST(Overtaken, IsListed) {
    read::testing::MpiRun run;
    run.Send(0, 100, 110, 1, 3);
    run.Send(0, 200, 210, 1, 1);
    run.Send(0, 300, 310, 1, 2);
    run.Receive(1, 50, 400, 0, 2);
    run.Receive(1, 410, 500, 0, 1);
    run.Receive(1, 510, 600, 0, 3);
    run.Send(1, 610, 620, 0, 4);
    run.Receive(0, 450, 640, 1, 4);
    std::string error;
    const auto database = read::Database::OpenPaths({run.Finish(10'000)}, &error);
    ASSERT_NE(database, nullptr) << error;
    const auto& lists = LinkLists();
    const auto list = std::find_if(lists.begin(), lists.end(), [](const LinkList& one) {
        return one.name == std::string("crossing");
    });
    ASSERT_NE(list, lists.end());
    ASSERT_TRUE(list->pass(database.get(), &error)) << error;
    read::Query query;
    ASSERT_TRUE(query.Run(database.get(), list->sql, &error)) << error;
    std::vector<int64_t> tags;
    const auto tag = std::find_if(query.columns().begin(), query.columns().end(),
                                  [](const auto& column) { return column.name == "tag"; });
    while (query.Next())
        tags.push_back(query.Integer(static_cast<size_t>(tag - query.columns().begin())));
    EXPECT_EQ(tags, (std::vector<int64_t>{3, 1}));
}

}  // namespace
}  // namespace comshu::analysis
