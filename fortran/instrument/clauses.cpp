#include "instrument/clauses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

bool IsOneOf(const std::string& name, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
}

std::string Upper(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

// Colon outside of parentheses and literals.
std::size_t TopColon(const std::string& text) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char c = text[at];
        if (c == '\'' || c == '"') {
            at = text.find(c, at + 1);
            if (at == std::string::npos) {
                return at;
            }
        } else if (c == '(') {
            ++depth;
        } else if (c == ')') {
            --depth;
        } else if (c == ':' && depth == 0) {
            return at;
        }
    }
    return std::string::npos;
}

// `+:s` or `inscan,+:s` into operator word and list.
void SplitReduction(const std::string& argument, std::string* operation, std::string* list) {
    std::size_t colon = TopColon(argument);
    if (colon == std::string::npos) {
        *list = argument;
        return;
    }
    std::vector<std::string> parts = SplitList(argument.substr(0, colon));
    std::string sign = parts.empty() ? "" : parts.back();
    static constexpr std::array<std::pair<const char*, const char*>, 7> kWords{
        {{"+", "PLUS"},
         {"-", "MINUS"},
         {"*", "PRODUCT"},
         {".and.", "AND"},
         {".or.", "OR"},
         {".eqv.", "EQV"},
         {".neqv.", "NEQV"}}};
    *operation = Upper(sign);
    for (const auto& [text, word] : kWords) {
        if (sign == text) {
            *operation = word;
        }
    }
    *list = argument.substr(colon + 1);
}

// Which of the clauses a context string of this type names.
bool IsRecorded(const std::string& type, const std::string& clause) {
    if (IsOneOf(clause, {"private", "firstprivate"})) {
        return IsOneOf(type, {"parallel", "omploop", "sections", "single", "task", "taskloop",
                              "teams", "target"});
    }
    if (clause == "reduction") {
        return IsOneOf(type, {"parallel", "omploop", "sections", "taskloop", "teams"});
    }
    if (clause == "lastprivate") {
        return IsOneOf(type, {"omploop", "sections", "taskloop"});
    }
    if (IsOneOf(clause, {"shared", "default"})) {
        return IsOneOf(type, {"parallel", "task", "taskloop", "teams"});
    }
    if (IsOneOf(clause, {"if"})) {
        return IsOneOf(type, {"parallel", "task", "taskloop", "target"});
    }
    if (IsOneOf(clause, {"copyin", "num_threads", "proc_bind"})) {
        return type == "parallel";
    }
    if (IsOneOf(clause, {"ordered", "schedule", "collapse"})) {
        return type == "omploop" || (type == "taskloop" && clause == "collapse");
    }
    if (clause == "copyprivate") {
        return type == "single";
    }
    if (IsOneOf(clause, {"depend", "untied", "mergeable", "final", "priority"})) {
        return type == "task" || (type == "taskloop" && clause != "depend");
    }
    if (IsOneOf(clause, {"grainsize", "num_tasks", "nogroup"})) {
        return type == "taskloop";
    }
    return clause == "nowait" && type != "parallel";
}

// Of a TASKLOOP inside of PARALLEL: what the region needs, and what both do. Variables that the loop's clauses
// list are shared around it.
void SplitTaskloop(const ClauseText& clause, Clauses* parallel, Clauses* taskloop) {
    std::string modifier = clause.name == "if" ? SplitIf(clause.argument).modifier : "";
    bool both =
        IsOneOf(clause.name, {"default", "shared"}) || (clause.name == "if" && modifier.empty());
    bool region =
        modifier == "parallel" || IsOneOf(clause.name, {"num_threads", "proc_bind", "copyin"});
    if (parallel != taskloop && (both || region)) {
        parallel->push_back(clause);
    }
    if (parallel == taskloop || !region) {
        taskloop->push_back(clause);
    }
}

}  // namespace

const ClauseText* Find(const Clauses& clauses, const std::string& name) {
    for (const ClauseText& clause : clauses) {
        if (clause.name == name) {
            return &clause;
        }
    }
    return nullptr;
}

ClauseText MakeClause(const std::string& name, const std::string& argument) {
    ClauseText clause;
    clause.name = name;
    clause.argument = argument;
    clause.has_argument = !argument.empty();
    clause.text = argument.empty() ? name : name + "(" + argument + ")";
    return clause;
}

std::string ClauseList(const Clauses& clauses) {
    std::string out;
    for (const ClauseText& clause : clauses) {
        out += " " + clause.text;
    }
    return out;
}

IfClause SplitIf(const std::string& argument) {
    std::size_t colon = TopColon(argument);
    static const std::set<std::string> kModifiers{"parallel", "simd",     "target", "targetdata",
                                                  "task",     "taskloop", "teams",  "cancel"};
    if (colon != std::string::npos && kModifiers.count(argument.substr(0, colon))) {
        return {argument.substr(0, colon), argument.substr(colon + 1)};
    }
    return {"", argument};
}

ScheduleClause SplitSchedule(const std::string& argument) {
    std::size_t colon = TopColon(argument);
    std::string rest = colon == std::string::npos ? argument : argument.substr(colon + 1);
    std::size_t comma = rest.find(',');
    ScheduleClause schedule;
    schedule.kind = Upper(rest.substr(0, comma));
    if (comma != std::string::npos) {
        schedule.chunk = rest.substr(comma + 1);
    }
    return schedule;
}

void AddClauses(const Clauses& clauses, const std::string& type, Context* context) {
    for (const ClauseText& clause : clauses) {
        if (!IsRecorded(type, clause.name)) {
            continue;
        }
        if (clause.name == "reduction") {
            std::string operation;
            std::string list;
            SplitReduction(clause.argument, &operation, &list);
            context->Add("redop", operation);
            context->Add("reduction", list);
        } else if (clause.name == "schedule") {
            ScheduleClause schedule = SplitSchedule(clause.argument);
            context->Add("schedule", schedule.kind);
            if (!schedule.chunk.empty()) {
                context->Add("chunk_size", schedule.chunk);
            }
        } else if (clause.name == "if") {
            context->Add("if", SplitIf(clause.argument).condition);
        } else if (clause.name == "default" || clause.name == "proc_bind") {
            context->Add(clause.name, Upper(clause.argument));
        } else {
            context->Add(clause.name, clause.has_argument ? clause.argument : "1");
        }
    }
}

std::vector<std::string> TakenApart(const std::string& name) {
    std::vector<std::string> names;
    std::string rest = name;
    for (const char* outer : {"parallel ", "master ", "masked "}) {
        if (rest.starts_with(outer)) {
            std::size_t size = std::string(outer).size();
            names.push_back(rest.substr(0, size - 1));
            rest.erase(0, size);
        }
    }
    names.push_back(rest);
    if (IsOneOf(rest, {"do", "do simd", "sections", "workshare", "master", "masked", "taskloop",
                       "taskloop simd"})) {
        return names;
    }
    return {name};
}

std::vector<Clauses> SplitCombined(const std::vector<std::string>& names, const Clauses& clauses) {
    std::vector<Clauses> split(names.size());
    const std::string& last = names.back();
    bool loop = IsOneOf(last, {"do", "do simd"});
    bool simd = last == "do simd";
    std::set<std::string> lastprivate;
    for (const ClauseText& clause : clauses) {
        if (clause.name == "lastprivate") {
            std::size_t colon = TopColon(clause.argument);
            for (const std::string& name :
                 SplitList(colon == std::string::npos ? clause.argument
                                                      : clause.argument.substr(colon + 1))) {
                lastprivate.insert(name);
            }
        }
    }
    for (const ClauseText& clause : clauses) {
        if (clause.name == "filter") {
            split[std::find(names.begin(), names.end(), "masked") - names.begin()].push_back(
                clause);
            continue;
        }
        if (IsOneOf(last, {"taskloop", "taskloop simd"})) {
            SplitTaskloop(clause, names[0] == "parallel" ? &split[0] : &split.back(),
                          &split.back());
            continue;
        }
        bool inner =
            clause.name == "lastprivate" ||
            (loop && IsOneOf(clause.name, {"schedule", "ordered", "collapse", "linear", "order",
                                           "safelen", "simdlen", "aligned", "nontemporal"}));
        if (clause.name == "reduction") {
            // An INSCAN or TASK reduction and one over SIMD lanes belong to the loop itself.
            inner = loop && (simd || clause.argument.compare(0, 6, "inscan") == 0);
        }
        if (clause.name == "if" && simd) {
            inner = SplitIf(clause.argument).modifier == "simd";
        }
        if (clause.name == "firstprivate" && !lastprivate.empty()) {
            // A variable that is both must be shared around the loop: private twice is an error.
            std::string outer_list;
            std::string inner_list;
            for (const std::string& name : SplitList(clause.argument)) {
                std::string& list = lastprivate.count(name) ? inner_list : outer_list;
                list += (list.empty() ? "" : ",") + name;
            }
            if (!outer_list.empty()) {
                split.front().push_back(MakeClause("firstprivate", outer_list));
            }
            if (!inner_list.empty()) {
                split.back().push_back(MakeClause("firstprivate", inner_list));
            }
            continue;
        }
        (inner ? split.back() : split.front()).push_back(clause);
    }
    return split;
}

std::vector<std::string> ListedVariables(const Clauses& clauses) {
    std::vector<std::string> names;
    for (const ClauseText& clause : clauses) {
        if (!IsOneOf(clause.name, {"private", "firstprivate", "lastprivate", "shared", "reduction",
                                   "copyin", "linear"})) {
            continue;
        }
        std::size_t colon = clause.name == "linear" ? std::string::npos : TopColon(clause.argument);
        std::string list =
            colon == std::string::npos ? clause.argument : clause.argument.substr(colon + 1);
        if (clause.name == "linear") {
            list = list.substr(0, TopColon(list));
        }
        for (std::string& name : SplitList(list)) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

}  // namespace comshu::fortran
