#include "instrument/data_walker.h"

#include <algorithm>
#include <array>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

// Dummy arguments of each entry: h handle, t thread, v variable's handle, b bounds, a address, f first
// element, p position, r whether it is read, w an array or a section of one: its descriptor.
struct DataEntry {
    const char* name;
    const char* arguments;
};
constexpr std::array<DataEntry, 16> kDataEntries{{
    {"dbg_regvar", "hta"},
    {"dbg_regarr", "htba"},
    {"dbg_unregarr", "hta"},
    {"dbg_regparvar", "htap"},
    {"dbg_regpararr", "htbap"},
    {"dbg_read_var", "htav"},
    {"dbg_read_arr", "htavf"},
    {"dbg_write_var_begin", "htav"},
    {"dbg_write_var_end", "htav"},
    {"dbg_write_arr_begin", "htavf"},
    {"dbg_write_arr_end", "htavf"},
    {"dbg_funcparvar", "htpavr"},
    {"dbg_funcpararr", "htpavfr"},
    {"dbg_read_whole", "htwv"},
    {"dbg_write_whole_begin", "htwv"},
    {"dbg_write_whole_end", "htwv"},
}};

std::string Pick(const std::string& arguments, const std::string& wanted) {
    std::string out;
    for (char c : arguments) {
        if (wanted.find(c) != std::string::npos) {
            out += (out.empty() ? "" : ",") + std::string(1, c);
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> DataInterfaces(const std::set<std::string>& names) {
    std::vector<std::string> lines;
    for (const DataEntry& entry : kDataEntries) {
        if (!names.count(entry.name)) {
            continue;
        }
        std::string name = entry.name;
        std::string all = entry.arguments;
        bool whole = all.find('w') != std::string::npos;
        lines.push_back("subroutine " + name + "(" + Pick(all, all) + ")" +
                        (whole ? " bind(c,name='" + name + "_')" : ""));
        if (whole) {
            // A kind that is known to be one of C's: others are warned of.
            lines.push_back("use, intrinsic :: iso_c_binding, only: c_int64_t");
        }
        lines.push_back((whole ? "integer(c_int64_t) :: " : "integer(8) :: ") + Pick(all, "htv") +
                        (all.find('b') != std::string::npos ? ",b(*)" : ""));
        lines.push_back(whole ? "type(*), dimension(..), intent(in) :: w"
                              : "type(*), intent(in) :: " + Pick(all, "af"));
        std::string small = Pick(all, "pr");
        if (!small.empty()) {
            lines.push_back("integer(4) :: " + small);
        }
        lines.push_back("end subroutine");
    }
    if (!lines.empty()) {
        lines.insert(lines.begin(), "interface");
        lines.push_back("end interface");
    }
    return lines;
}

DataWalker::Lines DataWalker::DataCall(int item, const std::string& name, int handle,
                                       const std::vector<std::string>& more) {
    Lines lines = s_.Call(item, name, handle, more);
    s_.Needs(item).externals.erase(name);
    s_.Needs(item).interfaces.insert(name);
    return lines;
}

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
        Append(lines, s_.Statement(item, s_.Int8(item, 2 * dimension - 1) + " = lbound" + of));
        // The last bound of an assumed-size array is not known.
        Append(lines, s_.Statement(item, s_.Int8(item, 2 * dimension) +
                                             (open ? " = lbound" : " = ubound") + of));
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
        more = {s_.Int8(item, 1), Base(symbol)};
    } else {
        more = {symbol.name};
    }
    if (parameter) {
        more.push_back(std::to_string(position->second) + "_4");
    }
    Append(lines, DataCall(item, name, handle, more));
    Append(s_.Needs(item).data_at_start, lines);
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
    if (s_.Nest(item).closed || !HasData(s_.LevelOf(item)) || it.accesses.empty() ||
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
        case ItemKind::kAllocate:
        case ItemKind::kDeallocate:
            Allocation(item);
            break;
        default:
            break;
    }
}

// What its condition reads is read when no condition before it held.
void DataWalker::ElseIf(int item) {
    if (!s_.place.CanSplitElseIf(item)) {
        s_.Skip(item, "read", "its ELSE IF has a name or a label around it, or no line of its own");
        return;
    }
    s_.place.SplitElseIf(item, Reads(item));
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

// The call of an entry for variables, for elements of arrays, or for arrays.
DataWalker::Lines DataWalker::Told(int item, const std::string& head, const std::string& tail,
                                   int position, const Access& access) {
    const DataSymbol& symbol = s_.model.symbols[access.symbol];
    std::vector<std::string> more{access.text, s_.handles.Text(HandleOf(item, access.symbol))};
    bool element = access.element && !symbol.part;
    if (element) {
        more.push_back(Base(symbol));
    }
    return DataCall(item,
                    head +
                        (access.whole ? "whole"
                         : element    ? "arr"
                                      : "var") +
                        tail,
                    position, more);
}

void DataWalker::Accesses(int item) {
    if (!s_.place.CanWrap(item)) {
        s_.Skip(item, "read or write", "it has no line of its own");
        return;
    }
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
        if (access.element || !s_.model.symbols[access.symbol].deferred) {
            Append(begin, Told(item, "dbg_write_", "_begin", position, access));
        }
        Append(end, Told(item, "dbg_write_", "_end", position, access));
    }
    Append(begin, reads);
    s_.place.Wrap(item, conditionals_.Guarded(item, begin), conditionals_.Guarded(item, end));
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
            Append(lines, StageBounds(item, symbol));
            Append(lines, DataCall(item, "dbg_regarr", handle, {s_.Int8(item, 1), Base(symbol)}));
        } else {
            Append(lines, DataCall(item, "dbg_unregarr", handle, {Base(symbol)}));
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

DataWalker::Lines DataWalker::Arguments(int item, int handle) {
    Lines lines;
    if (!HasData(s_.LevelOf(item)) || s_.structure.units[s_.Nest(item).unit].has_entry) {
        return lines;
    }
    for (const Access& access : s_.At(item).accesses) {
        if (access.position == 0) {
            continue;  // read by an expression
        }
        const DataSymbol& symbol = s_.model.symbols[access.symbol];
        bool whole = symbol.rank > 0 && access.text == symbol.name;
        if ((symbol.deferred || symbol.optional) && (whole || !access.element)) {
            continue;  // it need not be there
        }
        std::vector<std::string> more{std::to_string(access.position) + "_4",
                                      whole ? Base(symbol) : access.text,
                                      s_.handles.Text(HandleOf(item, access.symbol))};
        bool array = symbol.rank > 0 && !symbol.part;
        if (array) {
            more.push_back(Base(symbol));
        }
        more.push_back("1_4");
        Append(lines, DataCall(item, array ? "dbg_funcpararr" : "dbg_funcparvar", handle, more));
    }
    return conditionals_.Guarded(item, lines);
}

}  // namespace comshu::fortran
