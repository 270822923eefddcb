#include <algorithm>
#include <set>

#include "instrument/cooked_text.h"
#include "instrument/omp_walker.h"

// Loop directives: bounds, iterations, and the loops that COLLAPSE and ORDERED tie together.

namespace comshu::fortran {
namespace {

std::string StepOf(const LoopText& loop) {
    return loop.step.empty() ? "1" : loop.step;
}

std::string In(const std::string& expression) {
    return "(" + expression + ")";
}

std::string Over(const std::string& dividend, const std::string& step) {
    return step == "1" ? dividend : In(dividend) + "/" + In(step);
}

// Iterations of a loop; not above zero where it has none.
std::string Count(const LoopText& loop) {
    return Over(In(loop.upper) + "-" + In(loop.lower) + "+" + In(StepOf(loop)), StepOf(loop));
}

// From zero.
std::string Number(const LoopText& loop) {
    return Over(loop.variable + "-" + In(loop.lower), StepOf(loop));
}

}  // namespace

// A labelled statement may end several loops; what follows it follows the outermost.
bool OmpWalker::EndsAlone(int item) const {
    int loop = s_.Nest(item).loop;
    if (loop == kNoItem) {
        return false;
    }
    for (int outer = s_.Nest(item).parent; outer != kNoItem; outer = s_.Nest(outer).parent) {
        if (s_.Nest(outer).end == s_.Nest(loop).end) {
            return false;
        }
    }
    return true;
}

OmpWalker::Part OmpWalker::Loop(int item, const Clauses& clauses) {
    Part part;
    int directive = s_.Nest(item).end_directive;
    Context context = s_.NewContext("omploop", item);
    AddClauses(clauses, "omploop", &context);
    if (directive != kNoItem && s_.At(item).name.compare(0, 8, "parallel") != 0) {
        AddClauses(s_.At(directive).clauses, "omploop", &context);
    }
    context.Add("line2", LastLine(item));
    part.handle = s_.handles.Add(context);

    std::string chunk = "-1_4";
    part.before = BoundReads(item);
    bool asks = IterationPlace(item) != kNoItem;
    if (asks) {
        Append(part.before, conditionals_.Open(item));
    }
    Append(part.before, StageBounds(item));
    if (const ClauseText* schedule = Find(clauses, "schedule")) {
        std::string size = SplitSchedule(schedule->argument).chunk;
        if (s_.MayCall(item, size)) {
            chunk = "-2_4";
        } else if (!size.empty()) {
            chunk = s_.Int4(item, 3);
            Append(part.before, s_.SetInt4(item, 3, size));
        }
    }
    Append(part.before, s_.Call(item, "dbg_before_omp_loop", part.handle,
                                {s_.Int8(item, 1), s_.Int8(item, 2), s_.Int8(item, 3), chunk}));
    part.after = s_.Call(item, "dbg_after_omp_loop", part.handle);
    if (asks) {
        Append(part.after, conditionals_.Close(item));
    }
    return part;
}

OmpWalker::Part OmpWalker::Taskloop(int item, const Clauses& clauses) {
    Part part;
    Context context = s_.NewContext("taskloop", item);
    AddClauses(clauses, "taskloop", &context);
    context.Add("line2", LastLine(item));
    part.handle = s_.handles.Add(context);
    part.before = BoundReads(item);
    Append(part.before, StageBounds(item));
    Append(part.before, s_.Call(item, "dbg_before_taskloop", part.handle,
                                {s_.Int8(item, 1), s_.Int8(item, 2), s_.Int8(item, 3)}));
    part.after = s_.Call(item, "dbg_after_taskloop", part.handle);
    return part;
}

// The loops that these clauses tie to the directive, from the outermost; empty: not known.
std::vector<int> OmpWalker::TiedLoops(int item, const std::vector<std::string>& clauses) const {
    int depth = 1;
    for (const std::string& name : clauses) {
        const ClauseText* clause = Find(s_.At(item).clauses, name);
        if (clause == nullptr || !clause->has_argument) {
            continue;
        }
        if (!IsIntegerLiteral(clause->argument)) {
            return {};
        }
        depth = std::max(depth, std::stoi(clause->argument));
    }
    std::vector<int> loops;
    for (int loop = s_.Nest(item).loop; depth > 0; ++loop, --depth) {
        if (s_.At(loop).kind != ItemKind::kDo) {
            return {};
        }
        loops.push_back(loop);
    }
    return loops;
}

// Whether the iterations of loops that COLLAPSE makes one are as many as the product of theirs, by
// bounds that can be worked out anywhere inside.
bool OmpWalker::AreCountedTogether(const std::vector<int>& loops) const {
    std::set<std::string> variables;
    for (int loop : loops) {
        const LoopText& text = s_.At(loop).loop;
        for (const std::string& name : NamesIn(text.lower + "," + text.upper + "," + text.step)) {
            if (variables.count(name)) {
                return false;
            }
        }
        if (s_.BoundsMayCall(loop)) {
            return false;
        }
        variables.insert(text.variable);
    }
    return true;
}

// What the bounds of the loop read, and of those that are tied to it where they can be told before it.
OmpWalker::Lines OmpWalker::BoundReads(int item) {
    std::vector<int> loops = TiedLoops(item, {"collapse", "ordered"});
    Lines lines;
    for (int loop : loops) {
        if (loop == loops.front() || AreCountedTogether(loops)) {
            Append(lines, data_.Reads(loop));
        }
    }
    return lines;
}

// Of collapsed loops the bounds are those of the numbers of their iterations, from 0. Where those are
// not known the step is 0. No function is called once more for them: what calls one is not known, which
// an upper bound says by the least number.
OmpWalker::Lines OmpWalker::StageBounds(int item) {
    Lines lines;
    auto set = [&](int index, const std::string& value) {
        Append(lines, s_.SetInt8(item, index, value));
    };
    std::vector<int> loops = TiedLoops(item, {"collapse"});
    if (loops.size() <= 1 || !AreCountedTogether(loops)) {
        const LoopText& outer = s_.At(s_.Nest(item).loop).loop;
        bool known = !s_.MayCall(item, outer.lower + "," + outer.step);
        set(1, known ? outer.lower : "0");
        set(2, s_.MayCall(item, outer.upper) ? "-huge(0_8)-1_8" : outer.upper);
        set(3, known && loops.size() == 1 ? StepOf(outer) : "0");
        return lines;
    }
    std::string all = s_.Int8(item, 2);
    std::string one = s_.Int8(item, 3);
    auto count = [&](int index, int loop) {
        set(index, Count(s_.At(loop).loop));
        Append(lines, s_.Statement(item, "if (" + s_.Int8(item, index) + " .lt. 0_8) " +
                                             s_.Int8(item, index) + " = 0_8"));
    };
    count(2, loops[0]);
    for (std::size_t i = 1; i < loops.size(); ++i) {
        count(3, loops[i]);
        Append(lines, s_.Statement(item, all + " = " + all + "*" + one));
    }
    set(1, "0");
    Append(lines, s_.Statement(item, all + " = " + all + "-1_8"));
    set(3, "1");
    return lines;
}

// Inside of the innermost of them.
OmpWalker::Lines OmpWalker::IterationNumber(int item, const std::vector<int>& loops) {
    std::string number = s_.Int8(item, 4);
    const LoopText& outer = s_.At(s_.Nest(item).loop).loop;
    if (loops.size() <= 1 || !AreCountedTogether(loops)) {
        return s_.SetInt8(item, 4, outer.variable);
    }
    Lines lines = s_.SetInt8(item, 4, Number(outer));
    std::string count = s_.Int8(item, 5);
    for (std::size_t i = 1; i < loops.size(); ++i) {
        const LoopText& loop = s_.At(loops[i]).loop;
        Append(lines, s_.SetInt8(item, 5, Count(loop)));
        Append(lines, s_.Statement(item, number + " = " + number + "*" + count + "+" +
                                             s_.AsInt(item, Number(loop), "8")));
    }
    return lines;
}

// The loop whose body tells the iterations: nothing may stand between loops that are tied together, so
// it is the innermost.
int OmpWalker::IterationPlace(int item) const {
    if (!HasIterations(s_.LevelOf(item)) || s_.At(item).name.find("simd") != std::string::npos ||
        ClosedIterations(s_.At(item)) != nullptr || !s_.place.CanInsertAfter(s_.Nest(item).loop)) {
        return kNoItem;
    }
    std::vector<int> loops = TiedLoops(item, {"collapse", "ordered"});
    // Which iterations begin one of the outermost is asked by the bounds of those inside.
    for (std::size_t i = TiedLoops(item, {"collapse"}).size(); i < loops.size(); ++i) {
        if (s_.MayCall(item, s_.At(loops[i]).loop.lower)) {
            return kNoItem;
        }
    }
    return loops.empty() || !s_.place.CanInsertAfter(loops.back()) ? kNoItem : loops.back();
}

void OmpWalker::Iterations(int item, int handle) {
    int loop = IterationPlace(item);
    if (loop == kNoItem) {
        return;
    }
    // Loops that ORDERED(n) ties to it beyond those of COLLAPSE are not shared: they run inside of an
    // iteration.
    std::vector<int> shared = TiedLoops(item, {"collapse"});
    std::string condition;
    for (int inner = shared.back() + 1; inner <= loop; ++inner) {
        const LoopText& text = s_.At(inner).loop;
        condition +=
            (condition.empty() ? "" : " .and. ") + text.variable + " .eq. " + In(text.lower);
    }
    Lines lines = conditionals_.Iteration(item, loop, handle, "omp_", IterationNumber(item, shared),
                                          condition);
    s_.AtEnd(loop, [this, loop, lines] { s_.place.InsertAfter(loop, lines); });
}

void OmpWalker::LoopConstruct(int item) {
    int end = EndOf(item);
    int directive = s_.Nest(item).end_directive;
    if (s_.Nest(item).loop == kNoItem || !EndsAlone(item)) {
        s_.Skip(item, s_.At(item).name, "its loop ends on a statement that ends others too");
        return;
    }
    Part part = Loop(item, s_.At(item).clauses);
    ExplicitBarrier(item, "do", &part);
    if (!s_.place.CanInsertAfter(end) ||
        (directive != kNoItem && part.add_nowait && !s_.place.CanReplaceDirective(directive))) {
        s_.Skip(item, s_.At(item).name, "text follows on the line of its end");
        return;
    }
    s_.place.InsertBefore(item, part.before);
    Iterations(item, part.handle);
    s_.AtEnd(end, [this, item, end, directive, part] {
        Lines lines;
        if (part.add_nowait) {
            Clauses clauses = directive == kNoItem ? Clauses{} : s_.At(directive).clauses;
            lines = s_.Directive(item, "end " + s_.At(item).name + ClauseList(clauses) + " nowait");
            Append(lines, part.barrier);
        }
        Append(lines, part.after);
        if (part.add_nowait && directive != kNoItem) {
            s_.place.ReplaceDirective(directive, lines);
        } else {
            s_.place.InsertAfter(end, lines);
        }
    });
}

}  // namespace comshu::fortran
