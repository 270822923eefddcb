// Tables of the provider: handles, requests, numbers of communicators, losses.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "mpi/comm_id.h"
#include "mpi/handle_table.h"
#include "mpi/loss_table.h"
#include "mpi/request_table.h"

namespace comshu::provider::mpi {

std::atomic<bool> thread_multiple{false};

namespace {

TEST(HandleTableTest, AgreesWithMapUnderRandomInsertsAndErases) {
    HandleTable<uint64_t> table;
    std::map<uint64_t, uint64_t> expected;
    std::mt19937_64 random(7);
    for (int step = 0; step < 200'000; ++step) {
        // Few keys with equal low bits, so that runs collide, wrap and are shifted back.
        const uint64_t key = (random() % 300 + 1) << 20;
        if (random() % 2 == 0) {
            ASSERT_NE(table.Insert(key, step), nullptr);
            expected[key] = step;
        } else {
            ASSERT_EQ(table.Erase(key), expected.erase(key) == 1);
        }
        ASSERT_EQ(table.size(), expected.size());
    }
    for (uint64_t i = 1; i <= 300; ++i) {
        const uint64_t* found = table.Find(i << 20);
        const auto it = expected.find(i << 20);
        ASSERT_EQ(found != nullptr, it != expected.end());
        if (found != nullptr) {
            EXPECT_EQ(*found, it->second);
        }
    }
    size_t visited = 0;
    table.ForEach([&](uint64_t key, uint64_t value) {
        ++visited;
        EXPECT_EQ(expected.at(key), value);
    });
    EXPECT_EQ(visited, expected.size());
    table.Release();
}

TEST(HandleTableTest, EmptyTableKnowsNothing) {
    HandleTable<int> table;
    EXPECT_EQ(table.Find(1), nullptr);
    EXPECT_FALSE(table.Erase(1));
    EXPECT_EQ(table.Insert(0, 1), nullptr);
}

RequestEntry Send(int32_t tag) {
    RequestEntry entry;
    entry.kind = schema::MpiRequestKind::send;
    entry.active = true;
    entry.tag = tag;
    return entry;
}

TEST(RequestTableTest, NumbersAreNeverReusedThoughHandlesAre) {
    RequestTable table;
    const RequestKey key{0x98000001, nullptr, false};
    std::set<uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        const uint64_t id = table.Add(key, Send(i));
        EXPECT_TRUE(seen.insert(id).second);
        const RequestEntry entry = table.Find(key);
        EXPECT_EQ(entry.id, id);
        EXPECT_EQ(entry.tag, i);
        table.Remove(key, id);
        EXPECT_EQ(table.Find(key).id, 0u);
    }
    table.Release();
}

TEST(RequestTableTest, LateRemovalLeavesTheNextOwnerOfTheHandle) {
    RequestTable table;
    const RequestKey key{0x98000002, nullptr, false};
    const uint64_t first = table.Add(key, Send(1));
    const uint64_t second = table.Add(key, Send(2));  // Another thread was given the handle.
    table.Remove(key, first);
    EXPECT_EQ(table.Find(key).id, second);
    RequestEntry stale = Send(1);
    stale.id = first;
    stale.cancel_requested = true;
    table.Update(key, stale);
    EXPECT_FALSE(table.Find(key).cancel_requested);
    table.Release();
}

TEST(RequestTableTest, PersistentRequestKeepsItsNumber) {
    RequestTable table;
    const RequestKey key{0x98000003, nullptr, false};
    RequestEntry entry = Send(5);
    entry.persistent = true;
    entry.active = false;
    const uint64_t id = table.Add(key, entry);
    for (int i = 0; i < 3; ++i) {
        entry = table.Find(key);
        EXPECT_EQ(entry.id, id);
        EXPECT_FALSE(entry.active);
        entry.active = true;
        table.Update(key, entry);
        entry = table.Find(key);
        EXPECT_TRUE(entry.active);
        entry.active = false;
        table.Update(key, entry);
    }
    table.Release();
}

TEST(RequestTableTest, SharedHandlesAreToldApartByWhereTheyLie) {
    RequestTable table;
    int at[100];
    std::vector<uint64_t> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(table.Add({0x6c000000, &at[i], true}, Send(i)));
    // From the end, from the start, and from the middle, which is out of reach: the oldest then.
    for (int i : {99, 0, 98, 1}) {
        const RequestKey key{0x6c000000, &at[i], true};
        EXPECT_EQ(table.Find(key).id, ids[i]);
        table.Remove(key, ids[i]);
    }
    EXPECT_EQ(table.Find({0x6c000000, &at[50], true}).id, ids[2]);
    // Another handle of that kind is another pool.
    EXPECT_EQ(table.Find({0x6c000001, &at[50], true}).id, 0u);
    table.Release();
}

TEST(RequestTableTest, SharedHandlesThatMovedGoInOrder) {
    RequestTable table;
    int variable;
    int array[8];
    std::vector<uint64_t> ids;
    // One variable for all, copied away: request r; MPI_Isend(..., &r); list.push_back(r).
    for (int i = 0; i < 8; ++i) ids.push_back(table.Add({0x6c000000, &variable, true}, Send(i)));
    EXPECT_EQ(table.Find({0x6c000000, &variable, true}).id, ids[7]);  // It holds the newest.
    for (int i = 0; i < 8; ++i) {
        const RequestKey key{0x6c000000, &array[i], true};
        EXPECT_EQ(table.Find(key).id, ids[i]);
        table.Remove(key, ids[i]);
    }
    EXPECT_EQ(table.Find({0x6c000000, &variable, true}).id, 0u);
    table.Release();
}

TEST(RequestTableTest, ThreadsKeepTheirOwnRequests) {
    constexpr int kThreads = 4;
    constexpr int kRounds = 5000;
    thread_multiple = true;
    RequestTable table;
    std::vector<std::vector<uint64_t>> ids(kThreads);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            int variable;
            for (int i = 0; i < kRounds; ++i) {
                // A handle of one's own, and one that all share.
                const RequestKey own{0x98000000u + t + i % 50 * kThreads, &variable, false};
                const RequestKey shared{0x6c000000, &variable, true};
                const uint64_t first = table.Add(own, Send(t));
                const uint64_t second = table.Add(shared, Send(t));
                if (table.Find(own).id != first || table.Find(own).tag != t) ++wrong;
                if (table.Find(shared).id != second || table.Find(shared).tag != t) ++wrong;
                table.Remove(own, first);
                table.Remove(shared, second);
                ids[t].push_back(first);
                ids[t].push_back(second);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    thread_multiple = false;
    EXPECT_EQ(wrong, 0);
    std::set<uint64_t> all;
    for (const auto& some : ids) all.insert(some.begin(), some.end());
    EXPECT_EQ(all.size(), 2u * kThreads * kRounds);
    table.Release();
}

TEST(CommIdTest, SameOnAllMembersAndDifferentOtherwise) {
    const int32_t world[] = {0, 1, 2, 3};
    EXPECT_EQ(HashMembers(nullptr, 4), HashMembers(world, 4));
    std::vector<int32_t> large(1000);
    for (int32_t i = 0; i < 1000; ++i) large[i] = i;
    EXPECT_EQ(HashMembers(nullptr, 1000), HashMembers(large.data(), 1000));

    std::set<uint64_t> ids;
    const int32_t even[] = {0, 2};
    const int32_t odd[] = {1, 3};
    const int32_t turned[] = {2, 0};
    for (const char* job : {"100.1", "100.2"}) {
        const uint64_t parent = CommId(HashText(job), HashMembers(world, 4), 0);
        EXPECT_TRUE(ids.insert(parent).second);
        for (const int32_t* members : {even, odd, turned}) {
            for (uint64_t ordinal : {0, 1}) {
                EXPECT_TRUE(ids.insert(CommId(parent, HashMembers(members, 2), ordinal)).second);
            }
        }
    }
    EXPECT_EQ(ids.size(), 14u);
}

TEST(CommIdTest, BothSidesOfAnIntercommunicatorAgree) {
    const int32_t even[] = {0, 2};
    const int32_t odd[] = {1, 3};
    const uint64_t a = HashMembers(even, 2);
    const uint64_t b = HashMembers(odd, 2);
    EXPECT_EQ(HashGroupPair(a, b), HashGroupPair(b, a));
    EXPECT_NE(HashGroupPair(a, b), HashGroupPair(a, a));
}

TEST(CommIdTest, OrdinalsCountPerParentAndMembers) {
    CommOrdinals ordinals;
    EXPECT_EQ(ordinals.Next(1, 10), 0u);
    EXPECT_EQ(ordinals.Next(1, 10), 1u);
    EXPECT_EQ(ordinals.Next(1, 11), 0u);
    EXPECT_EQ(ordinals.Next(2, 10), 0u);
    EXPECT_EQ(ordinals.Next(1, 10), 2u);
    ordinals.Release();
}

TEST(LossTableTest, ReportsEachCountOnceAndPerThread) {
    using Direction = schema::MpiDirection;
    LossTable table;
    const LossKey send{7, 0, 1, 5, Direction::send};
    for (int i = 0; i < 3; ++i) table.Count(send);
    table.Count({7, 0, 1, 5, Direction::receive});
    table.Count({7, 1, 1, 5, Direction::send});
    std::map<std::tuple<uint64_t, int, int, int>, uint64_t> seen;
    const auto add = [&](const LossKey& key, uint64_t count) {
        seen[{key.comm, key.peer, key.tag, static_cast<int>(key.direction)}] += count;
    };
    table.Take(0, add);
    EXPECT_EQ(seen.size(), 2u);
    EXPECT_EQ((seen[{7, 1, 5, 0}]), 3u);
    EXPECT_EQ((seen[{7, 1, 5, 1}]), 1u);
    seen.clear();
    table.Take(0, add);
    EXPECT_TRUE(seen.empty());
    table.Take(1, add);
    EXPECT_EQ((seen[{7, 1, 5, 0}]), 1u);
    table.Count(send);
    table.Reset();
    seen.clear();
    table.Take(0, add);
    EXPECT_TRUE(seen.empty());
    table.Release();
}

}  // namespace

}  // namespace comshu::provider::mpi
