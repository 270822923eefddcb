#include "views/openmp_spans.h"

#include <algorithm>
#include <iterator>

#include "comshu/schema/openmp_generated.h"

namespace comshu::read {
namespace {

struct Rule {
    std::string_view name;
    std::string_view category;
};
constexpr Rule kRules[] = {
    {"parallel", "region"},
    {"teams", "region"},
    {"target", "region"},
    {"team", "region"},
    {"implicit_task", "region"},
    {"loop", "loop"},
    {"taskloop", "loop"},
    {"sequential_loop", "loop"},
    {"workshare", "loop"},
    {"sections", "sections"},
    {"section", "sections"},
    {"single", "single"},
    {"single_body", "single"},
    {"master", "master"},
    {"critical", "critical"},
    {"atomic", "critical"},
    {"ordered", "ordered"},
    {"taskgroup", "task"},
    {"task_create", "task"},
    {"task", "task"},
    {"procedure", "function"},
    {"call", "function"},
    {"io", "io"},
};
// In kOpenmpMemberWaits.
static_assert(static_cast<int>(schema::OmpFunction::task) == 24);
constexpr std::string_view kWait = "_wait";

}  // namespace

std::string_view OpenmpCategory(std::string_view function) {
    if (function.ends_with(kWait)) return "wait";
    const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const Rule& r) { return r.name == function; });
    return rule == std::end(kRules) ? "other" : rule->category;
}

std::string OpenmpName(std::string_view function) {
    if (function.ends_with(kWait)) function.remove_suffix(kWait.size());
    std::string name(function);
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

}  // namespace comshu::read
