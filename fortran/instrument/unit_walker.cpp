#include "instrument/unit_walker.h"

#include <algorithm>

#include "instrument/cooked_text.h"
#include "instrument/entry_interfaces.h"

namespace comshu::fortran {
namespace {

bool IsProcedure(UnitKind kind) {
    return kind == UnitKind::kSubroutine || kind == UnitKind::kFunction ||
           kind == UnitKind::kModuleProcedure;
}

// Depth of conditionals that a preprocessor line opens or closes.
int ConditionalStep(std::string_view line) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string_view::npos || line[at] != '#') {
        return 0;
    }
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string_view::npos) {
        return 0;
    }
    return line.compare(at, 2, "if") == 0 ? 1 : line.compare(at, 5, "endif") == 0 ? -1 : 0;
}

}  // namespace

int UnitWalker::LastStatement(int unit) const {
    const Unit& u = s_.structure.units[unit];
    return u.contains != kNoItem ? u.contains : u.end;
}

int UnitWalker::FirstExecutable(int unit) const {
    const Unit& u = s_.structure.units[unit];
    int last = LastStatement(unit);
    for (int i = u.execution; i != kNoItem && i < last; ++i) {
        ItemKind kind = s_.At(i).kind;
        if (kind != ItemKind::kExecutionBegin && kind != ItemKind::kFormat &&
            kind != ItemKind::kEntry) {
            return i;
        }
    }
    return last;
}

// Behind the last statement of these kinds; where conditionals stand between that and the next statement, outside of
// as many of them as can be.
bool UnitWalker::FindPlaceBehind(int unit, std::initializer_list<ItemKind> kinds,
                                 Place* place) const {
    const Unit& u = s_.structure.units[unit];
    int last = LastStatement(unit);
    int after = kNoItem;
    int limit = u.execution == kNoItem ? last : u.execution;
    for (int i = u.open + 1; i < limit; ++i) {
        if (std::find(kinds.begin(), kinds.end(), s_.At(i).kind) != kinds.end()) {
            after = i;
        }
    }
    int next = kNoItem;
    for (int i = (after == kNoItem ? u.open : after) + 1; i <= last; ++i) {
        if (s_.At(i).in_main_file) {
            next = i;
            break;
        }
    }
    if (next == kNoItem) {
        return false;
    }
    std::size_t end = s_.edits.LineStart(s_.At(next).span.begin);
    if (after == kNoItem || !s_.At(after).in_main_file) {
        place->offset = end;
        return true;
    }
    std::size_t begin = s_.edits.NextLine(s_.At(after).span.end);
    if (!s_.place.CanInsertAfter(after)) {
        return false;
    }
    if (begin > end) {
        place->behind = after;
        return true;
    }
    int depth = 0;
    int least = 0;
    place->offset = begin;
    for (std::size_t at = begin; at < end; at = s_.edits.NextLine(at)) {
        depth +=
            ConditionalStep(std::string_view(s_.model.text).substr(at, s_.edits.LineEnd(at) - at));
        if (depth < least) {
            least = depth;
            place->offset = s_.edits.NextLine(at);
        }
    }
    return true;
}

// Of the module by which programs tell comshu of themselves.
bool UnitWalker::IsOwn(int unit) const {
    const Unit* u = &s_.structure.units[unit];
    while (u->parent != kNoItem) {
        u = &s_.structure.units[u->parent];
    }
    return u->kind == UnitKind::kModule && u->header != kNoItem &&
           s_.At(u->header).name == "comshu";
}

void UnitWalker::MarkUntouchable() {
    for (int unit = 0; unit < static_cast<int>(s_.structure.units.size()); ++unit) {
        Unit& u = s_.structure.units[unit];
        if (IsOwn(unit)) {
            u.untouchable = true;
            continue;
        }
        // What a PURE procedure contains is PURE too.
        if (u.parent != kNoItem && IsProcedure(s_.structure.units[u.parent].kind) &&
            s_.structure.units[u.parent].untouchable) {
            u.untouchable = true;
        }
        if (u.untouchable || u.execution == kNoItem) {
            u.untouchable = true;
            continue;
        }
        Place place;
        int first = FirstExecutable(unit);
        if (first == kNoItem || !s_.place.CanInsertBefore(first) ||
            (UsesEntryModule() && !FindUsePlace(unit, &place)) ||
            !FindDeclarationPlace(unit, &place) ||
            place.offset > s_.edits.LineStart(s_.At(first).span.begin)) {
            u.untouchable = true;
            s_.Skip(u.header == kNoItem ? u.open : u.header, "program unit",
                    "its declarations or its first statement have no line of their own here");
        }
    }
}

int UnitWalker::FunctionHandle(int unit) const {
    auto found = handles_.find(unit);
    return found == handles_.end() ? -1 : found->second;
}

void UnitWalker::Begin(int unit) {
    const Unit& u = s_.structure.units[unit];
    int first = FirstExecutable(unit);
    int last = LastStatement(unit);
    Level level = s_.LevelOf(first);
    if (level < Level::kD1) {
        return;
    }
    std::vector<std::string>& start = s_.needs[unit].at_start;
    if (u.kind == UnitKind::kMain) {
        Append(start, s_.PlainCall(first, "dbg_init", s_.names.thread));
        if (s_.options.documented_scheme) {
            s_.Needs(first).entries.insert("dbg_init_handles");
            Append(start, s_.Statement(first, "call dbg_init_handles()"));
        }
        if (s_.place.CanWrap(last)) {
            s_.Needs(first).entries.insert("dbg_finalize");
            auto end = s_.Statement(first, "call " + s_.EntryName("dbg_finalize") + "()");
            s_.AtEnd(last, [this, last, end] { s_.place.Wrap(last, end, {}); });
        }
        return;
    }
    if (!IsProcedure(u.kind) || u.has_entry || u.header == kNoItem || !s_.place.CanWrap(last)) {
        return;
    }
    const Item& header = s_.At(u.header);
    Context context = s_.NewContext("function", u.header);
    context.Add("name1", header.name);
    context.Add("rank", std::to_string(header.arguments.size()));
    if (!HasConstructs(level)) {
        // Nobody is to wait for its end.
        context.Add("noend", "1");
    }
    context.Add("line2", std::to_string(s_.LineOf(u.end).line));
    int handle = s_.handles.Add(context);
    Append(start, s_.Call(first, "dbg_funcbegin", handle));
    if (HasConstructs(level)) {
        handles_[unit] = handle;
        auto end = s_.Call(first, "dbg_funcend", handle);
        s_.AtEnd(last, [this, last, end] { s_.place.Wrap(last, end, {}); });
        conditionals_.BeginUnit(unit, first, last);
    }
}

// Inside of a BLOCK construct gfortran does not take for a procedure what outside of it would be one by use.
std::set<std::string> UnitWalker::TypedExternals(int unit) const {
    const Unit& u = s_.structure.units[unit];
    std::set<std::string> dummies;
    if (u.header != kNoItem) {
        dummies.insert(s_.At(u.header).arguments.begin(), s_.At(u.header).arguments.end());
    }
    std::set<std::string> names;
    for (const auto& [offset, name] : s_.model.typed_externals) {
        if ((u.scalars.count(name) || dummies.count(name)) && IsInBody(unit, offset)) {
            names.insert(name);
        }
    }
    return NotDeclared(unit, "external", std::move(names));
}

// Those of the names that the unit does not declare so.
std::set<std::string> UnitWalker::NotDeclared(int unit, const std::string& attribute,
                                              std::set<std::string> names) const {
    const Unit& u = s_.structure.units[unit];
    for (int i = u.open; i < u.execution && !names.empty(); ++i) {
        std::string text = Collapse(s_.At(i).text);
        std::size_t at = text.find(attribute);
        if (s_.Nest(i).unit != unit || at == std::string::npos) {
            continue;
        }
        // `external f,g` without its blanks, or an attribute among others.
        for (const std::string& name : NamesIn(text.substr(at + attribute.size()))) {
            names.erase(name);
        }
    }
    return names;
}

bool UnitWalker::IsInBody(int unit, std::size_t offset) const {
    const Unit& u = s_.structure.units[unit];
    return s_.At(u.execution).span.begin <= offset && offset < s_.At(u.end).span.begin;
}

// Nor for the intrinsic that it is, where nothing but its type is declared.
std::set<std::string> UnitWalker::TypedIntrinsics(int unit) const {
    const Unit& u = s_.structure.units[unit];
    std::set<std::string> names;
    for (const auto& [offset, name] : s_.model.typed_intrinsics) {
        if (u.scalars.count(name) && IsInBody(unit, offset)) {
            names.insert(name);
        }
    }
    return NotDeclared(unit, "intrinsic", std::move(names));
}

std::vector<std::string> UnitWalker::Declarations(int unit) {
    const UnitNeeds& needs = s_.needs[unit];
    int first = FirstExecutable(unit);
    std::vector<std::string> lines;
    std::string threadprivate;
    auto declare = [&](const std::string& type, const std::string& name, const std::string& rest) {
        Append(lines, s_.Statement(first, type + ", save :: " + name + rest));
        threadprivate += (threadprivate.empty() ? "" : ",") + name;
    };
    if (s_.options.documented_scheme) {
        lines = s_.Statement(first, "include 'dbg_vars.h'");
    } else {
        declare("integer(8)", s_.names.thread, " = -1_8");
        if (needs.int8 > 0) {
            declare("integer(8)", s_.names.int8, "(" + std::to_string(needs.int8) + ")");
        }
    }
    if (needs.int4 > 0) {
        declare("integer(4)", s_.names.int4, "(" + std::to_string(needs.int4) + ")");
    }
    if (needs.flag) {
        declare("logical(4)", s_.names.flag, "");
    }
    if (needs.saved > 0) {
        declare("integer(8)", s_.names.saved, "(" + std::to_string(needs.saved) + ")");
    }
    if (needs.conditional) {
        Append(lines, s_.Statement(first, "integer(8) :: " + s_.names.skip));
        Append(lines, s_.Statement(first, "common /" + s_.names.skip_block + "/ " + s_.names.skip));
        threadprivate += (threadprivate.empty() ? "/" : ",/") + s_.names.skip_block + "/";
    }
    if (!threadprivate.empty()) {
        Append(lines, s_.Directive(first, "threadprivate(" + threadprivate + ")"));
    }
    if (!UsesEntryModule()) {
        for (const std::string& line :
             EntryInterfaces(needs.entries, s_.form.fixed(), s_.names.entries)) {
            Append(lines, s_.Statement(first, line));
        }
    }
    if (needs.conditional) {
        std::string externals;
        for (const std::string& name : TypedExternals(unit)) {
            externals += (externals.empty() ? "external " : ",") + name;
        }
        if (!externals.empty()) {
            Append(lines, s_.Statement(first, externals));
        }
        for (const std::string& name : TypedIntrinsics(unit)) {
            Append(lines, s_.Statement(first, "intrinsic " + name));
        }
    }
    return lines;
}

void UnitWalker::InsertAt(const Place& place, std::vector<std::string> lines, std::size_t owner) {
    if (place.behind != kNoItem) {
        s_.place.InsertAfter(place.behind, std::move(lines), TextEdits::kRankDeclarations);
    } else {
        s_.edits.InsertLines(place.offset, std::move(lines), owner, TextEdits::kRankDeclarations);
    }
}

void UnitWalker::Finish(int unit) {
    auto found = s_.needs.find(unit);
    if (found == s_.needs.end() || found->second.entries.empty()) {
        return;
    }
    int first = FirstExecutable(unit);
    std::vector<std::string> start = found->second.at_start;
    Append(start, conditionals_.UnitStart(unit, first, found->second.data_at_start));
    const Unit& u = s_.structure.units[unit];
    bool headed = u.header != kNoItem && s_.At(u.header).in_main_file;
    std::size_t owner = s_.At(headed ? u.header : first).span.begin;
    Place place;
    if (UsesEntryModule() && FindUsePlace(unit, &place)) {
        std::vector<std::string> lines;
        for (const std::string& line : EntryUse(found->second.entries, s_.names.entries)) {
            Append(lines, s_.Statement(first, line));
        }
        InsertAt(place, std::move(lines), owner);
    }
    place = {};
    FindDeclarationPlace(unit, &place);
    InsertAt(place, Declarations(unit), owner);
    s_.place.InsertBefore(first, start, TextEdits::kRankStart);
}

}  // namespace comshu::fortran
