#include "instrument/scope_names.h"

#include <algorithm>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

// Intrinsics without side effects that loop bounds use.
const std::set<std::string> kIntrinsics{
    "abs",    "ceiling", "count", "floor",    "iand", "ibset",  "int",  "ior",    "ishft",
    "kind",   "lbound",  "len",   "len_trim", "max",  "maxval", "min",  "minval", "mod",
    "modulo", "nint",    "real",  "shape",    "sign", "size",   "sqrt", "sum",    "ubound"};

}  // namespace

NameUse UseOf(const std::string& expression, const std::string& name) {
    NameUse use;
    for (std::size_t at = expression.find(name); at != std::string::npos;
         at = expression.find(name, at + 1)) {
        std::size_t end = at + name.size();
        if (at > 0 && (IsNamePart(expression[at - 1]) || expression[at - 1] == '%')) {
            continue;
        }
        char next = end < expression.size() ? expression[end] : ',';
        char second = end + 1 < expression.size() ? expression[end + 1] : ',';
        bool keyword = next == '=' && second != '=';  // `dim=1`
        if (!IsNamePart(next) && !keyword) {
            (next == '(' ? use.called : use.plain) = true;
        }
    }
    return use;
}

bool IsPlainIntrinsic(const std::string& name) {
    return kIntrinsics.count(name) > 0;
}

ScopeNames::ScopeNames(const SourceModel& model, const Structure& structure)
    : model_(model), structure_(structure), uses_(structure.units.size()) {
    std::set<std::string> blocks;
    for (const Item& item : model.items) {
        if (item.kind == ItemKind::kOmpThreadprivate) {
            for (const std::string& name : SplitList(SplitClause(item.text).argument)) {
                if (name.size() > 2 && name[0] == '/') {
                    blocks.insert(name.substr(1, name.size() - 2));
                } else {
                    threadprivate_.insert(name);
                }
            }
        }
    }
    for (std::size_t i = 0; i < model.items.size(); ++i) {
        const Item& item = model.items[i];
        int unit = structure.items[i].unit;
        if (item.kind == ItemKind::kUse && unit != kNoItem) {
            uses_[unit] = true;
        }
        if (item.kind != ItemKind::kSpecification) {
            continue;
        }
        bool common = !blocks.empty() && item.text.find("common") != std::string::npos;
        bool pointer = item.text.find("pointer") != std::string::npos;
        if (!common && !pointer) {
            continue;
        }
        std::string text = Collapse(item.text);
        if (pointer && text.starts_with("pointer(")) {
            for (const std::string& name : NamesIn(text)) {
                pointees_.insert(name);
            }
        }
        if (common && text.starts_with("common")) {
            for (const std::string& block : blocks) {
                if (text.find("/" + block + "/") != std::string::npos) {
                    for (const std::string& name : NamesIn(text.substr(6))) {
                        threadprivate_.insert(name);
                    }
                }
            }
        }
    }
}

// Whether a construct around the item may give the name a meaning of its own.
bool ScopeNames::IsAliased(int item, const std::string& name) const {
    for (int around = structure_.items[item].parent; around != kNoItem;
         around = structure_.items[around].parent) {
        const Item& construct = model_.items[around];
        if (construct.kind != ItemKind::kOpen) {
            continue;
        }
        std::string text = Collapse(construct.text);
        std::vector<std::string> names = NamesIn(text);
        if (text.find("block") != std::string::npos ||
            std::find(names.begin(), names.end(), name) != names.end()) {
            return true;
        }
    }
    return false;
}

ScopeNames::Meaning ScopeNames::Of(int item, const std::string& name,
                                   const std::string& expression) const {
    NameUse use = UseOf(expression, name);
    if (!use.called && !use.plain) {
        return Meaning::kNotData;
    }
    if (IsAliased(item, name) || pointees_.count(name)) {
        return Meaning::kUnknown;
    }
    bool outside = false;  // it may come from a module
    for (int unit = structure_.items[item].unit; unit != kNoItem && !outside;
         unit = structure_.units[unit].parent) {
        const Unit& u = structure_.units[unit];
        if (u.constants.count(name)) {
            return Meaning::kNotData;
        }
        bool array = u.arrays.count(name) > 0;
        if (array || u.scalars.count(name)) {
            if (threadprivate_.count(name)) {
                return Meaning::kThreadprivate;
            }
            // A scalar that is called is a function, or a CHARACTER of which a part is meant.
            return use.called && !array ? Meaning::kUnknown : Meaning::kVariable;
        }
        outside |= uses_[unit] || u.kind == UnitKind::kSubmodule;
    }
    if (threadprivate_.count(name)) {
        return Meaning::kThreadprivate;
    }
    if (IsPlainIntrinsic(name) && use.called) {
        return Meaning::kNotData;
    }
    return outside ? Meaning::kUnknown : use.called ? Meaning::kNotData : Meaning::kVariable;
}

}  // namespace comshu::fortran
