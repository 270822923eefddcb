#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/symbol.h"

#include "instrument/flang_objects.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

// Loops that a statement makes by itself (implied DO, FORALL), outermost first. Their variables are not there
// outside of it, so texts name their values by marks (AccessLoop).
class LoopStack {
public:
    void Push(const Fortran::semantics::Symbol* variable, AccessLoop loop) {
        variables_.push_back(variable);
        loops_.push_back(std::move(loop));
    }
    void Pop() {
        variables_.pop_back();
        loops_.pop_back();
    }
    bool empty() const { return loops_.empty(); }
    const std::vector<AccessLoop>& loops() const { return loops_; }
    // -1: it is none of them. An inner loop hides an outer one of the same variable.
    int Find(const parser::Name& name) const;

private:
    std::vector<const Fortran::semantics::Symbol*> variables_;
    std::vector<AccessLoop> loops_;
};

std::string LoopMark(std::size_t loop);

// The text of a scalar expression that may be worked out once more, with marks; nothing where it may not: it
// calls a function other than some intrinsics, or names what is not known.
std::optional<std::string> PlainText(const DataObjects& objects, const LoopStack& loops,
                                     const parser::Expr& expression);

bool IsIntrinsic(const parser::Name* name);
const parser::Name* NameOf(const parser::FunctionReference& reference);
bool IsArray(const parser::Expr& expression);

// A reference as text, and what it means.
struct Reference {
    Reference(const DataObjects& known, const LoopStack& around)
        : objects(known), loops(around), all_loops(around.loops()) {}

    const DataObjects& objects;
    const LoopStack& loops;
    std::vector<AccessLoop> all_loops;  // and those of subscripts that are vectors
    const parser::Name* base = nullptr;
    const parser::Name* last = nullptr;  // the base, or a component
    std::string text;
    std::string first;         // of a section: its first element
    std::string path;          // without subscripts
    bool subscripted = false;  // the last one
    bool selects = false;  // any subscript, or a component behind something that need not be there
    int rank = 0;
};

// False: it cannot be told.
bool Append(const parser::DataRef& data, Reference* reference);

}  // namespace comshu::fortran
