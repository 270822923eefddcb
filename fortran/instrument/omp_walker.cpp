#include "instrument/omp_walker.h"

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

// Type of the context string and stem of the entries' names of constructs that are treated alike.
struct Kind {
    const char* directive;
    const char* type;
    const char* events;
};
constexpr Kind kBlocks[] = {
    {"single", "single", "single"},          {"workshare", "workshare", "workshare"},
    {"master", "master", "master"},          {"masked", "master", "master"},
    {"ordered", "ordered", "ordered"},       {"task", "task", "task"},
    {"taskgroup", "taskgroup", "taskgroup"}, {"teams", "teams", "teams"},
    {"sections", "sections", "sections"},
};

}  // namespace

// The item that ends a construct in the text: its END directive where it has one.
int OmpWalker::EndOf(int item) const {
    const Nesting& nesting = s_.Nest(item);
    if (nesting.end_directive != kNoItem) {
        return nesting.end_directive;
    }
    if (s_.At(item).name == "atomic" && nesting.end != kNoItem && !s_.At(nesting.end).span.valid) {
        return nesting.end - 1;
    }
    return nesting.end;
}

std::string OmpWalker::LastLine(int item) const {
    int end = EndOf(item);
    return std::to_string(end == kNoItem ? s_.LineOf(item).line : s_.LineOf(end).line);
}

bool OmpWalker::HasCancel(int item, const std::string& what) const {
    for (int i = item; i < EndOf(item); ++i) {
        if (s_.At(i).kind == ItemKind::kOmpStandalone && s_.At(i).name == "cancel" &&
            Collapse(s_.At(i).text).find("cancel" + what) != std::string::npos) {
            return true;
        }
    }
    return false;
}

void OmpWalker::Begin(int item) {
    const std::string& name = s_.At(item).name;
    if (s_.Nest(item).closed) {
        return;
    }
    if (EndOf(item) == kNoItem || !s_.At(item).in_main_file || !s_.At(EndOf(item)).in_main_file) {
        s_.Skip(item, name, "it does not lie in this file as a whole");
        return;
    }
    if (const char* why = ClosedIterations(s_.At(item))) {
        s_.Skip(item, "what is inside of " + name, why);
    }
    bool values = name.starts_with("parallel") || IsTaskloop(name);
    if (values && s_.InUntiedTask(item)) {
        s_.Skip(item, name, "it stands in an untied task, where its values have no place");
        return;
    }
    std::vector<std::string> parts = TakenApart(name);
    if (parts.size() > 1) {
        Combined(item, parts);
        return;
    }
    if (name == "parallel") {
        Block(item, Parallel(item, s_.At(item).clauses));
    } else if (name == "do" || name == "do simd") {
        LoopConstruct(item);
    } else if (name == "critical") {
        Critical(item);
    } else if (name == "atomic") {
        s_.options.atomic == AtomicMode::kCritical ? AtomicAsCritical(item) : Atomic(item);
    } else if (name.starts_with("parallel ")) {
        Around(item, "parallel", "parallel");
    } else if (name.starts_with("target")) {
        Around(item, "target", "target");
    } else if (name.starts_with("teams ")) {
        Around(item, "teams", "teams");
    } else if (name == "taskloop" || name == "taskloop simd") {
        Around(item, "taskloop", "taskloop");
    } else {
        for (const Kind& kind : kBlocks) {
            if (name == kind.directive) {
                Part part = Plain(item, s_.At(item).clauses, kind.type, kind.events);
                if (name == "sections") {
                    Sections(item, &part);
                }
                Block(item, part);
                return;
            }
        }
    }
}

OmpWalker::Part OmpWalker::Parallel(int item, const Clauses& clauses) {
    Part part;
    Context context = s_.NewContext("parallel", item);
    AddClauses(clauses, "parallel", &context);
    context.Add("line2", LastLine(item));
    part.handle = s_.handles.Add(context);

    std::string threads = "-1_4";
    std::string condition = "-1_4";
    Clauses written;
    for (ClauseText clause : clauses) {
        if (clause.name == "num_threads") {
            threads = s_.Int4(item, 1);
            Append(part.before, s_.SetInt4(item, 1, clause.argument));
            if (!IsIntegerLiteral(clause.argument)) {
                clause = MakeClause("num_threads", threads);
            }
        } else if (clause.name == "if") {
            IfClause split = SplitIf(clause.argument);
            if (split.modifier.empty() || split.modifier == "parallel") {
                condition = s_.Int4(item, 2);
                std::string flag = s_.Flag(item);
                Append(part.before, s_.Statement(item, flag + " = " + split.condition));
                Append(part.before, s_.SetInt4(item, 2, "0"));
                Append(part.before,
                       s_.Statement(item, "if (" + flag + ") " + condition + " = 1_4"));
                clause =
                    MakeClause("if", (split.modifier.empty() ? "" : split.modifier + ":") + flag);
            }
        }
        written.push_back(clause);
    }
    if (s_.handles.array() && !clauses.empty()) {
        written.push_back(MakeClause("shared", "istat_mp"));
    }
    std::string copied = conditionals_.CopyIn(item);
    if (!copied.empty()) {
        written.push_back(MakeClause("copyin", copied));
    }
    part.directive = "parallel" + ClauseList(written);

    Lines open = conditionals_.OpenRegion(item);
    part.before.insert(part.before.begin(), open.begin(), open.end());
    bool interval = s_.options.documented_scheme && Perf(item);
    std::string number = interval ? s_.Int8(item, 1) : "";
    if (interval) {
        Append(part.before, s_.SetInt8(item, 1, std::to_string(part.handle)));
        Append(part.before, s_.Call(item, "dbg_interval_begin", part.handle, {number}));
    }
    Append(part.before, s_.Call(item, "dbg_before_parallel", part.handle, {threads, condition}));
    part.event = s_.CallInside(item, "dbg_parallel_event", part.handle);
    // At every level: nothing else says when the other threads of the team have ended.
    part.event_end = s_.CallInside(item, "dbg_parallel_event_end", part.handle);
    part.after = s_.Call(item, "dbg_after_parallel", part.handle);
    if (interval) {
        Append(part.after, s_.SetInt8(item, 1, std::to_string(part.handle)));
        Append(part.after, s_.Call(item, "dbg_interval_end", part.handle, {number}));
    }
    Append(part.after, conditionals_.CloseRegion(item));
    return part;
}

OmpWalker::Part OmpWalker::Plain(int item, const Clauses& clauses, const std::string& type,
                                 const std::string& events) {
    Part part;
    Context context = s_.NewContext(type, item);
    AddClauses(clauses, type, &context);
    if (!s_.At(item).name.starts_with("parallel")) {
        AddClauses(s_.At(EndOf(item)).clauses, type, &context);
    }
    context.Add("line2", LastLine(item));
    part.handle = s_.handles.Add(context);
    if (events == "master") {
        part.event = s_.Call(item, "dbg_master_begin", part.handle);
        part.event_end = s_.Call(item, "dbg_master_end", part.handle);
        return part;
    }
    part.before = s_.Call(item, "dbg_before_" + events, part.handle);
    part.after = s_.Call(item, "dbg_after_" + events, part.handle);
    if (events == "sections" || events == "workshare") {
        return part;
    }
    part.event = s_.CallInside(item, "dbg_" + events + "_event", part.handle);
    // ORDERED has no end inside in the interface; tasks and teams need theirs at every level.
    if (events != "ordered" && (Perf(item) || events != "single")) {
        part.event_end = s_.CallInside(item, "dbg_" + events + "_event_end", part.handle);
    }
    if (events == "task") {
        Append(part.event, conditionals_.OpenTask(item));
        Lines close = conditionals_.CloseTask(item);
        part.event_end.insert(part.event_end.begin(), close.begin(), close.end());
    }
    return part;
}

// The barrier that ends a worksharing construct is made explicit, so that waiting there can be seen.
// Not where the program wrote NOWAIT, where COPYPRIVATE needs the construct's own barrier, nor where
// the construct may be cancelled.
void OmpWalker::ExplicitBarrier(int item, const std::string& cancel, Part* part) {
    const Item& end = s_.At(EndOf(item));
    auto has = [&](const char* name) {
        return Has(s_.At(item).clauses, name) ||
               (end.kind == ItemKind::kOmpEnd && Has(end.clauses, name));
    };
    if (!Perf(item) || has("nowait") || has("copyprivate") || HasCancel(item, cancel)) {
        return;
    }
    Context context = s_.NewContext("barrier", EndOf(item));
    int handle = s_.handles.Add(context);
    part->add_nowait = true;
    part->barrier = s_.Call(item, "dbg_before_barrier", handle);
    Append(part->barrier, s_.Directive(item, "barrier"));
    Append(part->barrier, s_.Call(item, "dbg_after_barrier", handle));
}

// A construct with an END directive.
void OmpWalker::Block(int item, const Part& parts) {
    Part part = parts;
    int end = EndOf(item);
    const std::string& name = s_.At(item).name;
    bool rewritten = name == "parallel";
    if (name == "single" || name == "sections" || name == "workshare") {
        ExplicitBarrier(item, name, &part);
    }
    if (!s_.place.CanInsertAfter(item) || !s_.place.CanInsertAfter(end) ||
        (rewritten && !s_.place.CanReplaceDirective(item)) ||
        (part.add_nowait && !s_.place.CanReplaceDirective(end))) {
        s_.Skip(item, name, "text follows on the line of its directive");
        return;
    }
    const Clauses& clauses = s_.At(item).clauses;
    if (rewritten && (Has(clauses, "if") || Has(clauses, "num_threads") || s_.handles.array() ||
                      conditionals_.At(item))) {
        Lines lines = part.before;
        Append(lines, s_.Directive(item, part.directive));
        Append(lines, part.event);
        s_.place.ReplaceDirective(item, lines);
    } else {
        s_.place.InsertBefore(item, part.before);
        s_.place.InsertAfter(item, part.event);
    }
    s_.AtEnd(end, [this, item, end, part] {
        if (!part.add_nowait) {
            s_.place.InsertBefore(end, part.event_end);
            s_.place.InsertAfter(end, part.after);
            return;
        }
        Lines lines = part.event_end;
        Append(lines, s_.Directive(end, "end " + s_.At(item).name + ClauseList(s_.At(end).clauses) +
                                            " nowait"));
        Append(lines, part.barrier);
        Append(lines, part.after);
        s_.place.ReplaceDirective(end, lines);
    });
}

// Events before and after alone: what is inside has no place for them, or is not ours.
void OmpWalker::Around(int item, const std::string& type, const std::string& events) {
    int end = EndOf(item);
    bool loop = IsLoopDirective(s_.At(item).name);
    if (!s_.place.CanInsertAfter(end) || (loop && !EndsAlone(item))) {
        s_.Skip(item, s_.At(item).name, "text follows on the line of its end");
        return;
    }
    Part part;
    if (events == "parallel") {
        // IF and NUM_THREADS stay where they are: their values are not known here.
        Context context = s_.NewContext("parallel", item);
        AddClauses(s_.At(item).clauses, "parallel", &context);
        context.Add("line2", LastLine(item));
        part.handle = s_.handles.Add(context);
        part.before = s_.Call(item, "dbg_before_parallel", part.handle, {"-1_4", "-1_4"});
        part.after = s_.Call(item, "dbg_after_parallel", part.handle);
    } else if (events == "taskloop") {
        part = Taskloop(item, s_.At(item).clauses);
    } else {
        Context context = s_.NewContext(type, item);
        AddClauses(s_.At(item).clauses, type, &context);
        context.Add("line2", LastLine(item));
        part.handle = s_.handles.Add(context);
        part.before = s_.Call(item, "dbg_before_" + events, part.handle);
        part.after = s_.Call(item, "dbg_after_" + events, part.handle);
    }
    s_.place.InsertBefore(item, part.before);
    s_.AtEnd(end, [this, end, part] { s_.place.InsertAfter(end, part.after); });
}

void OmpWalker::Critical(int item) {
    Part part;
    Context context = s_.NewContext("critical", item);
    const std::string& name = s_.At(item).arguments[0];
    if (!name.empty()) {
        context.Add("name1", name);
    }
    context.Add("line2", LastLine(item));
    part.handle = s_.handles.Add(context);
    part.before = s_.Call(item, "dbg_before_critical", part.handle);
    part.event = s_.CallInside(item, "dbg_critical_event", part.handle);
    if (Perf(item)) {
        part.event_end = s_.CallInside(item, "dbg_critical_event_end", part.handle);
    }
    part.after = s_.Call(item, "dbg_after_critical", part.handle);
    Block(item, part);
}

void OmpWalker::Atomic(int item) {
    int end = EndOf(item);
    if (!s_.place.CanInsertAfter(end)) {
        s_.Skip(item, "atomic", "text follows on the line of its end");
        return;
    }
    Context context = s_.NewContext("atomic", item);
    context.Add("line2", LastLine(item));
    int handle = s_.handles.Add(context);
    Lines before = s_.Call(item, "dbg_before_atomic", handle);
    Lines after;
    AtomicData(item, &before, &after);
    Append(after, s_.Call(item, "dbg_after_atomic", handle));
    s_.place.InsertBefore(item, before);
    s_.AtEnd(end, [this, end, after] { s_.place.InsertAfter(end, after); });
}

// What is read and written inside of it, where no call may stand, is told around it.
void OmpWalker::AtomicData(int item, Lines* before, Lines* after) {
    for (int i = item + 1; i <= EndOf(item); ++i) {
        data_.Atomic(i, before, after);
    }
}

void OmpWalker::AtomicAsCritical(int item) {
    int end = EndOf(item);
    bool end_directive = s_.At(end).kind == ItemKind::kOmpEnd;
    if (!s_.place.CanReplaceDirective(item) || !s_.place.CanInsertAfter(end)) {
        s_.Skip(item, "atomic", "text follows on the line of its end");
        return;
    }
    Context context = s_.NewContext("critical", item);
    context.Add("name1", "dbg_atomic");
    context.Add("line2", LastLine(item));
    int handle = s_.handles.Add(context);
    Lines lines = s_.Call(item, "dbg_before_critical", handle);
    Append(lines, s_.Directive(item, "critical (dbg_atomic)"));
    Append(lines, s_.CallInside(item, "dbg_critical_event", handle));
    Lines last;
    AtomicData(item, &lines, &last);
    s_.place.ReplaceDirective(item, lines);
    if (Perf(item)) {
        Append(last, s_.CallInside(item, "dbg_critical_event_end", handle));
    }
    Append(last, s_.Directive(item, "end critical (dbg_atomic)"));
    Append(last, s_.Call(item, "dbg_after_critical", handle));
    s_.AtEnd(end, [this, end, end_directive, last] {
        if (end_directive) {
            s_.place.ReplaceDirective(end, last);
        } else {
            s_.place.InsertAfter(end, last);
        }
    });
}

// Each section has a handle of its own. The first one may come without a directive.
void OmpWalker::Sections(int item, Part* part) {
    int end = EndOf(item);
    Lines previous_end;
    std::vector<int> sections;
    for (int i = item + 1; i < end; ++i) {
        if (s_.At(i).kind == ItemKind::kOmpSection && s_.Nest(i).parent == item) {
            sections.push_back(i);
        }
    }
    for (std::size_t n = 0; n < sections.size(); ++n) {
        int section = sections[n];
        bool written = s_.At(section).span.valid;
        int begin = written ? section : item;
        int next = n + 1 < sections.size() ? sections[n + 1] : end;
        if (!written && n > 0) {
            continue;
        }
        if (n > 0 && next == section + 1 && next == end && s_.At(item).name != "sections" &&
            s_.place.CanReplaceDirective(section)) {
            // The last one of a combined directive, if it is empty, is none to gfortran.
            s_.AtEnd(section, [this, section, previous_end] {
                s_.place.ReplaceDirective(section, previous_end);
            });
            previous_end = {};
            continue;
        }
        Context context = s_.NewContext("sect_ev", begin);
        context.Add("line2", std::to_string(s_.LineOf(next).line));
        int handle = s_.handles.Add(context);
        Lines event = s_.Call(item, "dbg_section_event", handle);
        if (written) {
            s_.AtEnd(section, [this, section, event, previous_end] {
                s_.place.InsertBefore(section, previous_end);
                s_.place.InsertAfter(section, event);
            });
        } else {
            part->event = event;
        }
        previous_end = Perf(item) ? s_.Call(item, "dbg_section_event_end", handle) : Lines{};
    }
    part->event_end = previous_end;
}

void OmpWalker::Standalone(int item) {
    const Item& directive = s_.At(item);
    const std::string& name = directive.name;
    bool target = name.starts_with("target");
    if (s_.Nest(item).closed || (name != "barrier" && name != "taskwait" && name != "flush" &&
                                 name != "cancel" && !target)) {
        return;
    }
    if (!directive.in_main_file || !s_.place.CanInsertAfter(item)) {
        s_.Skip(item, name, "it does not lie in this file as a whole");
        return;
    }
    Context context = s_.NewContext(target ? "target" : name, item);
    ClauseText text = SplitClause(directive.text);
    if (name == "flush" && text.has_argument) {
        context.Add("name1", text.argument);
    }
    int handle = s_.handles.Add(context);
    if (name == "flush") {
        if (Perf(item)) {
            s_.place.InsertBefore(item, s_.Call(item, "dbg_before_flush", handle));
        }
        s_.place.InsertAfter(item, s_.Call(item, "dbg_flush_event", handle));
    } else if (name == "cancel") {
        s_.place.InsertBefore(item, s_.Call(item, "dbg_cancel_event", handle));
    } else {
        std::string stem = target ? "target" : name;
        s_.place.InsertBefore(item, s_.Call(item, "dbg_before_" + stem, handle));
        s_.place.InsertAfter(item, s_.Call(item, "dbg_after_" + stem, handle));
    }
}

void OmpWalker::Threadprivate(int item) {
    int unit = s_.Nest(item).unit;
    if (unit == kNoItem || s_.structure.units[unit].execution == kNoItem) {
        return;
    }
    Context context = s_.NewContext("threadprivate", item);
    context.Add("name1", SplitClause(s_.At(item).text).argument);
    int handle = s_.handles.Add(context);
    Append(s_.Needs(item).at_start, s_.Call(item, "dbg_threadprivate", handle));
}

}  // namespace comshu::fortran
