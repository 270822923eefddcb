#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "instrument/conditionals.h"
#include "instrument/session.h"

namespace comshu::fortran {

// Data: registration of variables, arrays and COMMON blocks, reads and writes, arguments. What a
// statement uses is registered at the start of the unit that it stands in; ALLOCATABLE and POINTER
// arrays where they are allocated.
class DataWalker {
public:
    using Lines = std::vector<std::string>;

    DataWalker(Session& session, Conditionals& conditionals)
        : s_(session), conditionals_(conditionals) {}

    // Dummy arguments and COMMON blocks.
    void Begin(int unit);
    void Visit(int item);
    // Calls that tell what a statement inside of an ATOMIC construct reads and writes, for before and after
    // the construct.
    void Atomic(int item, Lines* before, Lines* after);
    // What the statement reads, for before it: of loops and jumps, which others place.
    Lines Reads(int item);
    // Calls that tell the arguments of the CALL `item`, for before and after it.
    Lines Arguments(int item, int handle);
    // Calls of functions that the statement makes, around what stands around it.
    void Functions(int item, Lines* before, Lines* after);

private:
    int HandleOf(int item, int symbol);
    void RegisterAtStart(int item, int symbol, int handle);
    std::string Base(const DataSymbol& symbol) const;
    Lines StageBounds(int item, const DataSymbol& symbol);
    void Accesses(int item);
    void ArrayConstruct(int item);
    bool AroundWhole(int item, Lines* before, Lines* after);
    void AroundStatement(int item, Lines* before, Lines* after);
    bool KeepMasks(int item, Lines* before, Lines* after);
    // Whether ASSOCIATE may keep masks.
    bool HasAssociate(int item) const {
        return s_.options.standard >= 2003 && s_.structure.units[s_.Nest(item).unit].implicit_none;
    }
    std::string MaskText(int item, int mask) const;
    std::string Filled(int item, const std::string& text, const Access& access);
    Lines Around(int item, int loop, const Access& access, const Lines& inside);
    Lines Under(int item, const std::string& condition, Lines lines) const;
    Lines NotEmpty(int item, const DataSymbol& symbol, Lines lines) const;
    bool Decide(int item, Lines* lines, std::string* name);
    Lines ArgumentOf(int item, int handle, const Access& access);
    void ElseIf(int item);
    void While(int item);
    Lines Told(int item, const std::string& head, const std::string& tail, int position,
               const Access& access);
    void Allocation(int item);
    void Commons(int unit, int item);
    int TypeCode(const DataSymbol& symbol) const;

    Session& s_;
    Conditionals& conditionals_;
    std::map<std::pair<int, int>, int> handles_;  // of (unit, symbol)
    std::map<std::pair<int, int>, int> positions_;
};

}  // namespace comshu::fortran
