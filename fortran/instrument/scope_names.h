#pragma once

#include <set>
#include <string>
#include <vector>

#include "instrument/source_model.h"
#include "instrument/structure.h"

namespace comshu::fortran {

// How a name occurs in an expression whose blanks are gone.
struct NameUse {
    bool called = false;  // with parentheses behind
    bool plain = false;   // without
};
NameUse UseOf(const std::string& expression, const std::string& name);

// An intrinsic without side effects such as bounds of loops use.
bool IsPlainIntrinsic(const std::string& name);

// What a name in an expression stands for. A clause may list variables alone, and without the modules that a
// source uses, which nobody has read for us, the text says of some names only that it may be anything.
class ScopeNames {
public:
    ScopeNames(const SourceModel& model, const Structure& structure);

    enum class Meaning {
        kVariable,       // certainly
        kNotData,        // a constant, a function or an intrinsic: needs no data-sharing attribute
        kThreadprivate,  // somewhere in this source
        kUnknown,
    };
    // `expression`: in which it occurs, at `item`.
    Meaning Of(int item, const std::string& name, const std::string& expression) const;

private:
    bool IsAliased(int item, const std::string& name) const;

    const SourceModel& model_;
    const Structure& structure_;
    std::set<std::string> threadprivate_;
    std::set<std::string> pointees_;  // of Cray pointers
    std::vector<bool> uses_;          // units with USE statements
};

}  // namespace comshu::fortran
