#pragma once

#include <string>
#include <vector>

#include "instrument/source_model.h"
#include "runtime/context_string.h"

namespace comshu::fortran {

using Clauses = std::vector<ClauseText>;

const ClauseText* Find(const Clauses& clauses, const std::string& name);
inline bool Has(const Clauses& clauses, const std::string& name) {
    return Find(clauses, name) != nullptr;
}

// `name(argument)` as a clause.
ClauseText MakeClause(const std::string& name, const std::string& argument);

// The clauses as text behind a directive's name, each with a blank before it.
std::string ClauseList(const Clauses& clauses);

// What the context string of `type` says of these clauses, in their order.
void AddClauses(const Clauses& clauses, const std::string& type, Context* context);

// IF and its modifier: `parallel:n>2`.
struct IfClause {
    std::string modifier;
    std::string condition;
};
IfClause SplitIf(const std::string& argument);

struct ScheduleClause {
    std::string kind;  // upper case, without modifiers
    std::string chunk;
};
ScheduleClause SplitSchedule(const std::string& argument);

// The directives that a combined one is taken apart into, from the outermost; one that is not is left whole.
std::vector<std::string> TakenApart(const std::string& name);
// What clauses each of them gets.
std::vector<Clauses> SplitCombined(const std::vector<std::string>& names, const Clauses& clauses);

// Variables that data-sharing clauses list.
std::vector<std::string> ListedVariables(const Clauses& clauses);

}  // namespace comshu::fortran
