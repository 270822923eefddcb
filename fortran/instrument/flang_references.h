#pragma once

#include <string>
#include <vector>

#include "flang/Parser/parse-tree.h"

#include "instrument/flang_objects.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

// What one statement reads and writes, gathered into its accesses. An access's text is put into the program
// once more, so only references without side effects are told: subscripts call no function but some
// intrinsics. Where an expression need not be worked out as a whole (`guarded`: .AND. and .OR. may leave
// out what is behind them) only what is there in any case is told.
class References {
public:
    References(DataObjects& objects, std::vector<Access>& accesses)
        : objects_(objects), accesses_(accesses) {}

    // Whatever the expression reads, functions' arguments included.
    void Read(const parser::Expr& expression);
    // The variable is written, what its subscripts name is read.
    void Write(const parser::Variable& variable);
    // The variable is one or the other, as `write` says.
    void Touch(const parser::Variable& variable, bool write);
    // An actual argument of a CALL, at its position from 1.
    void Argument(const parser::Expr& expression, int position);

    // False: it is nothing that can be told.
    bool Add(const parser::Designator& designator, bool write, bool guarded, int position = 0);
    void Add(const parser::Name& name, int position);

private:
    DataObjects& objects_;
    std::vector<Access>& accesses_;
};

// Counts whatever is named below as not told.
template <typename T>
void CountUnknown(DataObjects& objects, const T& tree);

}  // namespace comshu::fortran
