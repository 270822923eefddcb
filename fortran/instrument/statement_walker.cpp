#include "instrument/statement_walker.h"

#include <algorithm>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

// What a program tells comshu of itself (module comshu, docs/user.md). A region that one of these opens
// is to stay open when the call returns, so the call itself is no span.
const std::set<std::string> kOwnCalls{"comshu_region_begin", "comshu_region_end",
                                      "comshu_mark",         "comshu_counter",
                                      "comshu_message_sent", "comshu_message_received",
                                      "comshu_rank",         "comshu_pause",
                                      "comshu_resume",       "comshu_flush"};

bool IsJump(ItemKind kind) {
    return kind == ItemKind::kGoto || kind == ItemKind::kExit || kind == ItemKind::kCycle ||
           kind == ItemKind::kReturn || kind == ItemKind::kStop;
}

}  // namespace

StatementWalker::Jump StatementWalker::JumpOf(int item) const {
    const Item& it = s_.At(item);
    Jump jump;
    if (it.kind == ItemKind::kReturn || it.kind == ItemKind::kStop) {
        jump.known = true;
        return jump;
    }
    if (it.kind == ItemKind::kExit || it.kind == ItemKind::kCycle) {
        for (int around = s_.Nest(item).parent; around != kNoItem;
             around = s_.Nest(around).parent) {
            const Item& construct = s_.At(around);
            bool loop = construct.kind == ItemKind::kDo;
            if (it.name.empty() ? loop : construct.name == it.name) {
                jump.known = true;
                jump.exit = true;  // neither ends what is around the target, nor the target itself
                jump.target = around;
                return jump;
            }
        }
        return jump;
    }
    if (it.labels.size() != 1) {
        return jump;
    }
    const Unit& unit = s_.structure.units[s_.Nest(item).unit];
    for (int i = unit.open; i < unit.close; ++i) {
        if (s_.Nest(i).unit == s_.Nest(item).unit && s_.At(i).label == it.labels[0] &&
            s_.At(i).kind != ItemKind::kFormat) {
            jump.known = true;
            jump.target = i;
            break;
        }
    }
    return jump;
}

// Whether the jump, which stands inside of the loop, leads out of it and past its end event.
bool StatementWalker::Leaves(int loop, const Jump& jump) const {
    if (jump.target == kNoItem) {
        return true;
    }
    if (jump.exit) {
        return loop > jump.target;
    }
    return jump.target <= loop || jump.target > s_.Nest(loop).end;
}

void StatementWalker::FindLoops() {
    int count = static_cast<int>(s_.model.items.size());
    for (int i = 0; i < count; ++i) {
        const Item& it = s_.At(i);
        const Nesting& nesting = s_.Nest(i);
        if (it.kind != ItemKind::kDo || nesting.directive != kNoItem || nesting.closed ||
            nesting.end == kNoItem || it.loop.kind != LoopKind::kCounted ||
            !HasIterations(s_.LevelOf(i)) || s_.InUntiedTask(i)) {
            continue;
        }
        bool in_nest = nesting.parent != kNoItem && s_.At(nesting.parent).kind == ItemKind::kDo &&
                       s_.Nest(nesting.parent).end == nesting.end;
        // Loops that COLLAPSE or ORDERED(n) ties to a directive stand directly inside of it.
        bool tied = false;
        for (int around = nesting.parent; around != kNoItem; around = s_.Nest(around).parent) {
            int directive = s_.Nest(around).directive;
            if (directive == kNoItem) {
                continue;
            }
            for (const ClauseText& clause : s_.At(directive).clauses) {
                bool counts = clause.name == "collapse" || clause.name == "ordered";
                if (counts && clause.has_argument &&
                    (!IsIntegerLiteral(clause.argument) ||
                     i - around < std::stoi(clause.argument))) {
                    tied = true;
                }
            }
            break;
        }
        if (tied) {
            tied_.insert(i);
        }
        if (tied || in_nest || s_.BoundsMayCall(i) || !s_.place.CanWrap(i) ||
            !s_.place.CanInsertAfter(nesting.end)) {
            if (!tied) {
                s_.Skip(i, "loop",
                        in_nest               ? "it ends on a statement that ends others too"
                        : s_.BoundsMayCall(i) ? "its bounds may call a function"
                        : it.in_macro         ? "it comes out of a macro"
                                              : "it has no line of its own");
            }
            continue;
        }
        loops_.insert(i);
    }
    for (int i = 0; i < count; ++i) {
        const Item& it = s_.At(i);
        if (!IsJump(it.kind) && it.labels.empty()) {
            continue;
        }
        Jump jump = IsJump(it.kind) ? JumpOf(i) : Jump{};
        bool handled = jump.known && s_.place.CanWrap(i);
        for (int around = s_.Nest(i).parent; around != kNoItem && !handled;
             around = s_.Nest(around).parent) {
            if (loops_.count(around) && (!jump.known || Leaves(around, jump))) {
                loops_.erase(around);
                s_.Skip(around, "loop", "a jump leaves it that cannot tell so");
            }
        }
    }
}

void StatementWalker::Loop(int item) {
    const Item& it = s_.At(item);
    int end = s_.Nest(item).end;
    Context context = s_.NewContext("seqloop", item);
    context.Add("line2", std::to_string(s_.LineOf(end).line));
    int handle = s_.handles.Add(context);
    loop_handles_[item] = handle;
    Lines before = data_.Reads(item);
    Append(before, conditionals_.Open(item));
    int index = 0;
    for (const std::string& value :
         {it.loop.lower, it.loop.upper, it.loop.step.empty() ? std::string("1") : it.loop.step}) {
        Append(before, s_.SetInt8(item, ++index, value));
    }
    Append(before, s_.Call(item, "dbg_before_loop", handle,
                           {s_.Int8(item, 1), s_.Int8(item, 2), s_.Int8(item, 3)}));
    Lines number = s_.SetInt8(item, 4, it.loop.variable);
    s_.place.Wrap(item, before, conditionals_.Iteration(item, item, handle, "", number));
    Lines after = s_.Call(item, "dbg_after_loop", handle);
    Append(after, conditionals_.Close(item));
    s_.AtEnd(end, [this, end, after] { s_.place.InsertAfter(end, after); });
}

// Whether the jump, which stands among the items [begin, end), leads out of them.
bool StatementWalker::LeavesStretch(int begin, int end, const Jump& jump) const {
    if (jump.target == kNoItem) {
        return true;
    }
    return jump.exit ? jump.target < begin : jump.target < begin || jump.target >= end;
}

// End events of the loops and intervals that a jump leaves, innermost first.
StatementWalker::Lines StatementWalker::Leave(int item) {
    Lines lines;
    Jump jump = JumpOf(item);
    for (int around = s_.Nest(item).parent; around != kNoItem; around = s_.Nest(around).parent) {
        if (loops_.count(around) && jump.known && Leaves(around, jump)) {
            Append(lines, s_.Call(item, "dbg_after_loop", loop_handles_[around]));
            Append(lines, conditionals_.Restore(around));
        }
    }
    intervals_.Around(item, [&](int begin, int end, int index) {
        bool left = !jump.known || LeavesStretch(begin, end, jump);
        if (left && (!jump.known || !s_.place.CanWrap(item))) {
            s_.Skip(item, "the end of an INTERVAL", "a jump may leave it that cannot tell so");
        } else if (left) {
            Append(lines, intervals_.End(item, index));
        }
    });
    return lines;
}

void StatementWalker::Before(int item, const Lines& lines) {
    if (!lines.empty() && s_.place.CanWrap(item)) {
        s_.place.Wrap(item, lines, {});
    }
}

void StatementWalker::Around(int item, const std::string& type, const std::string& before,
                             const std::string& after, Context context) {
    if (!s_.At(item).labels.empty() || !s_.place.CanWrap(item)) {
        s_.Skip(item, type,
                s_.At(item).labels.empty() ? "it has no line of its own" : "it may branch away");
        return;
    }
    int handle = s_.handles.Add(context);
    Lines first = s_.Call(item, before, handle);
    Lines last;
    if (s_.At(item).kind == ItemKind::kCall) {
        Append(first, data_.Reads(item));
        last = data_.Arguments(item, handle);
        Append(first, last);
    }
    Append(last, s_.Call(item, after, handle));
    data_.Functions(item, &first, &last);
    s_.place.Wrap(item, first, last);
}

void StatementWalker::Visit(int item) {
    const Item& it = s_.At(item);
    Level level = s_.LevelOf(item);
    if (s_.Nest(item).closed || !HasConstructs(level)) {
        return;
    }
    if (loops_.count(item)) {
        Loop(item);
        return;
    }
    switch (it.kind) {
        case ItemKind::kCall: {
            if (kOwnCalls.count(it.name)) {
                break;
            }
            Context context = s_.NewContext("func_call", item);
            context.Add("name1", it.name);
            context.Add("rank", std::to_string(it.arguments.size()));
            Around(item, "func_call", "dbg_before_funcall", "dbg_after_funcall", context);
            break;
        }
        case ItemKind::kIo:
            if (level == Level::kPerf) {
                Around(item, "io", "dbg_before_io", "dbg_after_io", s_.NewContext("io", item));
            }
            break;
        case ItemKind::kStop: {
            Lines lines = Leave(item);
            s_.Needs(item).entries.insert("dbg_finalize");
            Append(lines, s_.Statement(item, "call " + s_.EntryName("dbg_finalize") + "()"));
            Before(item, lines);
            break;
        }
        case ItemKind::kReturn: {
            Lines lines = Leave(item);
            int handle = units_.FunctionHandle(s_.Nest(item).unit);
            if (handle >= 0) {
                Append(lines, s_.Call(item, "dbg_funcend", handle));
            }
            Before(item, lines);
            break;
        }
        case ItemKind::kGoto: {
            Lines lines = s_.place.CanWrap(item) ? data_.Reads(item) : Lines{};
            Append(lines, Leave(item));
            Before(item, lines);
            break;
        }
        case ItemKind::kExit:
        case ItemKind::kCycle:
            Before(item, Leave(item));
            break;
        case ItemKind::kDo:
            // One whose iterations are not told.
            if (it.loop.kind == LoopKind::kCounted && s_.Nest(item).directive == kNoItem &&
                tied_.count(item) == 0 && s_.place.CanWrap(item)) {
                Before(item, data_.Reads(item));
            }
            break;
        default:
            break;
    }
}

}  // namespace comshu::fortran
