#pragma once

#include <set>
#include <string>
#include <vector>

#include "instrument/conditionals.h"
#include "instrument/session.h"

namespace comshu::fortran {

// Program units: what they declare for the inserted calls, start and end of the main program, begin
// and end of procedures.
class UnitWalker {
public:
    UnitWalker(Session& session, Conditionals& conditionals)
        : s_(session), conditionals_(conditionals) {}

    // Units whose declarations or first statement have no place in this file are left alone whole.
    void MarkUntouchable();
    void Begin(int unit);
    // After everything in the unit: declares what it has come to need.
    void Finish(int unit);
    // Handle of the procedure's events; -1 without.
    int FunctionHandle(int unit) const;

private:
    bool IsOwn(int unit) const;
    int FirstExecutable(int unit) const;
    int LastStatement(int unit) const;
    // Where declarations have their place: at the begin of a line, or behind a statement that others follow
    // on its line.
    struct Place {
        std::size_t offset = 0;
        int behind = kNoItem;
    };
    bool FindDeclarationPlace(int unit, Place* place) const {
        return FindPlaceBehind(
            unit,
            {ItemKind::kUnitStatement, ItemKind::kUse, ItemKind::kImport, ItemKind::kImplicit},
            place);
    }
    // The same for a USE statement.
    bool FindUsePlace(int unit, Place* place) const {
        return FindPlaceBehind(unit, {ItemKind::kUnitStatement, ItemKind::kUse}, place);
    }
    bool FindPlaceBehind(int unit, std::initializer_list<ItemKind> kinds, Place* place) const;
    void InsertAt(const Place& place, std::vector<std::string> lines, std::size_t owner);
    bool UsesEntryModule() const { return s_.options.standard < 2018; }
    std::vector<std::string> Declarations(int unit);
    std::set<std::string> TypedExternals(int unit) const;
    std::set<std::string> TypedIntrinsics(int unit) const;
    std::set<std::string> NotDeclared(int unit, const std::string& attribute,
                                      std::set<std::string> names) const;
    bool IsInBody(int unit, std::size_t offset) const;

    Session& s_;
    Conditionals& conditionals_;
    std::map<int, int> handles_;
};

}  // namespace comshu::fortran
