#include "instrument/cooked_text.h"
#include "instrument/omp_walker.h"

// Combined directives: PARALLEL and what follows it, taken apart so that each has its events.

namespace comshu::fortran {

// In a combined directive names may occur that need no data-sharing attribute there (a chunk size,
// loop bounds), but do once the directive is taken apart and DEFAULT is given. False: it cannot be.
bool OmpWalker::SharedAround(int item, const Clauses& inner, Clauses* parallel) {
    const ClauseText* clause = Find(*parallel, "default");
    if (!clause || clause->argument == "shared") {
        return true;
    }
    std::string list;
    std::vector<std::string> listed = ListedVariables(*parallel);
    auto add = [&](const std::string& name) {
        for (const std::string& other : listed) {
            if (other == name) {
                return;
            }
        }
        listed.push_back(name);
        list += (list.empty() ? "" : ",") + name;
    };
    for (const std::string& name : ListedVariables(inner)) {
        add(name);
    }
    std::string expressions;
    if (const ClauseText* schedule = Find(inner, "schedule")) {
        expressions = SplitSchedule(schedule->argument).chunk;
    }
    int loop = s_.Nest(item).loop;
    std::string variables;
    for (int i = loop; i != kNoItem && s_.At(i).kind == ItemKind::kDo; ++i) {
        const LoopText& text = s_.At(i).loop;
        expressions += "," + text.lower + "," + text.upper + "," + text.step;
        variables += "," + text.variable + ",";
    }
    int unit = s_.Nest(item).unit;
    for (const std::string& name : NamesIn(expressions)) {
        bool called = expressions.find(name + "(") != std::string::npos;
        if (s_.structure.IsConstant(unit, name) ||
            variables.find("," + name + ",") != std::string::npos ||
            (called && !s_.structure.IsArray(unit, name))) {
            continue;
        }
        std::size_t before = listed.size();
        add(name);
        if (listed.size() > before && clause->argument != "none") {
            return false;
        }
    }
    if (!list.empty()) {
        parallel->push_back(MakeClause("shared", list));
    }
    return true;
}

void OmpWalker::Combined(int item, const std::string& inner_name) {
    bool loop = inner_name == "do" || inner_name == "do simd";
    int end = EndOf(item);
    bool end_directive = s_.At(end).kind == ItemKind::kOmpEnd;
    if (loop && (s_.Nest(item).loop == kNoItem || !EndsAlone(item))) {
        s_.Skip(item, s_.At(item).name, "its loop ends on a statement that ends others too");
        return;
    }
    SplitClauses split = SplitCombined(inner_name, s_.At(item).clauses);
    if (!s_.place.CanReplaceDirective(item) ||
        (end_directive ? !s_.place.CanReplaceDirective(end) : !s_.place.CanInsertAfter(end)) ||
        !SharedAround(item, split.inner, &split.parallel)) {
        Around(item, "parallel", "parallel");
        return;
    }
    Part outer = Parallel(item, split.parallel);
    Part inner;
    if (loop) {
        inner = Loop(item, split.inner, inner_name);
    } else {
        std::string events = inner_name == "masked" ? "master" : inner_name;
        inner = Plain(item, split.inner, events, events);
        if (inner_name == "sections") {
            Sections(item, &inner);
        }
    }
    Lines lines = outer.before;
    Append(lines, s_.Directive(item, outer.directive));
    Append(lines, outer.event);
    Append(lines, inner.before);
    Append(lines, s_.Directive(item, inner.directive));
    Append(lines, inner.event);
    s_.place.ReplaceDirective(item, lines);
    if (loop) {
        Iterations(item, inner.handle);
    }
    // The region's own barrier follows at once.
    bool nowait = inner_name[0] != 'm' && !HasCancel(item, loop ? "do" : inner_name);
    s_.AtEnd(end, [=, this] {
        Lines last = inner.event_end;
        Append(last, s_.Directive(item, "end " + inner_name + (nowait ? " nowait" : "")));
        Append(last, inner.after);
        Append(last, outer.event_end);
        Append(last, s_.Directive(item, "end parallel"));
        Append(last, outer.after);
        if (end_directive) {
            s_.place.ReplaceDirective(end, last);
        } else {
            s_.place.InsertAfter(end, last);
        }
    });
}

}  // namespace comshu::fortran
