#include "instrument/source_model.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "llvm/Frontend/OpenMP/OMPConstants.h"

#include "instrument/cooked_text.h"
#include "instrument/flang_items.h"
#include "instrument/flang_places.h"
#include "instrument/tree_visitor.h"

namespace comshu::fortran {
namespace {

namespace parser = Fortran::parser;
using parser::CharBlock;

// Walks the parse tree once and writes the statements down in order.
class Lister : public TreeVisitor {
public:
    Lister(SourceModel& model, const parser::AllCookedSources& cooked,
           const parser::SourceFile* file)
        : model_(model), places_(model.text, cooked, file) {}

    using TreeVisitor::Post;
    using TreeVisitor::Pre;

    template <typename T>
    bool Pre(const parser::Statement<T>& statement) {
        NewStatement(statement.source, statement.label);
        return true;
    }
    template <typename T>
    bool Pre(const parser::UnlabeledStatement<T>& statement) {
        // Only IF (c) action holds one.
        int owner = static_cast<int>(model_.items.size()) - 1;
        NewStatement(statement.source, std::nullopt);
        Current().logical_if = owner;
        return true;
    }

    // FORALL (...) assignment is one statement.
    bool Pre(const parser::UnlabeledStatement<parser::ForallAssignmentStmt>&) { return true; }

    bool Pre(const parser::Name& name) {
        model_.names.insert(name.ToString());
        return true;
    }

    // Program units.
    bool Pre(const parser::MainProgram&) { return OpenUnit(UnitKind::kMain); }
    void Post(const parser::MainProgram&) { CloseUnit(UnitKind::kMain); }
    bool Pre(const parser::SubroutineSubprogram&) { return OpenUnit(UnitKind::kSubroutine); }
    void Post(const parser::SubroutineSubprogram&) { CloseUnit(UnitKind::kSubroutine); }
    bool Pre(const parser::FunctionSubprogram&) { return OpenUnit(UnitKind::kFunction); }
    void Post(const parser::FunctionSubprogram&) { CloseUnit(UnitKind::kFunction); }
    bool Pre(const parser::SeparateModuleSubprogram&) {
        return OpenUnit(UnitKind::kModuleProcedure);
    }
    void Post(const parser::SeparateModuleSubprogram&) { CloseUnit(UnitKind::kModuleProcedure); }
    bool Pre(const parser::Module&) { return OpenUnit(UnitKind::kModule); }
    void Post(const parser::Module&) { CloseUnit(UnitKind::kModule); }
    bool Pre(const parser::Submodule&) { return OpenUnit(UnitKind::kSubmodule); }
    void Post(const parser::Submodule&) { CloseUnit(UnitKind::kSubmodule); }
    bool Pre(const parser::BlockData&) { return OpenUnit(UnitKind::kBlockData); }
    void Post(const parser::BlockData&) { CloseUnit(UnitKind::kBlockData); }
    bool Pre(const parser::ExecutionPart&) {
        model_.items.emplace_back().kind = ItemKind::kExecutionBegin;
        return true;
    }

    // Declarations inside an interface block are no program units.
    bool Pre(const parser::InterfaceBlock&) {
        ++interface_;
        return true;
    }
    void Post(const parser::InterfaceBlock&) { --interface_; }

    bool Pre(const parser::ProgramStmt& s) { return UnitStatement(s.v.ToString()); }
    bool Pre(const parser::ModuleStmt& s) { return UnitStatement(s.v.ToString()); }
    bool Pre(const parser::SubmoduleStmt& s) {
        return UnitStatement(std::get<parser::Name>(s.t).ToString());
    }
    bool Pre(const parser::BlockDataStmt& s) { return UnitStatement(s.v ? s.v->ToString() : ""); }
    bool Pre(const parser::MpSubprogramStmt& s) { return UnitStatement(s.v.ToString()); }
    bool Pre(const parser::SubroutineStmt& s) {
        UnitStatement(std::get<parser::Name>(s.t).ToString());
        Prefixes(std::get<std::list<parser::PrefixSpec>>(s.t));
        for (const parser::DummyArg& argument : std::get<std::list<parser::DummyArg>>(s.t)) {
            const auto* name = std::get_if<parser::Name>(&argument.u);
            Current().arguments.push_back(name ? name->ToString() : "*");
        }
        return true;
    }
    bool Pre(const parser::FunctionStmt& s) {
        UnitStatement(std::get<parser::Name>(s.t).ToString());
        Prefixes(std::get<std::list<parser::PrefixSpec>>(s.t));
        for (const parser::Name& name : std::get<std::list<parser::Name>>(s.t)) {
            Current().arguments.push_back(name.ToString());
        }
        return true;
    }
    bool Pre(const parser::ContainsStmt&) { return Kind(ItemKind::kContains); }
    bool Pre(const parser::EndProgramStmt&) { return Kind(ItemKind::kEndUnit); }
    bool Pre(const parser::EndSubroutineStmt&) { return EndOfProcedure(); }
    bool Pre(const parser::EndFunctionStmt&) { return EndOfProcedure(); }
    bool Pre(const parser::EndMpSubprogramStmt&) { return Kind(ItemKind::kEndUnit); }
    bool Pre(const parser::EndModuleStmt&) { return Kind(ItemKind::kEndUnit); }
    bool Pre(const parser::EndSubmoduleStmt&) { return Kind(ItemKind::kEndUnit); }
    bool Pre(const parser::EndBlockDataStmt&) { return Kind(ItemKind::kEndUnit); }

    // Specification part.
    bool Pre(const parser::UseStmt&) { return Kind(ItemKind::kUse); }
    bool Pre(const parser::ImportStmt&) { return Kind(ItemKind::kImport); }
    bool Pre(const parser::ImplicitStmt&) { return Kind(ItemKind::kImplicit); }
    bool Pre(const parser::FormatStmt&) { return Kind(ItemKind::kFormat); }
    bool Pre(const parser::EntryStmt&) { return Kind(ItemKind::kEntry); }
    bool Pre(const parser::StmtFunctionStmt& s) {
        Kind(ItemKind::kStatementFunction);
        Current().name = std::get<parser::Name>(s.t).ToString();
        return true;
    }
    bool Pre(const parser::TypeDeclarationStmt& s) {
        Kind(ItemKind::kSpecification);
        bool shaped = false;
        bool constant = false;
        for (const parser::AttrSpec& attribute : std::get<std::list<parser::AttrSpec>>(s.t)) {
            shaped |= std::holds_alternative<parser::ArraySpec>(attribute.u);
            constant |= std::holds_alternative<parser::Parameter>(attribute.u);
        }
        for (const parser::EntityDecl& entity : std::get<std::list<parser::EntityDecl>>(s.t)) {
            std::string name = std::get<parser::ObjectName>(entity.t).ToString();
            bool array = shaped || std::get<std::optional<parser::ArraySpec>>(entity.t).has_value();
            (array ? Current().arrays : Current().scalars).push_back(name);
            if (constant) {
                Current().constants.push_back(name);
            }
        }
        return true;
    }
    bool Pre(const parser::DimensionStmt& s) {
        Kind(ItemKind::kSpecification);
        for (const parser::DimensionStmt::Declaration& declaration : s.v) {
            Current().arrays.push_back(std::get<parser::Name>(declaration.t).ToString());
        }
        return true;
    }
    bool Pre(const parser::CommonBlockObject& s) {
        if (std::get<std::optional<parser::ArraySpec>>(s.t)) {
            Current().arrays.push_back(std::get<parser::Name>(s.t).ToString());
        }
        return true;
    }
    bool Pre(const parser::NamedConstantDef& s) {
        Current().constants.push_back(std::get<parser::NamedConstant>(s.t).v.ToString());
        return true;
    }

    // Actions.
    bool Pre(const parser::ContinueStmt&) { return Kind(ItemKind::kContinue); }
    bool Pre(const parser::AssignmentStmt&) { return Kind(ItemKind::kAssignment); }
    bool Pre(const parser::AllocateStmt&) { return Kind(ItemKind::kAllocate); }
    bool Pre(const parser::DeallocateStmt&) { return Kind(ItemKind::kDeallocate); }
    bool Pre(const parser::CallStmt& s) {
        Kind(ItemKind::kCall);
        const auto& designator = std::get<parser::ProcedureDesignator>(s.call.t);
        Current().name = std::visit(
            [](const auto& u) -> std::string {
                if constexpr (std::is_same_v<std::decay_t<decltype(u)>, parser::Name>) {
                    return u.ToString();
                } else {
                    return u.v.thing.component.ToString();
                }
            },
            designator.u);
        for (const parser::ActualArgSpec& argument :
             std::get<std::list<parser::ActualArgSpec>>(s.call.t)) {
            const auto& actual = std::get<parser::ActualArg>(argument.t);
            if (const auto* expression =
                    std::get_if<Fortran::common::Indirection<parser::Expr>>(&actual.u)) {
                Current().arguments.push_back(Cooked(expression->value().source));
            } else if (const auto* label = std::get_if<parser::AltReturnSpec>(&actual.u)) {
                Current().arguments.push_back("*");
                Current().labels.push_back(std::to_string(label->v));
            } else {
                Current().arguments.push_back("");
            }
        }
        return true;
    }
    bool Pre(const parser::BackspaceStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::CloseStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::EndfileStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::FlushStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::InquireStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::OpenStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::PrintStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::ReadStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::RewindStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::WaitStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::WriteStmt&) { return Kind(ItemKind::kIo); }
    bool Pre(const parser::ErrLabel& s) { return Target(s.v); }
    bool Pre(const parser::EndLabel& s) { return Target(s.v); }
    bool Pre(const parser::EorLabel& s) { return Target(s.v); }
    bool Pre(const parser::StopStmt&) { return Kind(ItemKind::kStop); }
    bool Pre(const parser::FailImageStmt&) { return Kind(ItemKind::kStop); }
    bool Pre(const parser::ReturnStmt&) { return Kind(ItemKind::kReturn); }
    bool Pre(const parser::GotoStmt& s) {
        Kind(ItemKind::kGoto);
        return Target(s.v);
    }
    bool Pre(const parser::ComputedGotoStmt& s) {
        Kind(ItemKind::kGoto);
        for (parser::Label label : std::get<std::list<parser::Label>>(s.t)) {
            Target(label);
        }
        return true;
    }
    bool Pre(const parser::ArithmeticIfStmt& s) {
        Kind(ItemKind::kGoto);
        Target(std::get<1>(s.t));
        Target(std::get<2>(s.t));
        return Target(std::get<3>(s.t));
    }
    bool Pre(const parser::AssignedGotoStmt& s) {
        Kind(ItemKind::kGoto);
        for (parser::Label label : std::get<std::list<parser::Label>>(s.t)) {
            Target(label);
        }
        return true;
    }
    bool Pre(const parser::AssignStmt& s) { return Target(std::get<parser::Label>(s.t)); }
    bool Pre(const parser::ExitStmt& s) {
        Kind(ItemKind::kExit);
        Current().name = s.v ? s.v->ToString() : "";
        return true;
    }
    bool Pre(const parser::CycleStmt& s) {
        Kind(ItemKind::kCycle);
        Current().name = s.v ? s.v->ToString() : "";
        return true;
    }
    bool Pre(const parser::IfStmt& s) {
        Kind(ItemKind::kLogicalIf);
        const char* end = std::get<0>(s.t).thing.thing.value().source.end();
        while (*end != ')') {
            ++end;
        }
        Span parenthesis = places_.Where(CharBlock{end, 1});
        Current().condition = Current().span;
        Current().condition.end = parenthesis.end;
        Current().condition.valid &= parenthesis.valid;
        return true;
    }

    // Constructs.
    bool Pre(const parser::NonLabelDoStmt& s) {
        Kind(ItemKind::kDo);
        const auto& name = std::get<std::optional<parser::Name>>(s.t);
        Current().name = name ? name->ToString() : "";
        const auto& label = std::get<std::optional<parser::Label>>(s.t);
        Current().loop.label = label ? std::to_string(*label) : "";
        return Loop(std::get<std::optional<parser::LoopControl>>(s.t));
    }
    bool Pre(const parser::LabelDoStmt& s) {
        Kind(ItemKind::kDo);
        Current().loop.label = std::to_string(std::get<parser::Label>(s.t));
        return Loop(std::get<std::optional<parser::LoopControl>>(s.t));
    }
    bool Pre(const parser::EndDoStmt&) { return Kind(ItemKind::kEndDo); }
    bool Pre(const parser::IfThenStmt& s) {
        Kind(ItemKind::kIfThen);
        return ConstructName(std::get<0>(s.t));
    }
    bool Pre(const parser::ElseIfStmt&) { return Kind(ItemKind::kElse); }
    bool Pre(const parser::ElseStmt&) { return Kind(ItemKind::kElse); }
    bool Pre(const parser::EndIfStmt&) { return Kind(ItemKind::kEndIf); }
    bool Pre(const parser::SelectCaseStmt& s) { return Open(std::get<0>(s.t)); }
    bool Pre(const parser::SelectRankStmt& s) { return Open(std::get<0>(s.t)); }
    bool Pre(const parser::SelectTypeStmt& s) { return Open(std::get<0>(s.t)); }
    bool Pre(const parser::CaseStmt&) { return Kind(ItemKind::kMiddle); }
    bool Pre(const parser::SelectRankCaseStmt&) { return Kind(ItemKind::kMiddle); }
    bool Pre(const parser::TypeGuardStmt&) { return Kind(ItemKind::kMiddle); }
    bool Pre(const parser::EndSelectStmt&) { return Kind(ItemKind::kClose); }
    bool Pre(const parser::AssociateStmt& s) { return Open(std::get<0>(s.t)); }
    bool Pre(const parser::EndAssociateStmt&) { return Kind(ItemKind::kClose); }
    bool Pre(const parser::BlockStmt& s) { return Open(s.v); }
    bool Pre(const parser::EndBlockStmt&) { return Kind(ItemKind::kClose); }
    bool Pre(const parser::CriticalStmt& s) { return Open(std::get<0>(s.t)); }
    bool Pre(const parser::EndCriticalStmt&) { return Kind(ItemKind::kClose); }
    bool Pre(const parser::ChangeTeamStmt& s) { return Open(std::get<0>(s.t)); }
    bool Pre(const parser::EndChangeTeamStmt&) { return Kind(ItemKind::kClose); }
    bool Pre(const parser::WhereConstructStmt&) { return Kind(ItemKind::kArrayOpen); }
    bool Pre(const parser::EndWhereStmt&) { return Kind(ItemKind::kArrayClose); }
    bool Pre(const parser::ForallConstructStmt&) { return Kind(ItemKind::kArrayOpen); }
    bool Pre(const parser::EndForallStmt&) { return Kind(ItemKind::kArrayClose); }

    // OpenMP.
    bool Pre(const parser::OmpBeginBlockDirective& d) {
        return Directive(ItemKind::kOmpBegin, d.source, Name(std::get<0>(d.t).v),
                         &std::get<1>(d.t));
    }
    bool Pre(const parser::OmpEndBlockDirective& d) {
        return Directive(ItemKind::kOmpEnd, d.source, Name(std::get<0>(d.t).v), &std::get<1>(d.t));
    }
    bool Pre(const parser::OmpBeginLoopDirective& d) {
        return Directive(ItemKind::kOmpBegin, d.source, Name(std::get<0>(d.t).v),
                         &std::get<1>(d.t));
    }
    bool Pre(const parser::OmpEndLoopDirective& d) {
        return Directive(ItemKind::kOmpEnd, d.source, Name(std::get<0>(d.t).v), &std::get<1>(d.t));
    }
    bool Pre(const parser::OmpBeginSectionsDirective& d) {
        return Directive(ItemKind::kOmpBegin, d.source, Name(std::get<0>(d.t).v),
                         &std::get<1>(d.t));
    }
    bool Pre(const parser::OmpEndSectionsDirective& d) {
        return Directive(ItemKind::kOmpEnd, d.source, Name(std::get<0>(d.t).v), &std::get<1>(d.t));
    }
    bool Pre(const parser::OpenMPSectionConstruct& d) {
        return Directive(ItemKind::kOmpSection, places_.LineBefore(d.source.begin(), "section"),
                         "section", nullptr);
    }
    bool Pre(const parser::OmpCriticalDirective& d) {
        Directive(ItemKind::kOmpBegin, d.source, "critical", &std::get<parser::OmpClauseList>(d.t));
        const auto& name = std::get<std::optional<parser::Name>>(d.t);
        Current().arguments = {name ? name->ToString() : ""};
        return true;
    }
    bool Pre(const parser::OmpEndCriticalDirective& d) {
        return Directive(ItemKind::kOmpEnd, d.source, "critical", nullptr);
    }
    bool Pre(const parser::OpenMPSimpleStandaloneConstruct& d) {
        const auto& directive = std::get<0>(d.t);
        return Directive(ItemKind::kOmpStandalone, d.source, Name(directive.v), &std::get<1>(d.t));
    }
    bool Pre(const parser::OpenMPFlushConstruct& d) {
        return Directive(ItemKind::kOmpStandalone, d.source, "flush", nullptr);
    }
    bool Pre(const parser::OpenMPCancelConstruct& d) {
        return Directive(ItemKind::kOmpStandalone, d.source, "cancel", nullptr);
    }
    bool Pre(const parser::OpenMPCancellationPointConstruct& d) {
        return Directive(ItemKind::kOmpStandalone, d.source, "cancellation point", nullptr);
    }
    bool Pre(const parser::OmpAtomicRead& d) { return Atomic(d); }
    void Post(const parser::OmpAtomicRead& d) { EndOfAtomic(d); }
    bool Pre(const parser::OmpAtomicWrite& d) { return Atomic(d); }
    void Post(const parser::OmpAtomicWrite& d) { EndOfAtomic(d); }
    bool Pre(const parser::OmpAtomicUpdate& d) { return Atomic(d); }
    void Post(const parser::OmpAtomicUpdate& d) { EndOfAtomic(d); }
    bool Pre(const parser::OmpAtomicCapture& d) { return Atomic(d); }
    void Post(const parser::OmpAtomicCapture& d) { EndOfAtomic(d); }
    bool Pre(const parser::OmpAtomic& d) { return Atomic(d); }
    void Post(const parser::OmpAtomic& d) { EndOfAtomic(d); }
    bool Pre(const parser::OpenMPThreadprivate& d) {
        return Directive(ItemKind::kOmpThreadprivate, d.source, "threadprivate", nullptr);
    }
    bool Pre(const parser::OpenMPDeclareTargetConstruct& d) {
        return Directive(ItemKind::kOmpDeclareTarget, d.source, "declare target", nullptr);
    }
    bool Pre(const parser::OpenMPExecutableAllocate& d) {
        return Directive(ItemKind::kOmpOther, d.source, "allocate", nullptr);
    }
    bool Pre(const parser::OpenMPAllocatorsConstruct& d) {
        return Directive(ItemKind::kOmpOther, d.source, "allocators", nullptr);
    }

private:
    Item& Current() { return model_.items.back(); }

    static std::string Name(llvm::omp::Directive directive) {
        return llvm::omp::getOpenMPDirectiveName(directive).str();
    }

    std::string Cooked(CharBlock block) const { return Collapse(block.ToString()); }

    void Fill(Item& item, CharBlock source) const {
        item.span = places_.Where(source, &item.in_macro);
        item.in_main_file = item.span.valid;
        item.text = source.ToString();
        if (source.size() > 0) {
            if (auto first = places_.Locate(source.begin())) {
                bool main = first->file == places_.file();
                auto position = first->file->GetSourcePosition(first->offset);
                item.file = main ? model_.path : *position.path;
                item.line = main ? position.trueLineNumber : position.line;
            }
        }
    }

    void NewStatement(CharBlock source, const std::optional<parser::Label>& label) {
        Item item;
        item.kind = interface_ > 0 ? ItemKind::kSpecification : ItemKind::kAction;
        item.label = label ? std::to_string(*label) : "";
        Fill(item, source);
        last_statement_ = source;
        model_.items.push_back(std::move(item));
    }

    bool Kind(ItemKind kind) {
        if (interface_ == 0) {
            Current().kind = kind;
        }
        return true;
    }
    bool OpenUnit(UnitKind unit) {
        AddUnitItem(ItemKind::kUnitOpen, unit);
        return true;
    }
    void CloseUnit(UnitKind unit) { AddUnitItem(ItemKind::kUnitClose, unit); }
    void AddUnitItem(ItemKind kind, UnitKind unit) {
        model_.items.emplace_back().kind = kind;
        Current().unit = unit;
    }
    bool UnitStatement(std::string name) {
        if (interface_ == 0) {
            Current().kind = ItemKind::kUnitStatement;
            Current().name = std::move(name);
        }
        return true;
    }
    bool EndOfProcedure() { return Kind(ItemKind::kEndUnit); }
    void Prefixes(const std::list<parser::PrefixSpec>& prefixes) {
        for (const parser::PrefixSpec& prefix : prefixes) {
            if (std::holds_alternative<parser::PrefixSpec::Pure>(prefix.u) ||
                std::holds_alternative<parser::PrefixSpec::Elemental>(prefix.u)) {
                Current().pure = true;
            }
        }
    }
    bool Target(parser::Label label) {
        Current().labels.push_back(std::to_string(label));
        return true;
    }
    bool ConstructName(const std::optional<parser::Name>& name) {
        Current().name = name ? name->ToString() : "";
        return true;
    }
    bool Open(const std::optional<parser::Name>& name) {
        Kind(ItemKind::kOpen);
        return ConstructName(name);
    }
    bool Loop(const std::optional<parser::LoopControl>& control) {
        LoopText& loop = Current().loop;
        if (!control) {
            loop.kind = LoopKind::kForever;
        } else if (const auto* bounds = std::get_if<parser::LoopControl::Bounds>(&control->u)) {
            loop.kind = LoopKind::kCounted;
            loop.variable = bounds->name.thing.ToString();
            loop.lower = Cooked(bounds->lower.thing.value().source);
            loop.upper = Cooked(bounds->upper.thing.value().source);
            loop.step = bounds->step ? Cooked(bounds->step->thing.value().source) : "";
        } else if (std::holds_alternative<parser::ScalarLogicalExpr>(control->u)) {
            loop.kind = LoopKind::kWhile;
        } else {
            loop.kind = LoopKind::kConcurrent;
        }
        return true;
    }

    bool Directive(ItemKind kind, CharBlock source, std::string name,
                   const parser::OmpClauseList* clauses) {
        Item item;
        item.kind = kind;
        item.name = std::move(name);
        Fill(item, source);
        if (clauses) {
            for (const parser::OmpClause& clause : clauses->v) {
                ClauseText text = SplitClause(clause.source.ToString());
                item.clauses.push_back(std::move(text));
            }
        }
        model_.items.push_back(std::move(item));
        return true;
    }

    template <typename T>
    bool Atomic(const T& directive) {
        return Directive(ItemKind::kOmpBegin, std::get<parser::Verbatim>(directive.t).source,
                         "atomic", nullptr);
    }
    // END ATOMIC has no place of its own in the tree: it is the next line of cooked text.
    template <typename T>
    void EndOfAtomic(const T&) {
        Directive(ItemKind::kOmpEnd, places_.LineAfter(last_statement_.end(), "endatomic"),
                  "atomic", nullptr);
    }

    SourceModel& model_;
    CookedPlaces places_;
    CharBlock last_statement_;
    int interface_ = 0;
};

}  // namespace

void ListItems(const parser::Program& program, const parser::AllCookedSources& cooked,
               const parser::SourceFile* file, SourceModel& model) {
    Lister lister(model, cooked, file);
    parser::Walk(program, lister);
}

}  // namespace comshu::fortran
