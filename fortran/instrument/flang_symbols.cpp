#include "instrument/flang_symbols.h"

#include <filesystem>
#include <map>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "flang/Common/default-kinds.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"

#include "instrument/cooked_text.h"
#include "instrument/flang_passes.h"
#include "instrument/flang_pieces.h"
#include "instrument/flang_references.h"
#include "instrument/flang_statements.h"
#include "instrument/tree_visitor.h"

namespace comshu::fortran {
namespace {

namespace semantics = Fortran::semantics;
using Fortran::common::Indirection;
using Fortran::common::TypeCategory;

// Which statements read and write what.
class AccessLister : public TreeVisitor {
public:
    AccessLister(SourceModel& model, const CookedPlaces& places)
        : objects_(model, places), places_(places) {
        for (std::size_t i = 0; i < model.items.size(); ++i) {
            if (model.items[i].in_main_file && !model.items[i].in_macro) {
                items_.emplace(model.items[i].span.begin, &model.items[i]);
            }
        }
    }

    using TreeVisitor::Pre;
    bool Pre(const parser::UseStmt& use) {
        if (!use.moduleName.symbol) {
            objects_.SetModulesMissing();
        }
        return false;
    }
    bool Pre(const parser::InterfaceBlock&) { return false; }
    bool Pre(const parser::WhereConstruct& construct) {
        Construct(std::get<parser::Statement<parser::WhereConstructStmt>>(construct.t).source,
                  construct);
        return false;
    }
    bool Pre(const parser::ForallConstruct& construct) {
        Construct(std::get<parser::Statement<parser::ForallConstructStmt>>(construct.t).source,
                  construct);
        return false;
    }
    // No call may stand inside of a DO CONCURRENT.
    bool Pre(const parser::DoConstruct& construct) {
        if (construct.IsDoConcurrent()) {
            CountUnknown(objects_, construct);
            return false;
        }
        return true;
    }
    bool Pre(const parser::Statement<parser::ActionStmt>& statement) {
        Action(statement.source, statement.statement);
        return false;
    }
    // Of ATOMIC constructs.
    bool Pre(const parser::Statement<parser::AssignmentStmt>& statement) {
        Assignment(statement.source, statement.statement);
        return false;
    }
    bool Pre(const parser::Statement<parser::IfThenStmt>& statement) {
        Condition(statement.source, std::get<parser::ScalarLogicalExpr>(statement.statement.t));
        return false;
    }
    bool Pre(const parser::Statement<parser::ElseIfStmt>& statement) {
        Condition(statement.source, std::get<parser::ScalarLogicalExpr>(statement.statement.t));
        return false;
    }
    bool Pre(const parser::Statement<parser::SelectCaseStmt>& statement) {
        Decide(statement.source,
               std::get<parser::Scalar<parser::Expr>>(statement.statement.t).thing);
        return false;
    }
    bool Pre(const parser::Statement<parser::NonLabelDoStmt>& statement) {
        Loop(statement.source, std::get<std::optional<parser::LoopControl>>(statement.statement.t));
        return false;
    }
    bool Pre(const parser::Statement<parser::LabelDoStmt>& statement) {
        Loop(statement.source, std::get<std::optional<parser::LoopControl>>(statement.statement.t));
        return false;
    }
    bool Pre(const parser::Statement<parser::SubroutineStmt>& statement) {
        With(statement.source, [&](References& references) {
            for (const auto& argument :
                 std::get<std::list<parser::DummyArg>>(statement.statement.t)) {
                if (const auto* name = std::get_if<parser::Name>(&argument.u)) {
                    references.Add(*name);
                }
            }
        });
        return false;
    }
    bool Pre(const parser::Statement<parser::FunctionStmt>& statement) {
        With(statement.source, [&](References& references) {
            for (const parser::Name& name :
                 std::get<std::list<parser::Name>>(statement.statement.t)) {
                references.Add(name);
            }
        });
        return false;
    }

private:
    Item* ItemAt(parser::CharBlock source) const {
        bool macro = false;
        Span span = places_.Where(source, &macro);
        auto found = span.valid && !macro ? items_.find(span.begin) : items_.end();
        return found == items_.end() ? nullptr : found->second;
    }

    // `gather(references)` for the statement's accesses, if it has a place of its own.
    template <typename Gatherer>
    void With(parser::CharBlock source, Gatherer gather) {
        if (Item* item = ItemAt(source)) {
            References references(objects_, item->accesses);
            gather(references);
        }
    }

    template <typename T>
    void Construct(parser::CharBlock source, const T& construct) {
        if (Item* item = ItemAt(source)) {
            Gather(objects_, *item, construct);
        }
    }

    void Condition(parser::CharBlock source, const parser::ScalarLogicalExpr& condition) {
        Decide(source, condition.thing.thing.value());
    }

    void Decide(parser::CharBlock source, const parser::Expr& expression) {
        Item* item = ItemAt(source);
        if (!item) {
            return;
        }
        References references(objects_, item->accesses);
        references.GatherCalls(&item->calls);
        references.Read(expression);
        if (item->calls.empty()) {
            return;
        }
        Decision& decision = item->decision;
        bool macro = false;
        decision.span = places_.Where(expression.source, &macro);
        decision.span.valid &= !macro && StandsInParentheses(expression.source);
        decision.text = Collapse(expression.source.ToString());
        const auto* typed = expression.typedExpr.get();
        auto type = typed && typed->v ? typed->v->GetType() : std::nullopt;
        if (type) {
            decision.category = type->category() == TypeCategory::Logical   ? 'l'
                                : type->category() == TypeCategory::Integer ? 'i'
                                                                            : 0;
        }
    }

    // As the text of the statement has it, which goes on before and behind.
    static bool StandsInParentheses(parser::CharBlock text) {
        const char* before = text.begin() - 1;
        while (*before == ' ') {
            --before;
        }
        const char* behind = text.end();
        while (*behind == ' ') {
            ++behind;
        }
        return *before == '(' && *behind == ')';
    }

    void Loop(parser::CharBlock source, const std::optional<parser::LoopControl>& control) {
        if (!control) {
            return;
        }
        if (const auto* bounds = std::get_if<parser::LoopControl::Bounds>(&control->u)) {
            With(source, [&](References& references) {
                references.Read(bounds->lower.thing.value());
                references.Read(bounds->upper.thing.value());
                if (bounds->step) {
                    references.Read(bounds->step->thing.value());
                }
            });
        } else if (const auto* condition = std::get_if<parser::ScalarLogicalExpr>(&control->u)) {
            Condition(source, *condition);
        }
    }

    void Action(parser::CharBlock source, const parser::ActionStmt& action) {
        std::visit([&](const auto& statement) { Action(source, action, statement); }, action.u);
    }
    template <typename T>
    void Action(parser::CharBlock source, const parser::ActionStmt& action,
                const Indirection<T>& statement) {
        One(source, action, statement.value());
    }
    template <typename T>
    void Action(parser::CharBlock, const parser::ActionStmt&, const T&) {}

    template <typename T>
    void One(parser::CharBlock source, const parser::ActionStmt& action, const T& statement) {
        constexpr bool kIsIo =
            std::is_same_v<T, parser::BackspaceStmt> || std::is_same_v<T, parser::CloseStmt> ||
            std::is_same_v<T, parser::EndfileStmt> || std::is_same_v<T, parser::FlushStmt> ||
            std::is_same_v<T, parser::InquireStmt> || std::is_same_v<T, parser::OpenStmt> ||
            std::is_same_v<T, parser::PrintStmt> || std::is_same_v<T, parser::ReadStmt> ||
            std::is_same_v<T, parser::RewindStmt> || std::is_same_v<T, parser::WaitStmt> ||
            std::is_same_v<T, parser::WriteStmt>;
        if constexpr (kIsIo) {
            if (Item* item = ItemAt(source)) {
                References references(objects_, item->accesses);
                if constexpr (std::is_same_v<T, parser::PrintStmt> ||
                              std::is_same_v<T, parser::WriteStmt>) {
                    references.GatherCalls(&item->calls);
                }
                GatherIo(objects_, references, action);
                OrderWrites(objects_, item->accesses);
            }
        } else if constexpr (std::is_same_v<T, parser::WhereStmt> ||
                             std::is_same_v<T, parser::ForallStmt>) {
            Construct(source, statement);
        }
    }
    void One(parser::CharBlock source, const parser::ActionStmt&, const parser::IfStmt& statement) {
        Condition(source, std::get<parser::ScalarLogicalExpr>(statement.t));
        const auto& inner = std::get<parser::UnlabeledStatement<parser::ActionStmt>>(statement.t);
        Action(inner.source, inner.statement);
    }
    void One(parser::CharBlock source, const parser::ActionStmt&,
             const parser::AssignmentStmt& statement) {
        Assignment(source, statement);
    }
    void Assignment(parser::CharBlock source, const parser::AssignmentStmt& statement) {
        if (Item* item = ItemAt(source)) {
            References references(objects_, item->accesses);
            references.GatherCalls(&item->calls);
            GatherAssignment(references, statement);
        }
    }
    void One(parser::CharBlock source, const parser::ActionStmt&,
             const parser::CallStmt& statement) {
        if (Item* item = ItemAt(source)) {
            References references(objects_, item->accesses);
            references.GatherCalls(&item->calls);
            references.Arguments(statement.call);
        }
    }
    void One(parser::CharBlock source, const parser::ActionStmt&,
             const parser::AllocateStmt& statement) {
        for (const auto& allocation : std::get<std::list<parser::Allocation>>(statement.t)) {
            Object(source, std::get<parser::AllocateObject>(allocation.t));
        }
    }
    void One(parser::CharBlock source, const parser::ActionStmt&,
             const parser::DeallocateStmt& statement) {
        for (const auto& object : std::get<std::list<parser::AllocateObject>>(statement.t)) {
            Object(source, object);
        }
    }
    void One(parser::CharBlock source, const parser::ActionStmt&,
             const parser::ComputedGotoStmt& statement) {
        With(source, [&](References& references) {
            references.Read(std::get<parser::ScalarIntExpr>(statement.t).thing.thing.value());
        });
    }
    void One(parser::CharBlock source, const parser::ActionStmt&,
             const parser::ArithmeticIfStmt& statement) {
        With(source,
             [&](References& references) { references.Read(std::get<parser::Expr>(statement.t)); });
    }
    void Object(parser::CharBlock source, const parser::AllocateObject& object) {
        if (const auto* name = std::get_if<parser::Name>(&object.u)) {
            With(source, [&](References& references) { references.Add(*name); });
        }
    }

    DataObjects objects_;
    const CookedPlaces& places_;
    std::map<std::size_t, Item*> items_;
};

// Functions that nothing but their type declares, and dummy procedures that nothing declares.
class ExternalLister : public TreeVisitor {
public:
    ExternalLister(SourceModel& model, const CookedPlaces& places)
        : model_(model), places_(places) {}

    using TreeVisitor::Pre;
    bool Pre(const parser::FunctionReference& reference) {
        Add(std::get<parser::ProcedureDesignator>(reference.v.t));
        return true;
    }
    bool Pre(const parser::CallStmt& statement) {
        Add(std::get<parser::ProcedureDesignator>(statement.call.t));
        return true;
    }

private:
    void Add(const parser::ProcedureDesignator& procedure) {
        const auto* name = std::get_if<parser::Name>(&procedure.u);
        if (!name || !name->symbol) {
            return;
        }
        const auto* details = name->symbol->detailsIf<semantics::ProcEntityDetails>();
        bool intrinsic = name->symbol->attrs().test(semantics::Attr::INTRINSIC);
        if (!intrinsic && (!details || details->procInterface() ||
                           (name->symbol->attrs().test(semantics::Attr::EXTERNAL) &&
                            !name->symbol->implicitAttrs().test(semantics::Attr::EXTERNAL)))) {
            return;
        }
        bool macro = false;
        Span span = places_.Where(name->source, &macro);
        if (span.valid) {
            (intrinsic ? model_.typed_intrinsics : model_.typed_externals)
                .push_back({span.begin, name->ToString()});
        }
    }

    SourceModel& model_;
    const CookedPlaces& places_;
};

// Flang looks for modules in the current folder before all others. The compiler's have the same names and
// another form, so where Flang resolves names its own must be in that place: while this lives, the
// current folder is .comshu-modules in the user's, or one without modules.
class AmongFlangModules {
public:
    AmongFlangModules() : users_(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (users_ >= 0 && chdir(".comshu-modules") != 0 && chdir("/") != 0) {
            close(users_);
            users_ = -1;
        }
    }
    AmongFlangModules(const AmongFlangModules&) = delete;
    AmongFlangModules& operator=(const AmongFlangModules&) = delete;
    ~AmongFlangModules() {
        if (users_ >= 0) {
            static_cast<void>(!fchdir(users_));
            close(users_);
        }
    }

private:
    int users_;
};

}  // namespace

void ReadSymbols(parser::Program& program, parser::AllCookedSources& cooked,
                 const Fortran::common::LanguageFeatureControl& features,
                 const CookedPlaces& places, const ReadOptions& options, SourceModel& model) {
    Fortran::common::IntrinsicTypeDefaultKinds kinds;
    if (options.default_integer == 8) {
        kinds.set_defaultIntegerKind(8).set_defaultLogicalKind(8);
    }
    if (options.default_real == 8) {
        kinds.set_defaultRealKind(8);
    }
    std::error_code ignored;
    const std::filesystem::path output = std::filesystem::absolute(
        (options.module_output.empty() ? "." : options.module_output) + "/.comshu-modules",
        ignored);
    std::vector<std::string> modules;
    if (!options.module_output.empty()) {
        std::filesystem::create_directories(output, ignored);
        modules.push_back(output);
    }
    std::vector<std::string> found = options.include_directories;
    if (!options.module_input.empty()) {
        found.insert(found.begin(), options.module_input);
    }
    for (const std::string& directory : found) {
        modules.push_back(std::filesystem::absolute(directory + "/.comshu-modules", ignored));
    }
    semantics::SemanticsContext context(kinds, features, cooked);
    context.set_searchDirectories(modules)
        .set_intrinsicModuleDirectories({COMSHU_FLANG_MODULES})
        .set_moduleDirectory(options.module_output.empty() ? "/dev/null" : output.string());
    const AmongFlangModules folder;
    const bool resolved = ResolveProgram(context, program);
    semantics::ExprChecker types(context);
    AccessLister lister(model, places);
    ExternalLister externals(model, places);
    Pieces([&](const auto& piece) {
        if (resolved) {
            parser::Walk(piece, types);
        }
        parser::Walk(piece, lister);
        parser::Walk(piece, externals);
    }).Take(program);
    if (resolved) {
        WriteModules(context);
    }
}

}  // namespace comshu::fortran
