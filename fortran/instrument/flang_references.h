#pragma once

#include <string>
#include <vector>

#include "flang/Parser/parse-tree.h"

#include "instrument/flang_designators.h"
#include "instrument/flang_objects.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

// What one statement reads and writes, gathered into its accesses. An access's text is put into the program
// once more, so only references without side effects are told: subscripts call no function but some
// intrinsics. Where an expression need not be worked out as a whole (`guarded`: .AND. and .OR. may leave
// out what is behind them) only what is there in any case is told. Inside of a loop that the statement makes
// by itself each access has that loop around its calls.
class References {
public:
    References(DataObjects& objects, std::vector<Access>& accesses)
        : objects_(objects), accesses_(accesses) {}

    // Whatever the expression reads, functions' arguments included.
    void Read(const parser::Expr& expression);
    // The same; an object of a derived type that is the whole expression is read too.
    void ReadValue(const parser::Expr& expression);
    // The variable is written, what its subscripts name is read. `plain`: a whole object of a derived type
    // may be told.
    void Write(const parser::Variable& variable, bool plain = false) {
        Touch(variable, true, plain);
    }
    // The variable is one or the other, as `write` says.
    void Touch(const parser::Variable& variable, bool write, bool plain = false);
    // The actual arguments of a CALL.
    void Arguments(const parser::Call& call);

    // Between the two, what is told is told for each value of `variable`. False: its bounds cannot be worked
    // out once more, and nothing is open.
    bool OpenLoop(const parser::Name& variable, const parser::Expr& first, const parser::Expr& last,
                  const parser::Expr* step);
    void CloseLoop() { loops_.Pop(); }
    bool InLoop() const { return !loops_.empty(); }
    // What is told is under the condition, until it is empty. False: it cannot be worked out once more.
    bool When(const parser::Expr& condition);
    void Always() { when_.clear(); }
    // Arrays of this rank are read and written where the mask holds. 0, 0: as a whole.
    void Masked(int mask, int rank) {
        mask_ = mask;
        mask_rank_ = rank;
    }
    // Arguments of a function that is not worked out element by element are used as a whole.
    void OutsideMask(int step) { outside_mask_ += step; }

    // Calls that an expression makes in any case, each once, are gathered too.
    void GatherCalls(std::vector<FunctionCall>* calls) { calls_ = calls; }
    // False: it is none of these.
    bool Call(const parser::FunctionReference& reference);

    // False: it is nothing that can be told.
    bool Add(const parser::Designator& designator, bool write, bool guarded, int position = 0,
             bool plain = false, bool associated = false);
    // Without its value: dummy arguments, what is allocated.
    void Add(const parser::Name& name);
    bool IsLoopVariable(const parser::Designator& designator) const;

private:
    void Append(Access access);

    DataObjects& objects_;
    std::vector<Access>& accesses_;
    std::vector<FunctionCall>* calls_ = nullptr;
    LoopStack loops_;
    std::string when_;
    int mask_ = 0;
    int mask_rank_ = 0;
    int outside_mask_ = 0;
};

// Counts whatever is named below as not told.
template <typename T>
void CountUnknown(DataObjects& objects, const T& tree);

}  // namespace comshu::fortran
