#pragma once

#include <map>
#include <string>
#include <utility>

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/symbol.h"

#include "instrument/flang_places.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

// Data objects of a source by the names that statements use for them. What is met and cannot be told is
// counted and named in the model.
class DataObjects {
public:
    DataObjects(SourceModel& model, const CookedPlaces& places) : model_(model), places_(places) {}

    // Index of a data object that accesses can be told of; -1 for everything else.
    int Index(const parser::Name& name);
    // The same of a component, `path` being its name with those before it: `x%a`. -1, too, where `base` is a
    // constant.
    int PartIndex(const parser::Name& base, const std::string& path, const parser::Name& component);
    const DataSymbol& At(int index) const { return model_.symbols[index]; }
    // A module that the source uses could not be read: what has no declaration may be of it, whatever the
    // implicit types say.
    void SetModulesMissing() { modules_missing_ = true; }
    bool IsDoubtful(const Fortran::semantics::Symbol& symbol) const {
        return modules_missing_ && symbol.test(Fortran::semantics::Symbol::Flag::Implicit);
    }

    void Unknown(const std::string& name) {
        ++model_.unknown_accesses;
        model_.unknown.insert(name);
    }

private:
    static constexpr int kNothing = -1;  // nothing to tell: a constant, a procedure
    static constexpr int kUnknown = -2;

    int Describe(const Fortran::semantics::Symbol& symbol, const std::string& name);
    int Counted(int index, const std::string& name);

    SourceModel& model_;
    const CookedPlaces& places_;
    std::map<std::pair<const Fortran::semantics::Symbol*, std::string>, int> indexes_;
    bool modules_missing_ = false;
};

}  // namespace comshu::fortran
