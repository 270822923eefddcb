#include "streaming_plan.h"

#include <string>

#include <gtest/gtest.h>

namespace comshu::read {
namespace {

std::string Node(const std::string& name, const std::string& children = "") {
    return R"({"name": ")" + name + R"(", "children": [)" + children + "]}";
}

bool Streams(const std::string& node) {
    return CanStreamPlan("[" + node + "]");
}

TEST(StreamingPlan, AUnionOfScansCan) {
    const std::string both = Node("SCAN ") + "," + Node("PROJECTION", Node("SCAN "));
    EXPECT_TRUE(Streams(Node("SCAN ")));
    EXPECT_TRUE(Streams(Node("UNION", both)));
    EXPECT_TRUE(Streams(Node("HASH_JOIN", both)));
}

TEST(StreamingPlan, AUnionWithAStepOnTheWayCannot) {
    const std::string sum = Node("HASH_GROUP_BY", Node("SCAN "));
    EXPECT_FALSE(Streams(Node("UNION", Node("SCAN ") + "," + sum)));
    EXPECT_FALSE(Streams(Node("UNION", Node("SCAN ") + "," + Node("PROJECTION", sum))));
    const std::string both = Node("UNION", Node("SCAN ") + "," + Node("SCAN "));
    EXPECT_FALSE(Streams(Node("HASH_JOIN", both + "," + Node("SCAN "))));
    EXPECT_FALSE(Streams(Node("CTE", Node("SCAN ") + "," + both)));
    EXPECT_FALSE(Streams(Node("AN_OPERATOR_OF_LATER", both)));
    // It is done before the first row comes.
    EXPECT_TRUE(Streams(Node("ORDER_BY", both)));
}

TEST(StreamingPlan, AUnionThatIsDoneFirstCan) {
    const std::string both = Node("UNION", Node("SCAN ") + "," + Node("SCAN "));
    EXPECT_TRUE(Streams(Node("CTE", both + "," + Node("ORDER_BY", both))));
    EXPECT_TRUE(Streams(Node("HASH_JOIN", Node("SCAN ") + "," + both)));
}

TEST(StreamingPlan, WhatIsNoPlanCannot) {
    EXPECT_FALSE(CanStreamPlan(""));
    EXPECT_FALSE(CanStreamPlan("[1]"));
    EXPECT_FALSE(CanStreamPlan("{}"));
}

}  // namespace
}  // namespace comshu::read
