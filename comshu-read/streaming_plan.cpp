#include "streaming_plan.h"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

namespace comshu::read {
namespace {

using Json = nlohmann::json;

// On the way that rows take to the result.
struct Way {
    bool has_union = false;
    bool has_step = false;  // Something that must be done before rows go on.
};

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void Follow(const Json& node, Way* way) {
    const std::string name = node.value("name", "");
    const auto children = node.find("children");
    if (children == node.end() || children->empty()) return;
    if (IsOneOf(name, {"HASH_GROUP_BY", "PERFECT_HASH_GROUP_BY", "UNGROUPED_AGGREGATE", "ORDER_BY",
                       "TOP_N", "WINDOW"})) {
        // What is below is done before the first row of this comes.
        way->has_step = true;
        return;
    }
    // Tables that are made first are not on the way: what a CTE keeps, and what a join looks up.
    if (name == "CTE" || name == "HASH_JOIN") {
        way->has_step = true;
        Follow(name == "CTE" ? children->back() : children->front(), way);
        return;
    }
    way->has_union = way->has_union || name == "UNION";
    if (!IsOneOf(name, {"UNION", "PROJECTION", "FILTER", "STREAMING_LIMIT"})) way->has_step = true;
    for (const Json& child : *children) Follow(child, way);
}

}  // namespace

bool CanStreamPlan(const std::string& plan) {
    const Json tree = Json::parse(plan, nullptr, false);
    if (!tree.is_array()) return false;
    Way way;
    for (const Json& root : tree) {
        if (!root.is_object()) return false;
        Follow(root, &way);
    }
    return !way.has_union || !way.has_step;
}

bool CanStream(duckdb_connection connection, const std::string& sql) {
    duckdb_result result;
    bool can = false;
    if (duckdb_query(connection, ("EXPLAIN (FORMAT JSON) " + sql).c_str(), &result) ==
        DuckDBSuccess) {
        char* plan = duckdb_value_varchar(&result, 1, 0);
        can = plan != nullptr && CanStreamPlan(plan);
        duckdb_free(plan);
    }
    duckdb_destroy_result(&result);
    return can;
}

}  // namespace comshu::read
