#pragma once

#include <set>
#include <string>
#include <vector>

#include "instrument/source_model.h"

namespace comshu::fortran {

constexpr int kNoItem = -1;

struct Unit {
    UnitKind kind = UnitKind::kNone;
    int open = kNoItem;
    int header = kNoItem;     // PROGRAM, SUBROUTINE, ... statement
    int execution = kNoItem;  // first item of the execution part
    int end = kNoItem;        // END statement
    int close = kNoItem;
    int contains = kNoItem;
    int parent = kNoItem;  // unit around it
    bool has_entry = false;
    bool implicit_none = false;  // by itself or by what is around it
    bool recursive = false;
    bool has_tasks = false;
    bool result_in_clause = false;  // the function's own name, in a clause of a directive
    bool untouchable = false;       // PURE, DECLARE TARGET, or without executable code of its own
    std::set<std::string> arrays;
    std::set<std::string> scalars;
    std::set<std::string> constants;
    std::set<std::string> branch_targets;
};

// How the items of a source nest: one entry per item.
struct Nesting {
    int unit = kNoItem;           // index of the program unit it is in
    int parent = kNoItem;         // construct or directive around it
    int end = kNoItem;            // of a construct: item that ends it
    int loop = kNoItem;           // of a loop directive: its DO
    int directive = kNoItem;      // of a DO: the loop directive before it
    int end_directive = kNoItem;  // of a loop directive: its END directive, when written
    bool terminal = false;        // labelled statement that ends a labelled DO
    int terminal_of = 0;          // how many
    bool closed = false;          // inside of it no call may stand: PURE, WORKSHARE, SIMD, ...
};

struct Structure {
    std::vector<Unit> units;
    std::vector<Nesting> items;
    std::vector<int> stray_ends;  // END directives that end nothing, or something else

    // Unit and host units that declare `name`, innermost first.
    bool IsArray(int unit, const std::string& name) const;
    bool IsConstant(int unit, const std::string& name) const;
    bool IsDeclared(int unit, const std::string& name) const;
};

bool IsLoopDirective(const std::string& name);
bool IsTaskloop(const std::string& name);  // combined ones too
// Whether what is inside belongs to tasks: TASK, TASKGROUP, TASKLOOP and what is combined with it.
bool HasTasks(const std::string& name);
// Why nothing may be inserted into the iterations of its loop; null: something may.
const char* ClosedIterations(const Item& directive);

Structure BuildStructure(const SourceModel& model);

}  // namespace comshu::fortran
