#pragma once

#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"

// Flang's semantics in steps. Semantics::Perform does them all at once and leaves a typed copy of every
// expression, of its operands and of theirs in the parse tree, three times what the tree itself takes. Only
// names need the whole program; expressions can be typed, used and forgotten piece by piece. The steps are
// functions of Flang's library that its headers do not show: they are declared here as version 19 has them.
namespace Fortran::parser {
bool CanonicalizeDo(Program&);
}  // namespace Fortran::parser

namespace Fortran::semantics {
bool ValidateLabels(SemanticsContext&, const parser::Program&);
bool CanonicalizeAcc(parser::Messages&, parser::Program&);
bool CanonicalizeOmp(parser::Messages&, parser::Program&);
bool CanonicalizeCUDA(parser::Program&);
bool CanonicalizeDirectives(parser::Messages&, parser::Program&);
bool ResolveNames(SemanticsContext&, const parser::Program&, Scope& top);
bool RewriteParseTree(SemanticsContext&, parser::Program&);
void ComputeOffsets(SemanticsContext&, Scope& top);
void CheckDeclarations(SemanticsContext&);
}  // namespace Fortran::semantics

namespace comshu::fortran {

// Gives every name of the program its symbol. False: nothing was done, its labels or directives are wrong.
inline bool ResolveProgram(Fortran::semantics::SemanticsContext& context,
                           Fortran::parser::Program& program) {
    namespace semantics = Fortran::semantics;
    context.UseFortranBuiltinsModule();
    if (!semantics::ValidateLabels(context, program) || !Fortran::parser::CanonicalizeDo(program) ||
        !semantics::CanonicalizeAcc(context.messages(), program) ||
        !semantics::CanonicalizeOmp(context.messages(), program) ||
        !semantics::CanonicalizeCUDA(program) ||
        !semantics::CanonicalizeDirectives(context.messages(), program)) {
        return false;
    }
    semantics::ResolveNames(context, program, context.globalScope());
    semantics::RewriteParseTree(context, program);
    semantics::ComputeOffsets(context, context.globalScope());
    semantics::CheckDeclarations(context);
    return true;
}

// Leaves the modules that were resolved for sources that use them, unless something is wrong.
inline void WriteModules(Fortran::semantics::SemanticsContext& context) {
    Fortran::parser::Program nothing{std::list<Fortran::parser::ProgramUnit>{}};
    if (!context.AnyFatalError()) {
        Fortran::semantics::Semantics(context, nothing).Perform();
    }
}

}  // namespace comshu::fortran
