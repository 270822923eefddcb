// Spans of threads that count on, and of some that jump.
#include "call_of_span.h"

#include <gtest/gtest.h>

#include <map>

namespace comshu::analysis {
namespace {

TEST(CallOfSpan, FindsWhatWasSetAndNothingElse) {
    std::map<uint64_t, uint32_t> calls;
    const auto add = [&](uint64_t thread, uint64_t number) {
        calls[(thread << 40) + number] = static_cast<uint32_t>(calls.size());
    };
    for (uint64_t number = 5; number < 3000; number += 3) add(1, number);
    for (uint64_t number = 1; number < 9; ++number) add(7, number << 30);
    add(9, 1);
    CallOfSpan index;
    for (const auto& [span, call] : calls) index.Expect(span);
    for (const auto& [span, call] : calls) index.Set(span, call);
    for (const uint64_t thread : {1, 2, 7, 9}) {
        for (uint64_t number = 0; number < 4000; ++number) {
            for (const int shift : {0, 30}) {
                const uint64_t span = (thread << 40) + (number % 1000 << shift);
                const auto found = calls.find(span);
                ASSERT_EQ(index.Find(span),
                          found == calls.end() ? CallOfSpan::kNone : found->second)
                    << span;
            }
        }
    }
}

}  // namespace
}  // namespace comshu::analysis
