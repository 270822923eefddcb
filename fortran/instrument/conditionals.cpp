#include "instrument/conditionals.h"

#include <algorithm>
#include <cctype>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

// Lines that mean something to whoever reads the text, but are no statements.
bool HasPreprocessorLines(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        std::size_t first = line.find_first_not_of(" \t");
        if (first != std::string_view::npos) {
            std::string word(line.substr(first, 7));
            for (char& c : word) {
                c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            }
            if (word[0] == '#' || word == "include") {
                return true;
            }
        }
        at = end + 1;
    }
    return false;
}

}  // namespace

Conditionals::Conditionals(Session& session) : s_(session) {
    for (int i = 0; i < static_cast<int>(s_.model.items.size()); ++i) {
        const Item& item = s_.At(i);
        if (item.kind != ItemKind::kOmpStandalone || item.name != "cancel") {
            continue;
        }
        bool region = Collapse(item.text).find("cancelparallel") != std::string::npos;
        for (int around = s_.Nest(i).parent; around != kNoItem; around = s_.Nest(around).parent) {
            const std::string& name = s_.At(around).name;
            if (s_.At(around).kind == ItemKind::kOmpBegin &&
                (region ? name.starts_with("parallel") : HasTasks(name))) {
                cancelled_.insert(around);
                break;
            }
        }
    }
}

bool Conditionals::At(int item) const {
    if (s_.options.levels.ConditionalAt(s_.At(item).line) == Conditional::kNo ||
        !HasData(s_.LevelOf(item)) || s_.InUntiedTask(item) ||
        (!UsesBlock(item) && (UnitOf(item).recursive || UnitOf(item).has_tasks))) {
        return false;
    }
    for (int around = item; around != kNoItem; around = s_.Nest(around).parent) {
        if (cancelled_.count(around) && HasTasks(s_.At(around).name)) {
            return false;
        }
    }
    return true;
}

std::string Conditionals::Told(int item) {
    s_.Needs(item).conditional = true;
    return "if (" + s_.names.skip + " .eq. 0_8) then";
}

// No two that enclose each other have the same.
std::string Conditionals::Saved(int loop) {
    int depth = 1;
    for (int around = s_.Nest(loop).parent; around != kNoItem; around = s_.Nest(around).parent) {
        ++depth;
    }
    if (UsesBlock(loop)) {
        return s_.names.saved + std::to_string(depth);
    }
    s_.Needs(loop).saved = std::max(s_.Needs(loop).saved, depth);
    return s_.names.saved + "(" + std::to_string(depth) + ")";
}

Conditionals::Lines Conditionals::Open(int loop) {
    if (!At(loop)) {
        return {};
    }
    s_.Needs(loop).conditional = true;
    Lines lines;
    if (UsesBlock(loop)) {
        lines = s_.Statement(loop, "block");
        Append(lines, s_.Statement(loop, "integer(8) :: " + Saved(loop)));
    }
    Append(lines, s_.Statement(loop, Saved(loop) + " = " + s_.names.skip));
    return lines;
}

Conditionals::Lines Conditionals::Restore(int loop) {
    return At(loop) ? s_.Statement(loop, s_.names.skip + " = " + Saved(loop)) : Lines{};
}

Conditionals::Lines Conditionals::Close(int loop) {
    Lines lines = Restore(loop);
    if (!lines.empty() && UsesBlock(loop)) {
        Append(lines, s_.Statement(loop, "end block"));
    }
    return lines;
}

Conditionals::Lines Conditionals::Iteration(int loop, int body, int handle, const std::string& stem,
                                            const Lines& number, const std::string& condition) {
    std::string index = s_.Int8(loop, 4);
    Lines lines = number;
    auto where_it_begins = [&](const Lines& all) {
        if (condition.empty()) {
            return all;
        }
        Lines under = s_.Statement(loop, "if (" + condition + ") then");
        Append(under, all);
        Append(under, s_.Statement(loop, "end if"));
        return under;
    };
    if (!At(loop)) {
        Append(lines, s_.Call(loop, "dbg_" + stem + "loop_event", handle, {index}));
        return where_it_begins(lines);
    }
    std::string traced = s_.Int8(loop, 5);
    Lines ask = s_.Statement(loop, "if (" + Saved(loop) + " .eq. 0_8) then");
    Append(ask, lines);
    Append(ask, s_.Statement(loop, traced + " = 1_8"));
    Append(ask, s_.Call(loop, "dbg_" + stem + "if_loop_event", handle, {index, traced}));
    Append(ask, s_.Statement(loop, s_.names.skip + " = 1_8 - " + traced));
    Append(ask, s_.Statement(loop, "end if"));
    ask = where_it_begins(ask);

    int end = s_.Nest(body).end;
    const Span& head = s_.At(body).span;
    bool copies = s_.options.levels.ConditionalAt(s_.At(loop).line) == Conditional::kCopies &&
                  end != kNoItem && s_.At(end).kind == ItemKind::kEndDo &&
                  s_.place.EndsLine(body) && CanCopy(body + 1, end, body);
    decided_[body] = copies;
    if (copies) {
        Append(ask, s_.Statement(body, Told(body)));
        std::size_t begin = s_.edits.NextLine(head.end);
        Lines copy = Copy(body, begin, s_.edits.LineStart(s_.At(end).span.begin));
        s_.AtEnd(end, [this, end, copy] { s_.place.InsertBefore(end, copy); });
    }
    return ask;
}

Conditionals::Lines Conditionals::OpenTask(int task) {
    if (!At(task) || s_.Unties(task)) {
        return {};
    }
    decided_[task] = true;
    Lines lines = Open(task);
    Append(lines, s_.Statement(task, s_.names.skip + " = 0_8"));
    return lines;
}

Conditionals::Lines Conditionals::CloseTask(int task) {
    return s_.Unties(task) ? Lines{} : Close(task);
}

std::string Conditionals::CopyIn(int item) {
    if (!At(item)) {
        return "";
    }
    s_.Needs(item).conditional = true;
    // Not the name of its block, which gfortran does not find from inside of a BLOCK construct.
    return s_.names.skip;
}

bool Conditionals::NeedsGuard(int item) const {
    if (!At(item)) {
        return false;
    }
    for (int around = s_.Nest(item).parent; around != kNoItem; around = s_.Nest(around).parent) {
        if (s_.At(around).kind == ItemKind::kOmpBegin && IsTaskloop(s_.At(around).name)) {
            return false;
        }
        auto decided = decided_.find(around);
        if (decided != decided_.end()) {
            return !decided->second;
        }
    }
    int unit = s_.Nest(item).unit;
    // In the main program itself nothing has been left out.
    return s_.structure.units[unit].kind != UnitKind::kMain && copied_units_.count(unit) == 0;
}

Conditionals::Lines Conditionals::Guarded(int item, Lines lines) {
    if (lines.empty() || !NeedsGuard(item)) {
        return lines;
    }
    Lines out = s_.Statement(item, Told(item));
    Append(out, lines);
    Append(out, s_.Statement(item, "end if"));
    return out;
}

bool Conditionals::CanCopy(int first, int last, int around) const {
    if (first >= last) {
        return false;
    }
    bool tells = false;
    for (int i = first; i < last; ++i) {
        const Item& item = s_.At(i);
        bool construct = item.kind == ItemKind::kDo || item.kind == ItemKind::kIfThen ||
                         item.kind == ItemKind::kOpen || item.kind == ItemKind::kArrayOpen ||
                         item.kind == ItemKind::kExit || item.kind == ItemKind::kCycle;
        if (!item.in_main_file || item.in_macro || IsOpenmp(item.kind) || !item.label.empty() ||
            !item.labels.empty() || (construct && !item.name.empty()) ||
            item.kind == ItemKind::kStop || item.kind == ItemKind::kReturn ||
            item.kind == ItemKind::kFormat || item.kind == ItemKind::kEntry ||
            item.kind == ItemKind::kStatementFunction || item.kind == ItemKind::kSpecification) {
            return false;
        }
        tells |= !item.accesses.empty() || item.kind == ItemKind::kCall;
    }
    const Item& end = s_.At(last);
    std::size_t begin = around == kNoItem ? s_.edits.LineStart(s_.At(first).span.begin)
                                          : s_.edits.NextLine(s_.At(around).span.end);
    std::size_t stop = s_.edits.LineStart(end.span.begin);
    return tells && end.in_main_file && end.label.empty() && s_.place.BeginsLine(last) &&
           begin < stop &&
           !HasPreprocessorLines(std::string_view(s_.model.text).substr(begin, stop - begin));
}

Conditionals::Lines Conditionals::Copy(int item, std::size_t begin, std::size_t end) {
    Lines lines = s_.Statement(item, "else");
    std::string marker = s_.edits.MarkerAt(begin);
    if (!marker.empty()) {
        lines.push_back(marker);
    }
    for (std::size_t at = begin; at < end; at = s_.edits.NextLine(at)) {
        lines.push_back(s_.model.text.substr(at, s_.edits.LineEnd(at) - at));
    }
    if (!marker.empty()) {
        lines.push_back(s_.edits.MarkerAt(end));
    }
    Append(lines, s_.Statement(item, "end if"));
    return lines;
}

void Conditionals::BeginUnit(int unit, int first, int last) {
    bool copies = s_.options.levels.ConditionalAt(s_.At(first).line) == Conditional::kCopies;
    if (!copies || !At(first) || !s_.place.BeginsLine(first) || !CanCopy(first, last, kNoItem)) {
        return;
    }
    copied_units_.insert(unit);
    s_.Needs(first).conditional = true;
    Lines copy = Copy(first, s_.edits.LineStart(s_.At(first).span.begin),
                      s_.edits.LineStart(s_.At(last).span.begin));
    s_.AtEnd(last, [this, last, copy] { s_.place.InsertBefore(last, copy); });
}

Conditionals::Lines Conditionals::UnitStart(int unit, int first, const Lines& start) {
    if (copied_units_.count(unit) == 0) {
        return Guarded(first, start);
    }
    Lines lines = s_.Statement(first, Told(first));
    Append(lines, start);
    return lines;
}

}  // namespace comshu::fortran
