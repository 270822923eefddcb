#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace comshu::fortran {

// What the instrumentor knows of a source file: its statements and OpenMP directives in the order of
// the text, each with its exact place in the original file. Filled by the reader (the only code that
// includes Flang), used by everything else. Texts are as Flang cooks them: lower case outside of
// literals, continuation and comments gone.

// Characters [begin, end) of the original file. Text that comes from an include file has none.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool valid = false;
};

enum class ItemKind : uint8_t {
    // Program units open and close; the statement that does it follows or precedes.
    kUnitOpen,
    kUnitClose,
    kExecutionBegin,  // between specification part and execution part
    // Specification part.
    kUnitStatement,  // PROGRAM, SUBROUTINE, FUNCTION, MODULE, ... header
    kUse,
    kImport,
    kImplicit,
    kStatementFunction,  // or an assignment to an array element that looks like one
    kSpecification,
    kContains,
    kFormat,
    kEntry,
    // Execution part: actions.
    kAssignment,
    kCall,
    kIo,
    kStop,
    kReturn,
    kGoto,
    kExit,
    kCycle,
    kAllocate,
    kDeallocate,
    kLogicalIf,
    kContinue,
    kAction,
    // Execution part: constructs.
    kDo,
    kEndDo,
    kIfThen,
    kElse,
    kEndIf,
    kOpen,    // SELECT, ASSOCIATE, BLOCK, CRITICAL, ...
    kMiddle,  // CASE, TYPE IS, ...
    kClose,
    kArrayOpen,  // WHERE and FORALL constructs: nothing may be inserted inside
    kArrayClose,
    kEndUnit,
    // OpenMP.
    kOmpBegin,
    kOmpEnd,
    kOmpSection,
    kOmpStandalone,
    kOmpThreadprivate,
    kOmpDeclareTarget,
    kOmpOther,
    // `CDVM$` comment lines that mean something to the instrumentor.
    kDvmDirective,
};

inline bool IsOpenmp(ItemKind kind) {
    return kind >= ItemKind::kOmpBegin && kind <= ItemKind::kOmpOther;
}

enum class UnitKind : uint8_t {
    kNone,
    kMain,
    kSubroutine,
    kFunction,
    kModuleProcedure,
    kModule,
    kSubmodule,
    kBlockData,
};

enum class LoopKind : uint8_t { kCounted, kWhile, kForever, kConcurrent };

struct ClauseText {
    std::string name;
    std::string argument;  // between the parentheses, blanks outside of literals removed
    std::string text;      // the whole clause, cooked
    bool has_argument = false;
};

struct LoopText {
    LoopKind kind = LoopKind::kForever;
    std::string variable;
    std::string lower;
    std::string upper;
    std::string step;   // empty: 1
    std::string label;  // of the terminal statement; empty: END DO
};

// A data object that statements name, for the data levels.
struct DataSymbol {
    std::string name;
    std::string file;  // and line of its declaration
    int line = 0;
    char category = 0;  // i r c l s (CHARACTER); 0: a derived type and all else
    int kind = 0;
    int rank = 0;
    int bytes = 0;  // of the object or an element; 0: not a constant
    bool assumed_size = false;
    bool deferred = false;  // ALLOCATABLE or POINTER
    bool pointer = false;
    bool derived = false;  // of a derived type: told as a whole
    bool sized = false;    // an array that is known to have elements
    bool empty = false;    // one that is known to have none
    bool dummy = false;
    bool optional = false;
    bool local = false;  // cannot be named at the start of the unit
    bool part = false;   // a component; the name has those before it
    bool saved = false;
    std::string common;
};

// A loop around the calls that tell an access. Texts of the access and of loops inside of it name its value by
// kLoopMark and a letter, `a` for the outermost.
struct AccessLoop {
    std::string first;
    std::string last;
    std::string step;  // empty: 1
    int kind = 4;      // of the value

    bool operator==(const AccessLoop&) const = default;
};
constexpr char kLoopMark = '\1';

// A statement's use of a data object.
struct Access {
    int symbol = -1;
    std::string text;   // what is read or written: `x`, `a(i,2)`
    std::string first;  // of a section: its first element
    bool element = false;
    bool whole = false;  // an array, a section of one, or an object of a derived type
    bool write = false;
    bool late = false;        // what its text names is known behind the statement alone
    bool associated = false;  // an argument that has a target if it is a POINTER
    int position = 0;         // of an actual argument, from 1
    std::vector<AccessLoop> loops;
    std::string when;  // condition inside of the loops; empty: always
    int mask = 0;      // of those elements alone where this mask of the statement holds, from 1
};

// A function of the program's own that a statement calls in any case, and once.
struct FunctionCall {
    std::string name;
    int rank = 0;  // arguments
    std::vector<Access> arguments;
};

// What a statement goes on by, where it calls functions: the condition of an IF, ELSE IF or DO WHILE, the
// expression of a SELECT CASE.
struct Decision {
    Span span;
    std::string text;   // empty: none
    char category = 0;  // l i; 0: neither
};

struct Item {
    ItemKind kind = ItemKind::kAction;
    UnitKind unit = UnitKind::kNone;
    Span span;  // the statement without its label; a directive from its sentinel on
    bool in_main_file = false;
    bool in_macro = false;  // comes out of a macro: no place of its own in the text
    int line = 0;      // in the file it stands in; of the source the true one, whatever markers say
    std::string file;  // which is this one
    std::string label;
    std::string name;                    // unit, construct, procedure, directive or EXIT target
    std::string text;                    // the whole statement, cooked
    std::vector<std::string> labels;     // branch targets
    std::vector<std::string> arguments;  // of a CALL, dummies of a unit
    std::string type;                    // of a FUNCTION, when its prefix says it
    LoopText loop;
    Span condition;       // of a logical IF: its statement up to and with the closing parenthesis
    int logical_if = -1;  // index of the logical IF whose action this is
    bool pure = false;    // PURE or ELEMENTAL unit
    std::vector<ClauseText> clauses;
    std::vector<std::string> arrays;     // names that this declaration gives a shape
    std::vector<std::string> scalars;    // names that it declares without one
    std::vector<std::string> constants;  // named constants
    std::vector<Access> accesses;
    std::vector<std::string> masks;  // logical arrays by which it writes
    std::vector<FunctionCall> calls;
    Decision decision;
};

struct Diagnostic {
    std::string file;
    int line = 0;
    int column = 0;
    std::string message;
    bool error = false;
};

struct SourceModel {
    std::string path;  // as given
    std::string text;  // of the file, as it is on disk
    bool fixed_form = false;
    int fixed_columns = 72;
    bool parsed = false;
    std::deque<Item> items;       // never moved: as many as the source has statements
    std::set<std::string> names;  // every name that occurs, lower case
    std::vector<Diagnostic> diagnostics;
    std::vector<DataSymbol> symbols;
    std::set<std::string> unknown;  // names whose accesses cannot be told
    int unknown_accesses = 0;
    // Where procedures are called that nothing says to be some, but for a type.
    struct TypedExternal {
        std::size_t offset = 0;
        std::string name;
    };
    std::vector<TypedExternal> typed_externals;
    // The same of intrinsics.
    std::vector<TypedExternal> typed_intrinsics;
};

struct ReadOptions {
    bool fixed_form = false;
    int fixed_columns = 72;
    bool openmp = true;
    std::vector<std::string> include_directories;
    std::vector<std::string> definitions;  // NAME or NAME=VALUE
    std::vector<std::string> undefinitions;
    bool data = false;        // symbols and accesses too
    int default_integer = 4;  // bytes
    int default_real = 4;
    std::string module_output;  // folder in which compiled modules are found and left; empty: none
    std::string
        module_input;  // one in which they are found alone, looked into behind that; empty: none
};

// Reads and parses `path`. Never throws; what is wrong is in `diagnostics`, and `parsed` is false.
SourceModel ReadSource(const std::string& path, const ReadOptions& options);

}  // namespace comshu::fortran
