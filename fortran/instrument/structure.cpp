#include "instrument/structure.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

bool HasWord(const std::string& name, const std::string& word) {
    std::istringstream in(name);
    for (std::string part; in >> part;) {
        if (part == word) {
            return true;
        }
    }
    return false;
}

bool NamesInClause(const Item& directive, const std::string& name) {
    for (const ClauseText& clause : directive.clauses) {
        std::vector<std::string> names = NamesIn(clause.argument);
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            return true;
        }
    }
    return false;
}

// Inside of these nothing may be inserted: what OpenMP forbids there, code that runs on a device, and
// loops whose vector code a call would ruin.
bool ClosesInside(const Item& item) {
    if (item.kind == ItemKind::kArrayOpen) {
        return true;
    }
    if (item.kind == ItemKind::kDo) {
        return item.loop.kind == LoopKind::kConcurrent;
    }
    if (item.kind != ItemKind::kOmpBegin) {
        return false;
    }
    if (ClosedIterations(item) != nullptr) {
        return true;
    }
    return item.name == "atomic" || HasWord(item.name, "workshare") || HasWord(item.name, "simd") ||
           HasWord(item.name, "loop") || HasWord(item.name, "distribute") ||
           (HasWord(item.name, "target") && item.name != "target data");
}

class Builder {
public:
    explicit Builder(const SourceModel& model) : model_(model) {
        structure_.items.resize(model.items.size());
    }

    Structure Build() {
        for (int i = 0; i < static_cast<int>(model_.items.size()); ++i) {
            Visit(i);
        }
        for (Unit& unit : structure_.units) {
            FindFirstExecutable(unit);
        }
        return std::move(structure_);
    }

private:
    const Item& At(int i) const { return model_.items[i]; }
    Nesting& Of(int i) { return structure_.items[i]; }

    Unit* CurrentUnit() { return units_.empty() ? nullptr : &structure_.units[units_.back()]; }

    void Visit(int i) {
        const Item& item = At(i);
        if (item.kind == ItemKind::kUnitOpen) {
            Unit unit;
            unit.kind = item.unit;
            unit.open = i;
            unit.parent = units_.empty() ? kNoItem : units_.back();
            unit.implicit_none =
                unit.parent != kNoItem && structure_.units[unit.parent].implicit_none;
            unit.untouchable = item.unit == UnitKind::kModule ||
                               item.unit == UnitKind::kSubmodule ||
                               item.unit == UnitKind::kBlockData;
            structure_.units.push_back(unit);
            units_.push_back(static_cast<int>(structure_.units.size()) - 1);
        }
        Nesting& nesting = Of(i);
        nesting.unit = units_.empty() ? kNoItem : units_.back();
        nesting.parent = open_.empty() ? kNoItem : open_.back();
        nesting.closed = nesting.parent != kNoItem &&
                         (Of(nesting.parent).closed || ClosesInside(At(nesting.parent)));
        if (Unit* unit = CurrentUnit()) {
            AddToUnit(*unit, i);
        }
        Nest(i);
        if (item.kind == ItemKind::kUnitClose && !units_.empty()) {
            structure_.units[units_.back()].close = i;
            units_.pop_back();
        }
    }

    bool IsRecursive(const Item& header) const {
        std::string text =
            model_.text.substr(header.span.begin, header.span.end - header.span.begin);
        for (char& c : text) {
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        return text.find("recursive") != std::string::npos;
    }

    void AddToUnit(Unit& unit, int i) {
        const Item& item = At(i);
        switch (item.kind) {
            case ItemKind::kUnitStatement:
                unit.header = i;
                unit.untouchable |= item.pure;
                unit.recursive = IsRecursive(item);
                break;
            case ItemKind::kImplicit: {
                std::string text = Collapse(item.text);
                unit.implicit_none |=
                    text == "implicitnone" || text.find("type") != std::string::npos;
                break;
            }
            case ItemKind::kOmpBegin:
                unit.has_tasks |= HasTasks(item.name);
                unit.result_in_clause |= unit.kind == UnitKind::kFunction &&
                                         unit.header != kNoItem &&
                                         NamesInClause(item, At(unit.header).name);
                break;
            case ItemKind::kExecutionBegin:
                unit.execution = i + 1;
                break;
            case ItemKind::kEndUnit:
                unit.end = i;
                break;
            case ItemKind::kContains:
                unit.contains = i;
                break;
            case ItemKind::kEntry:
                unit.has_entry = true;
                break;
            case ItemKind::kOmpDeclareTarget:
                unit.untouchable = true;
                break;
            default:
                break;
        }
        unit.arrays.insert(item.arrays.begin(), item.arrays.end());
        unit.scalars.insert(item.scalars.begin(), item.scalars.end());
        unit.constants.insert(item.constants.begin(), item.constants.end());
        unit.branch_targets.insert(item.labels.begin(), item.labels.end());
    }

    void Nest(int i) {
        const Item& item = At(i);
        switch (item.kind) {
            case ItemKind::kOmpBegin:
                open_.push_back(i);
                if (IsLoopDirective(item.name)) {
                    pending_ = i;
                }
                return;
            case ItemKind::kOmpEnd:
                if (IsLoopDirective(item.name)) {
                    EndOfLoopDirective(i);
                } else {
                    Close(i, [&](int begin) { return At(begin).kind == ItemKind::kOmpBegin; });
                    if (closed_ == kNoItem || At(closed_).name != item.name ||
                        (item.name == "critical" &&
                         SplitClause(item.text).argument != At(closed_).arguments[0])) {
                        structure_.stray_ends.push_back(i);
                    }
                }
                return;
            case ItemKind::kDo:
                if (pending_ != kNoItem) {
                    Of(pending_).loop = i;
                    Of(i).directive = pending_;
                    pending_ = kNoItem;
                }
                open_.push_back(i);
                return;
            case ItemKind::kEndDo:
                Close(i, [&](int begin) { return At(begin).kind == ItemKind::kDo; });
                Of(i).terminal = !item.label.empty() && At(closed_).loop.label == item.label;
                EndOfDo(closed_, i);
                return;
            case ItemKind::kIfThen:
            case ItemKind::kOpen:
            case ItemKind::kArrayOpen:
                open_.push_back(i);
                return;
            case ItemKind::kEndIf:
                Close(i, [&](int begin) { return At(begin).kind == ItemKind::kIfThen; });
                break;
            case ItemKind::kClose:
                Close(i, [&](int begin) { return At(begin).kind == ItemKind::kOpen; });
                break;
            case ItemKind::kArrayClose:
                Close(i, [&](int begin) { return At(begin).kind == ItemKind::kArrayOpen; });
                break;
            default:
                break;
        }
        if (!item.label.empty()) {
            EndLabelledLoops(i);
        }
    }

    template <typename Predicate>
    void Close(int i, Predicate is_begin) {
        closed_ = kNoItem;
        while (!open_.empty()) {
            int begin = open_.back();
            open_.pop_back();
            if (is_begin(begin)) {
                Of(begin).end = i;
                Of(i).parent = begin;
                closed_ = begin;
                return;
            }
        }
    }

    void EndLabelledLoops(int i) {
        while (!open_.empty() && At(open_.back()).kind == ItemKind::kDo &&
               At(open_.back()).loop.label == At(i).label) {
            int begin = open_.back();
            open_.pop_back();
            Of(begin).end = i;
            Of(i).terminal = true;
            ++Of(i).terminal_of;
            EndOfDo(begin, i);
        }
    }

    // A loop directive ends with its loop; its END directive may follow.
    void EndOfDo(int begin, int i) {
        if (begin == kNoItem || Of(begin).directive == kNoItem) {
            return;
        }
        int directive = Of(begin).directive;
        if (!open_.empty() && open_.back() == directive) {
            open_.pop_back();
        }
        Of(directive).end = i;
        last_loop_ = directive;
    }

    void EndOfLoopDirective(int i) {
        // The action of a logical IF follows the item that ends the loop.
        int before = At(i - 1).logical_if == kNoItem ? i - 1 : At(i - 1).logical_if;
        bool transforms = At(i - 1).name == "tile" || At(i - 1).name == "unroll";
        if (last_loop_ != kNoItem && Of(last_loop_).end == before) {
            Of(last_loop_).end_directive = i;
            Of(i).parent = last_loop_;
            if (At(last_loop_).name != At(i).name) {
                structure_.stray_ends.push_back(i);
            }
        } else if (!transforms) {
            structure_.stray_ends.push_back(i);
        }
        last_loop_ = kNoItem;
    }

    // Assignments to array elements that open the execution part look like statement functions.
    void FindFirstExecutable(Unit& unit) {
        if (unit.execution == kNoItem) {
            return;
        }
        int unit_index = static_cast<int>(&unit - structure_.units.data());
        int first = unit.execution;
        for (int i = unit.execution - 2; i > unit.open; --i) {
            if (At(i).kind != ItemKind::kStatementFunction || !IsAssignment(unit_index, At(i))) {
                break;
            }
            first = i;
        }
        unit.execution = first;
    }

    bool IsAssignment(int unit, const Item& item) const {
        if (structure_.IsArray(unit, item.name)) {
            return true;
        }
        const Unit& own = structure_.units[unit];
        if (own.scalars.count(item.name)) {
            return false;
        }
        // Not declared here: an array of the host or of a module, or implicitly typed.
        if (own.parent != kNoItem) {
            return true;
        }
        for (int i = own.open; i < own.execution; ++i) {
            if (At(i).kind == ItemKind::kUse) {
                return true;
            }
        }
        return false;
    }

    const SourceModel& model_;
    Structure structure_;
    std::vector<int> units_;
    std::vector<int> open_;
    int pending_ = kNoItem;
    int closed_ = kNoItem;
    int last_loop_ = kNoItem;
};

}  // namespace

bool IsLoopDirective(const std::string& name) {
    for (const char* word : {"do", "simd", "taskloop", "distribute", "loop", "tile", "unroll"}) {
        if (HasWord(name, word)) {
            return name != "ordered simd";
        }
    }
    return false;
}

bool IsTaskloop(const std::string& name) {
    return HasWord(name, "taskloop");
}

bool HasTasks(const std::string& name) {
    return name.starts_with("task") || IsTaskloop(name);
}

const char* ClosedIterations(const Item& directive) {
    for (const ClauseText& clause : directive.clauses) {
        if (clause.name == "order" && clause.argument.find("concurrent") != std::string::npos) {
            return "ORDER(CONCURRENT) allows no events there";
        }
        if (clause.name == "reduction" && clause.argument.starts_with("inscan")) {
            return "SCAN stands between two statements alone";
        }
    }
    return nullptr;
}

bool Structure::IsArray(int unit, const std::string& name) const {
    for (; unit != kNoItem; unit = units[unit].parent) {
        if (units[unit].arrays.count(name)) {
            return true;
        }
        if (units[unit].scalars.count(name)) {
            return false;
        }
    }
    return false;
}

bool Structure::IsConstant(int unit, const std::string& name) const {
    for (; unit != kNoItem; unit = units[unit].parent) {
        if (units[unit].constants.count(name)) {
            return true;
        }
    }
    return false;
}

bool Structure::IsDeclared(int unit, const std::string& name) const {
    for (; unit != kNoItem; unit = units[unit].parent) {
        if (units[unit].arrays.count(name) || units[unit].scalars.count(name)) {
            return true;
        }
    }
    return false;
}

Structure BuildStructure(const SourceModel& model) {
    return Builder(model).Build();
}

}  // namespace comshu::fortran
