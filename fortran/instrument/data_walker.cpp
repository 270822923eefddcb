#include "instrument/data_walker.h"

#include <algorithm>

#include "instrument/cooked_text.h"

namespace comshu::fortran {

int DataWalker::TypeCode(const DataSymbol& symbol) const {
    bool wide = symbol.kind == 8;
    switch (symbol.category) {
        case 'i':
            return symbol.kind == 4 ? 1 : wide && s_.options.bind == 1 ? 2 : 0;
        case 'l':
            return symbol.kind == 4 ? 7 : wide && s_.options.bind == 1 ? 2 : 0;
        case 'r':
            return symbol.kind == 4 ? 3 : wide ? 4 : 0;
        case 'c':
            return symbol.kind == 4 ? 5 : wide ? 6 : 0;
        default:
            return 0;
    }
}

std::string DataWalker::Base(const DataSymbol& symbol) const {
    std::string text = symbol.name + "(";
    for (int dimension = 1; dimension <= symbol.rank; ++dimension) {
        text += (dimension > 1 ? "," : "") + std::string("lbound(") + symbol.name + "," +
                std::to_string(dimension) + ")";
    }
    return text + ")";
}

DataWalker::Lines DataWalker::StageBounds(int item, const DataSymbol& symbol) {
    Lines lines;
    for (int dimension = 1; dimension <= symbol.rank; ++dimension) {
        std::string of = "(" + symbol.name + "," + std::to_string(dimension) + ")";
        bool open = symbol.assumed_size && dimension == symbol.rank;
        Append(lines, s_.SetInt8(item, 2 * dimension - 1, "lbound" + of));
        // The last bound of an assumed-size array is not known.
        Append(lines, s_.SetInt8(item, 2 * dimension, (open ? "lbound" : "ubound") + of));
    }
    return lines;
}

int DataWalker::HandleOf(int item, int index) {
    auto [found, inserted] = handles_.emplace(std::pair(s_.Nest(item).unit, index), -1);
    if (!inserted) {
        return found->second;
    }
    const DataSymbol& symbol = s_.model.symbols[index];
    Context context;
    context.Add("type", symbol.rank > 0 ? "arr_name" : "var_name");
    context.Add("file", symbol.file.empty() ? s_.model.path : symbol.file);
    context.Add("line1", std::to_string(symbol.line));
    context.Add("name1", symbol.name);
    int code = TypeCode(symbol);
    context.Add("vtype", std::to_string(code));
    if (code == 0 && symbol.bytes > 0) {
        context.Add("size", std::to_string(symbol.bytes));
    }
    if (symbol.rank > 0) {
        context.Add("rank", std::to_string(symbol.rank));
    }
    context.Add("isindata", "0");
    context.Add("isincommon", symbol.common.empty() ? "0" : "1");
    context.Add("isinsave", symbol.saved ? "1" : "0");
    if (symbol.assumed_size) {
        context.Add("isassumed", "1");
    }
    int handle = s_.handles.Add(context);
    found->second = handle;
    if (!symbol.deferred && !symbol.local) {
        RegisterAtStart(item, index, handle);
    }
    return handle;
}

void DataWalker::RegisterAtStart(int item, int index, int handle) {
    const DataSymbol& symbol = s_.model.symbols[index];
    auto position = positions_.find({s_.Nest(item).unit, index});
    bool parameter = position != positions_.end();
    std::string name =
        std::string(parameter ? "dbg_regpar" : "dbg_reg") + (symbol.rank > 0 ? "arr" : "var");
    std::vector<std::string> more;
    Lines lines;
    if (symbol.rank > 0) {
        lines = StageBounds(item, symbol);
        more = {s_.Int8s(item, 2 * symbol.rank), Base(symbol)};
    } else {
        more = {symbol.name};
    }
    if (parameter) {
        more.push_back(std::to_string(position->second) + "_4");
    }
    Append(lines, s_.Call(item, name, handle, more));
    Append(s_.Needs(item).data_at_start, NotEmpty(item, symbol, std::move(lines)));
}

// An array without elements has no first one: with bounds checks the program would end, and where it is
// known to have none the compiler warns.
DataWalker::Lines DataWalker::NotEmpty(int item, const DataSymbol& symbol, Lines lines) const {
    if (symbol.empty) {
        return {};
    }
    if (symbol.rank == 0 || symbol.sized || symbol.assumed_size) {
        return lines;
    }
    return Under(item, "size(" + symbol.name + ").gt.0", std::move(lines));
}

DataWalker::Lines DataWalker::Under(int item, const std::string& condition, Lines lines) const {
    Lines all = s_.Statement(item, "if (" + condition + ") then");
    Append(all, lines);
    Append(all, s_.Statement(item, "end if"));
    return all;
}

void DataWalker::Begin(int unit) {
    const Unit& u = s_.structure.units[unit];
    int first = u.execution;
    if (first == kNoItem || !HasData(s_.LevelOf(first)) || u.has_entry) {
        return;
    }
    if (u.header != kNoItem) {
        const Item& header = s_.At(u.header);
        for (const Access& access : header.accesses) {
            auto at = std::find(header.arguments.begin(), header.arguments.end(), access.text);
            positions_[{unit, access.symbol}] = static_cast<int>(at - header.arguments.begin()) + 1;
            HandleOf(u.header, access.symbol);
        }
    }
    for (int i = u.open; i < first; ++i) {
        if (s_.Nest(i).unit == unit) {
            Commons(unit, i);
        }
    }
}

// `common /name/ a(10), b /other/ c`
void DataWalker::Commons(int unit, int item) {
    std::string text = Collapse(s_.At(item).text);
    if (text.compare(0, 6, "common") != 0) {
        return;
    }
    text = text.substr(6);
    if (text.empty() || text[0] != '/') {
        text = "//" + text;
    }
    std::size_t at = 0;
    while (at < text.size() && text[at] == '/') {
        std::size_t close = text.find('/', at + 1);
        if (close == std::string::npos) {
            return;
        }
        std::size_t next = text.find('/', close + 1);
        std::string list =
            text.substr(close + 1, next == std::string::npos ? next : next - close - 1);
        while (!list.empty() && list.back() == ',') {
            list.pop_back();
        }
        Context context = s_.NewContext("common_name", item);
        context.Add("name1", text.substr(at + 1, close - at - 1));
        context.Add("name2", list);
        int handle = s_.handles.Add(context);
        Append(s_.needs[unit].data_at_start, s_.Call(item, "dbg_regcommon", handle));
        at = next == std::string::npos ? text.size() : next;
    }
}

void DataWalker::Visit(int item) {
    const Item& it = s_.At(item);
    if (s_.Nest(item).closed || !HasData(s_.LevelOf(item)) ||
        (it.accesses.empty() && it.calls.empty()) ||
        s_.structure.units[s_.Nest(item).unit].has_entry) {
        return;
    }
    switch (it.kind) {
        case ItemKind::kAssignment:
        case ItemKind::kIfThen:
        case ItemKind::kLogicalIf:
        case ItemKind::kIo:
        case ItemKind::kOpen:
            Accesses(item);
            break;
        case ItemKind::kDo:
            if (it.loop.kind == LoopKind::kWhile) {
                While(item);
            }
            break;
        case ItemKind::kElse:
            ElseIf(item);
            break;
        case ItemKind::kArrayOpen:
            ArrayConstruct(item);
            break;
        case ItemKind::kAllocate:
        case ItemKind::kDeallocate:
            Allocation(item);
            break;
        default:
            break;
    }
}

void DataWalker::Atomic(int item, Lines* before, Lines* after) {
    const Item& it = s_.At(item);
    if (!HasData(s_.LevelOf(item)) || (it.accesses.empty() && it.calls.empty()) ||
        s_.structure.units[s_.Nest(item).unit].has_entry) {
        return;
    }
    if (it.kind != ItemKind::kAssignment || !it.in_main_file) {
        s_.Skip(item, "read or write", "an ATOMIC construct has a place for those of assignments");
        return;
    }
    Lines end;
    AroundStatement(item, before, &end);
    Append(*after, end);
}

// What its condition reads is read when no condition before it held.
void DataWalker::ElseIf(int item) {
    if (!s_.place.CanSplitElseIf(item)) {
        s_.Skip(item, "read", "its ELSE IF has a name or a label around it, or no line of its own");
        return;
    }
    Lines lines = Reads(item);
    std::string name;
    if (Decide(item, &lines, &name)) {
        s_.place.ReplacePart(s_.At(item).decision.span, name);
    }
    s_.place.SplitElseIf(item, lines);
    int end = s_.Nest(s_.Nest(item).parent).end;
    Lines close = s_.Statement(end, "end if");
    s_.AtEnd(end, [this, end, close] { s_.place.InsertAfter(end, close); });
}

// A condition is worked out before each iteration: the loop becomes one without, which a first statement
// leaves.
void DataWalker::While(int item) {
    std::size_t begin = 0;
    std::string condition;
    if (!s_.place.CanTakeWhile(item, &begin, &condition)) {
        s_.Skip(item, "read", "its DO WHILE goes over several lines, or has no line of its own");
        return;
    }
    Lines lines = Reads(item);
    std::string name;
    if (Decide(item, &lines, &name)) {
        condition = name;
    }
    Append(lines, s_.Statement(item, "if (.not. " + condition + ") exit"));
    s_.place.TakeWhile(item, begin, lines);
}

DataWalker::Lines DataWalker::Reads(int item) {
    Lines lines;
    const Item& it = s_.At(item);
    if (!HasData(s_.LevelOf(item)) || it.accesses.empty() ||
        s_.structure.units[s_.Nest(item).unit].has_entry) {
        return lines;
    }
    int position = -1;
    for (const Access& access : it.accesses) {
        if (access.write || access.position > 0) {
            continue;
        }
        if (position < 0) {
            position = s_.handles.Add(s_.NewContext("file_name", item));
        }
        Append(lines, Told(item, "dbg_read_", "", position, access));
    }
    return conditionals_.Guarded(item, lines);
}

// With the values of the loops around it.
std::string DataWalker::Filled(int item, const std::string& text, const Access& access) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != kLoopMark) {
            out += text[at];
            continue;
        }
        int loop = text[++at] - 'a';
        out += "int(" + s_.Int8(item, 2 * loop + 1) + "," +
               std::to_string(access.loops[loop].kind) + ")";
    }
    return out;
}

// The call of an entry for variables, for elements of arrays, or for arrays.
DataWalker::Lines DataWalker::Told(int item, const std::string& head, const std::string& tail,
                                   int position, const Access& access) {
    const DataSymbol& symbol = s_.model.symbols[access.symbol];
    if (!access.loops.empty() && s_.InUntiedTask(item)) {
        s_.Skip(item, symbol.name, "a loop in an untied task has no place for its variable");
        return {};
    }
    std::vector<std::string> more{Filled(item, access.text, access),
                                  s_.handles.Text(HandleOf(item, access.symbol))};
    if (symbol.empty) {
        return {};
    }
    bool element = access.element && !access.whole && !symbol.part;
    if (element) {
        more.push_back(Base(symbol));
    }
    if (access.mask > 0) {
        more.push_back(MaskText(item, access.mask));
    }
    std::string what = access.mask > 0 ? "masked"
                       : access.whole  ? "whole"
                       : element       ? "arr"
                                       : "var";
    Lines lines = s_.Call(item, head + what + tail, position, more);
    if (!access.when.empty()) {
        lines = Under(item, Filled(item, access.when, access), std::move(lines));
    }
    for (int i = static_cast<int>(access.loops.size()) - 1; i >= 0; --i) {
        lines = Around(item, i, access, lines);
    }
    return lines;
}

// One loop of an access: its value counts up in one element, what is left of it down in the next.
DataWalker::Lines DataWalker::Around(int item, int loop, const Access& access,
                                     const Lines& inside) {
    const AccessLoop& of = access.loops[loop];
    std::string value = s_.Int8(item, 2 * loop + 1);
    std::string left = s_.Int8(item, 2 * loop + 2);
    std::string step =
        of.step.empty() ? "1_8" : "(" + s_.AsInt(item, Filled(item, of.step, access), "8") + ")";
    Lines lines = s_.SetInt8(item, 2 * loop + 1, Filled(item, of.first, access));
    std::string count = s_.AsInt(item, Filled(item, of.last, access), "8") + "-" + value;
    Append(lines,
           s_.Statement(item, left + " = " +
                                  (of.step.empty() ? count + "+1_8"
                                                   : "(" + count + "+" + step + ")/" + step)));
    Append(lines, s_.Statement(item, "do while (" + left + ".gt.0_8)"));
    Append(lines, inside);
    Append(lines, s_.Statement(item, value + " = " + value + "+" + step));
    Append(lines, s_.Statement(item, left + " = " + left + "-1_8"));
    Append(lines, s_.Statement(item, "end do"));
    return lines;
}

std::string DataWalker::MaskText(int item, int mask) const {
    return HasAssociate(item) ? s_.names.mask + std::to_string(mask) : s_.At(item).masks[mask - 1];
}

// Masks are worked out once more and kept until what is written has been told. An ASSOCIATE construct keeps
// them; where gfortran would make names of the construct alone of those that occur there first, they are
// worked out again behind the statement too, if it leaves them as they are.
bool DataWalker::KeepMasks(int item, Lines* before, Lines* after) {
    const Item& it = s_.At(item);
    if (it.masks.empty()) {
        return true;
    }
    if (!HasAssociate(item)) {
        for (const Access& access : it.accesses) {
            std::string base = access.text.substr(0, access.text.find_first_of("(%"));
            for (const std::string& mask : it.masks) {
                std::vector<std::string> names = NamesIn(mask);
                if (access.write && std::find(names.begin(), names.end(), base) != names.end()) {
                    return false;
                }
            }
        }
        return true;
    }
    std::string list;
    for (std::size_t i = 0; i < it.masks.size(); ++i) {
        list += (i == 0 ? "" : ",") + s_.names.mask + std::to_string(i + 1) + " => " + it.masks[i];
    }
    *before = s_.Statement(item, "associate (" + list + ")");
    *after = s_.Statement(item, "end associate");
    return true;
}

// The lines around a statement, or a construct, with its masks outermost. False: nothing is told.
bool DataWalker::AroundWhole(int item, Lines* before, Lines* after) {
    if (!KeepMasks(item, before, after)) {
        s_.Skip(item, "read or write",
                "it writes what its mask uses, without IMPLICIT NONE or in Fortran 95");
        return false;
    }
    Lines first;
    Lines last;
    AroundStatement(item, &first, &last);
    Append(*before, first);
    Append(last, *after);
    *after = std::move(last);
    return true;
}

void DataWalker::Accesses(int item) {
    if (!s_.place.CanWrap(item)) {
        s_.Skip(item, "read or write", "it has no line of its own");
        return;
    }
    Lines before;
    Lines after;
    if (!AroundWhole(item, &before, &after)) {
        return;
    }
    std::string name;
    if (Decide(item, &before, &name)) {
        s_.place.ReplacePart(s_.At(item).decision.span, name);
    }
    s_.place.Wrap(item, before, after);
}

// WHERE and FORALL constructs.
void DataWalker::ArrayConstruct(int item) {
    int end = s_.Nest(item).end;
    Lines before;
    Lines after;
    if (end == kNoItem || !s_.At(item).label.empty() || !s_.At(end).label.empty() ||
        !s_.place.CanInsertBefore(item) || !s_.place.CanInsertAfter(end)) {
        s_.Skip(item, "read or write", "it has a label, or no lines of its own");
        return;
    }
    if (!AroundWhole(item, &before, &after)) {
        return;
    }
    s_.place.InsertBefore(item, before);
    s_.AtEnd(end, [this, end, after] { s_.place.InsertAfter(end, after); });
}

void DataWalker::AroundStatement(int item, Lines* before, Lines* after) {
    // With a branch away what is written is not known.
    bool branches = s_.At(item).kind == ItemKind::kIo && !s_.At(item).labels.empty();
    if (branches) {
        s_.Skip(item, "write", "it may branch away");
    }
    int position = s_.handles.Add(s_.NewContext("file_name", item));
    Lines begin;
    Lines reads;
    Lines end;
    for (const Access& access : s_.At(item).accesses) {
        if (!access.write) {
            Append(reads, Told(item, "dbg_read_", "", position, access));
            continue;
        }
        if (branches) {
            continue;
        }
        // What is allocated by the assignment is not there before it.
        bool there = access.element || !s_.model.symbols[access.symbol].deferred;
        if (there && !access.late) {
            Append(begin, Told(item, "dbg_write_", "_begin", position, access));
        }
        Append(end, Told(item, "dbg_write_", "_end", position, access));
    }
    Append(begin, reads);
    Append(*before, conditionals_.Guarded(item, begin));
    *after = conditionals_.Guarded(item, end);
    if (!branches && s_.At(item).decision.text.empty()) {
        Functions(item, before, after);
    }
}

// What decides is worked out before the statement and kept where `name` says, so that the calls in it have
// an end. A procedure that is called again has used it by then. False: nothing is to be told.
bool DataWalker::Decide(int item, Lines* lines, std::string* name) {
    const Decision& decision = s_.At(item).decision;
    if (decision.text.empty()) {
        return false;
    }
    bool integer = decision.category == 'i';
    if (decision.category == 0 || s_.InUntiedTask(item)) {
        s_.Skip(item, s_.At(item).calls[0].name, "there is no place for what is decided by");
        return false;
    }
    *name = integer ? s_.Int8(item, 1) : s_.Flag(item);
    if (s_.At(item).kind != ItemKind::kDo && !s_.place.CanReplacePart(item, decision.span, *name)) {
        s_.Skip(item, s_.At(item).calls[0].name, "its line has no room for a name");
        return false;
    }
    Lines after = integer ? s_.SetInt8(item, 1, decision.text)
                          : s_.Statement(item, *name + " = " + decision.text);
    Lines end;
    Functions(item, lines, &end);
    Append(*lines, after);
    Append(*lines, end);
    return true;
}

void DataWalker::Allocation(int item) {
    // With STAT= the array may not be there afterwards.
    const Item& it = s_.At(item);
    if (!s_.place.CanWrap(item) || Collapse(it.text).find(",stat=") != std::string::npos) {
        s_.Skip(item, "ALLOCATE", "it may fail, or has no line of its own");
        return;
    }
    Lines lines;
    for (const Access& access : it.accesses) {
        const DataSymbol& symbol = s_.model.symbols[access.symbol];
        if (symbol.rank == 0 || !symbol.deferred || s_.InUntiedTask(item)) {
            continue;
        }
        int handle = HandleOf(item, access.symbol);
        if (it.kind == ItemKind::kAllocate) {
            Lines all = StageBounds(item, symbol);
            Append(all, s_.Call(item, "dbg_regarr", handle,
                                {s_.Int8s(item, 2 * symbol.rank), Base(symbol)}));
            Append(lines, NotEmpty(item, symbol, std::move(all)));
        } else {
            Append(lines,
                   NotEmpty(item, symbol, s_.Call(item, "dbg_unregarr", handle, {Base(symbol)})));
        }
    }
    if (lines.empty()) {
        return;
    }
    if (it.kind == ItemKind::kAllocate) {
        s_.place.Wrap(item, {}, lines);
    } else {
        s_.place.Wrap(item, lines, {});
    }
}

// Where it begins: an array's first element. What need not be there is told where it is.
DataWalker::Lines DataWalker::ArgumentOf(int item, int handle, const Access& access) {
    const DataSymbol& symbol = s_.model.symbols[access.symbol];
    bool array = !access.first.empty();
    bool itself = access.text == symbol.name;  // the object, not a part of it
    bool allocatable = symbol.deferred && !symbol.pointer;
    bool pointer = itself && symbol.pointer;
    if (pointer && !access.associated) {
        s_.Skip(item, symbol.name, "whether a POINTER has a target need not be known");
        return {};
    }
    if (itself && (symbol.empty || (symbol.part && symbol.optional))) {
        return {};
    }
    std::vector<std::string> more{std::to_string(access.position) + "_4",
                                  array ? access.first : access.text,
                                  s_.handles.Text(HandleOf(item, access.symbol))};
    bool registered = symbol.rank > 0 && !symbol.part;
    if (registered) {
        more.push_back(Base(symbol));
    }
    more.push_back("1_4");
    Lines lines = s_.Call(item, registered ? "dbg_funcpararr" : "dbg_funcparvar", handle, more);
    if (array && !(itself && (symbol.sized || symbol.assumed_size))) {
        lines = Under(item, "size(" + access.text + ").gt.0", std::move(lines));
    }
    if (itself && symbol.deferred) {
        lines = Under(item, (allocatable ? "allocated(" : "associated(") + access.text + ")",
                      std::move(lines));
    }
    if (itself && symbol.optional) {
        lines = Under(item, "present(" + access.text + ")", std::move(lines));
    }
    return lines;
}

// They are called while the statement runs.
void DataWalker::Functions(int item, Lines* before, Lines* after) {
    if (!HasData(s_.LevelOf(item)) || s_.structure.units[s_.Nest(item).unit].has_entry) {
        return;
    }
    Lines close;
    for (const FunctionCall& call : s_.At(item).calls) {
        Context context = s_.NewContext("func_call", item);
        context.Add("name1", call.name);
        context.Add("rank", std::to_string(call.rank));
        int handle = s_.handles.Add(context);
        Lines arguments;
        for (const Access& argument : call.arguments) {
            Append(arguments, ArgumentOf(item, handle, argument));
        }
        arguments = conditionals_.Guarded(item, arguments);
        Append(*before, s_.Call(item, "dbg_before_funcall", handle));
        Append(*before, arguments);
        Append(arguments, s_.Call(item, "dbg_after_funcall", handle));
        Append(arguments, close);
        close = arguments;
    }
    Append(close, *after);
    *after = close;
}

DataWalker::Lines DataWalker::Arguments(int item, int handle) {
    Lines lines;
    if (!HasData(s_.LevelOf(item)) || s_.structure.units[s_.Nest(item).unit].has_entry) {
        return lines;
    }
    for (const Access& access : s_.At(item).accesses) {
        if (access.position == 0) {
            continue;  // read by an expression
        }
        Append(lines, ArgumentOf(item, handle, access));
    }
    return conditionals_.Guarded(item, lines);
}

}  // namespace comshu::fortran
