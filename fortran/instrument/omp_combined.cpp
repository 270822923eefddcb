#include <algorithm>

#include "instrument/cooked_text.h"
#include "instrument/omp_walker.h"

// Combined directives: PARALLEL and what follows it, taken apart so that each has its events.

namespace comshu::fortran {

// What a combined loop directive works out before its region, and the variables of its loops.
std::string OmpWalker::BoundsText(int item, const Clauses& inner,
                                  std::vector<std::string>* variables) const {
    std::string expressions;
    if (const ClauseText* schedule = Find(inner, "schedule")) {
        expressions = SplitSchedule(schedule->argument).chunk;
    }
    for (const ClauseText& clause : inner) {
        std::size_t colon = clause.argument.find(':');
        if (clause.name == "linear" && colon != std::string::npos) {
            expressions += "," + clause.argument.substr(colon + 1);
        }
    }
    if (s_.Nest(item).loop == kNoItem) {
        return expressions;
    }
    std::vector<int> loops = TiedLoops(item, {"collapse", "ordered"});
    for (int i = s_.Nest(item).loop;
         loops.empty() ? s_.At(i).kind == ItemKind::kDo : i <= loops.back(); ++i) {
        const LoopText& text = s_.At(i).loop;
        expressions += "," + text.lower + "," + text.upper + "," + text.step;
        variables->push_back(text.variable);
    }
    return expressions;
}

// In a combined directive names may occur that need no data-sharing attribute there (a chunk size,
// loop bounds), but do once the directive is taken apart and DEFAULT is given. Those that are variables
// for certain are listed; where any may be something that no clause can list, DEFAULT(NONE), which
// changes nothing in a program that compiles with it, becomes DEFAULT(SHARED). Null, or why the
// directive cannot be taken apart.
const char* OmpWalker::SharedAround(int item, const Clauses& inner, Clauses* parallel) {
    std::vector<std::string> variables;
    std::string expressions = BoundsText(item, inner, &variables);
    std::vector<std::string> listed = ListedVariables(*parallel);
    std::string list;
    auto is_listed = [&](const std::string& name) {
        return std::find(listed.begin(), listed.end(), name) != listed.end();
    };
    auto add = [&](const std::string& name) {
        if (!is_listed(name)) {
            listed.push_back(name);
            list += (list.empty() ? "" : ",") + name;
        }
    };
    auto clause = std::find_if(parallel->begin(), parallel->end(),
                               [](const ClauseText& c) { return c.name == "default"; });
    bool given = clause != parallel->end() && clause->argument != "shared";
    bool none = given && clause->argument == "none";
    if (given) {
        for (const std::string& name : ListedVariables(inner)) {
            add(name);
        }
        if (s_.At(item).name.ends_with("simd")) {
            // There they have their last values behind the loop.
            for (const std::string& name : variables) {
                add(name);
            }
        }
    }
    bool unknown = false;
    for (const std::string& name : NamesIn(expressions)) {
        if (is_listed(name) ||
            std::find(variables.begin(), variables.end(), name) != variables.end()) {
            continue;
        }
        switch (scope_.Of(item, name, expressions)) {
            case ScopeNames::Meaning::kThreadprivate:
                return "its bounds use a THREADPRIVATE variable, whose value is that of one thread";
            case ScopeNames::Meaning::kVariable:
                if (given && !none) {
                    return "its bounds use a variable that DEFAULT makes private";
                }
                if (none) {
                    add(name);
                }
                break;
            case ScopeNames::Meaning::kUnknown:
                if (given && !none) {
                    return "its bounds may use a variable that DEFAULT makes private";
                }
                unknown = true;
                break;
            case ScopeNames::Meaning::kNotData:
                break;
        }
    }
    if (none && unknown) {
        clause->text = "default(shared)";  // recorded as it was written
    } else if (!list.empty()) {
        parallel->push_back(MakeClause("shared", list));
    }
    return nullptr;
}

// One of the directives, from the outermost, that a combined one is taken apart into.
OmpWalker::Part OmpWalker::PartOf(int item, const std::string& name, const Clauses& clauses) {
    Part part;
    bool nowait = false;  // the region's own barrier follows at once
    if (name == "parallel") {
        part = Parallel(item, clauses);
    } else if (IsTaskloop(name)) {
        part = Taskloop(item, clauses);
    } else if (name == "master" || name == "masked") {
        part = Plain(item, clauses, "master", "master");
    } else if (name == "sections" || name == "workshare") {
        part = Plain(item, clauses, name, name);
        if (name == "sections") {
            Sections(item, &part);
        }
        nowait = !HasCancel(item, name);
    } else {
        part = Loop(item, clauses);
        nowait = !HasCancel(item, "do");
    }
    if (name != "parallel") {
        part.directive = name + ClauseList(clauses);
    }
    part.end = "end " + name + (nowait ? " nowait" : "");
    return part;
}

void OmpWalker::Combined(int item, const std::vector<std::string>& names) {
    const std::string& name = s_.At(item).name;
    int end = EndOf(item);
    bool end_directive = s_.At(end).kind == ItemKind::kOmpEnd;
    if (IsLoopDirective(name) && (s_.Nest(item).loop == kNoItem || !EndsAlone(item))) {
        s_.Skip(item, name, "its loop ends on a statement that ends others too");
        return;
    }
    bool region = names.front() == "parallel";
    std::vector<Clauses> split = SplitCombined(names, s_.At(item).clauses);
    const char* why = "text follows on the line of its directive";
    if (s_.place.CanReplaceDirective(item) &&
        (end_directive ? s_.place.CanReplaceDirective(end) : s_.place.CanInsertAfter(end))) {
        why = region ? SharedAround(item, split.back(), &split.front()) : nullptr;
    }
    if (why) {
        s_.Skip(item, region ? "what is inside of " + name : name, why);
        if (region) {
            Around(item, "parallel", "parallel");
        }
        return;
    }
    std::vector<Part> parts;
    Lines lines;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Part& part = parts.emplace_back(PartOf(item, names[i], split[i]));
        Append(lines, part.before);
        Append(lines, s_.Directive(item, part.directive));
        Append(lines, part.event);
    }
    s_.place.ReplaceDirective(item, lines);
    if (names.back().starts_with("do")) {
        Iterations(item, parts.back().handle);
    }
    s_.AtEnd(end, [this, item, end, end_directive, parts] {
        Lines last;
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            Append(last, part->event_end);
            Append(last, s_.Directive(item, part->end));
            Append(last, part->after);
        }
        if (end_directive) {
            s_.place.ReplaceDirective(end, last);
        } else {
            s_.place.InsertAfter(end, last);
        }
    });
}

}  // namespace comshu::fortran
