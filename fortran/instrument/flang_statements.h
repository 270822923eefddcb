#pragma once

#include <string>
#include <vector>

#include "flang/Parser/parse-tree.h"

#include "instrument/flang_objects.h"
#include "instrument/flang_references.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

// What statements of more than an expression read and write. Those of WHERE and FORALL are told around the
// whole construct; where it reads what it has written before, values would not be those that it uses, so
// nothing of it is told but counted.

// Specifiers and list of a statement of input or output.
void GatherIo(DataObjects& objects, References& references, const parser::ActionStmt& action);
// Behind GatherIo: what the list writes and what it uses of that.
void OrderWrites(DataObjects& objects, std::vector<Access>& accesses);

void GatherAssignment(References& references, const parser::AssignmentStmt& statement);
void Gather(DataObjects& objects, Item& item, const parser::WhereStmt& statement);
void Gather(DataObjects& objects, Item& item, const parser::WhereConstruct& construct);
void Gather(DataObjects& objects, Item& item, const parser::ForallStmt& statement);
void Gather(DataObjects& objects, Item& item, const parser::ForallConstruct& construct);

}  // namespace comshu::fortran
