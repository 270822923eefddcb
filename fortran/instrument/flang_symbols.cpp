#include "instrument/flang_symbols.h"

#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "flang/Common/default-kinds.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

namespace comshu::fortran {
namespace {

namespace semantics = Fortran::semantics;
using Fortran::common::Indirection;
using Fortran::common::TypeCategory;

// Intrinsics that ask about their argument without reading it.
const std::set<std::string> kInquiries{
    "allocated",     "associated", "bit_size", "c_loc",        "digits", "epsilon",
    "huge",          "kind",       "lbound",   "len",          "loc",    "maxexponent",
    "minexponent",   "precision",  "present",  "radix",        "range",  "rank",
    "shape",         "size",       "sizeof",   "storage_size", "tiny",   "ubound",
    "is_contiguous", "c_sizeof"};

// 0: it is not a constant.
int BytesOf(const semantics::DeclTypeSpec& type, const semantics::IntrinsicTypeSpec& intrinsic,
            int kind) {
    // REAL(3) is a kind of two bytes, REAL(10) one that takes sixteen.
    int real = kind == 3 ? 2 : kind == 10 ? 16 : kind;
    switch (intrinsic.category()) {
        case TypeCategory::Integer:
        case TypeCategory::Logical:
            return kind;
        case TypeCategory::Real:
            return real;
        case TypeCategory::Complex:
            return 2 * real;
        default:
            break;
    }
    if (type.category() != semantics::DeclTypeSpec::Character) {
        return 0;
    }
    const auto& length = type.characterTypeSpec().length().GetExplicit();
    std::int64_t characters = length ? Fortran::evaluate::ToInt64(*length).value_or(0) : 0;
    return characters > 0 && characters <= 4096 ? static_cast<int>(characters) * kind : 0;
}

// Which symbols the statements mean.
class Symbols {
public:
    Symbols(SourceModel& model, const CookedPlaces& places) : model_(model), places_(places) {}

    // Index of a data object that accesses can be told of; -1 for everything else.
    int Index(const parser::Name& name) {
        if (!name.symbol) {
            Unknown(name.ToString());
            return -1;
        }
        const semantics::Symbol& symbol = name.symbol->GetUltimate();
        auto [found, inserted] = indexes_.emplace(&symbol, -1);
        if (modules_missing_ && symbol.test(semantics::Symbol::Flag::Implicit)) {
            Unknown(name.ToString());
        } else if (inserted) {
            found->second = Describe(symbol);
        }
        return found->second;
    }
    const DataSymbol& At(int index) const { return model_.symbols[index]; }
    // A module that the source uses could not be read: what has no declaration may be of it, whatever the
    // implicit types say.
    void SetModulesMissing() { modules_missing_ = true; }

    void Unknown(const std::string& name) {
        ++model_.unknown_accesses;
        model_.unknown.insert(name);
    }

private:
    int Describe(const semantics::Symbol& symbol) {
        const auto* object = symbol.detailsIf<semantics::ObjectEntityDetails>();
        const semantics::DeclTypeSpec* type = object ? symbol.GetType() : nullptr;
        const semantics::IntrinsicTypeSpec* intrinsic = type ? type->AsIntrinsic() : nullptr;
        if (!intrinsic || semantics::IsNamedConstant(symbol) || semantics::IsOptional(symbol) ||
            semantics::IsFunctionResult(symbol) || object->IsAssumedRank() || object->IsCoarray()) {
            return -1;
        }
        // What a BLOCK or another construct declares cannot be named at the start of the unit.
        semantics::Scope::Kind kind = symbol.owner().kind();
        if (kind != semantics::Scope::Kind::MainProgram &&
            kind != semantics::Scope::Kind::Subprogram && kind != semantics::Scope::Kind::Module) {
            return -1;
        }
        DataSymbol data;
        data.name = symbol.name().ToString();
        switch (intrinsic->category()) {
            case TypeCategory::Integer:
                data.category = 'i';
                break;
            case TypeCategory::Real:
                data.category = 'r';
                break;
            case TypeCategory::Complex:
                data.category = 'c';
                break;
            case TypeCategory::Logical:
                data.category = 'l';
                break;
            default:
                data.category = 's';
                break;
        }
        data.kind = static_cast<int>(Fortran::evaluate::ToInt64(intrinsic->kind()).value_or(0));
        data.rank = symbol.Rank();
        data.bytes = BytesOf(*type, *intrinsic, data.kind);
        data.deferred = semantics::IsAllocatableOrPointer(symbol);
        data.dummy = semantics::IsDummy(symbol);
        data.saved = symbol.attrs().test(semantics::Attr::SAVE);
        data.assumed_size = data.rank > 0 && object->shape().back().ubound().isStar();
        if (object->commonBlock()) {
            data.common = object->commonBlock()->name().ToString();
        }
        if (auto place = places_.Locate(symbol.name().begin())) {
            data.file = place->file == places_.file() ? model_.path : place->file->path();
            data.line = place->file->GetSourcePosition(place->offset).line;
        }
        model_.symbols.push_back(std::move(data));
        return static_cast<int>(model_.symbols.size()) - 1;
    }

    SourceModel& model_;
    const CookedPlaces& places_;
    std::map<const semantics::Symbol*, int> indexes_;
    bool modules_missing_ = false;
};

// Whether an expression may be evaluated once more as part of an address: no function is called, and
// it is a scalar.
class PlainSubscript {
public:
    explicit PlainSubscript(Symbols& symbols) : symbols_(symbols) {}
    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
    bool Pre(const parser::FunctionReference&) { return plain_ = false; }
    bool Pre(const parser::ArrayElement& element) {
        parser::Walk(element.subscripts, *this);
        return false;
    }
    bool Pre(const parser::StructureComponent&) { return plain_ = false; }
    bool Pre(const parser::SubscriptTriplet&) { return plain_ = false; }
    bool Pre(const parser::Name& name) {
        if (name.symbol && name.symbol->GetUltimate().Rank() > 0) {
            plain_ = false;
        }
        return false;
    }
    bool plain() const { return plain_; }

private:
    Symbols& symbols_;
    bool plain_ = true;
};

// Gathers what an expression reads.
class Reads {
public:
    Reads(Symbols& symbols, std::vector<Access>& accesses, bool elements)
        : symbols_(symbols), accesses_(accesses), elements_(elements) {}

    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
    bool Pre(const parser::Designator& designator) {
        Add(designator, false);
        return true;
    }
    bool Pre(const parser::FunctionReference& reference) {
        const auto* name =
            std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(reference.v.t).u);
        return !name || !kInquiries.count(name->ToString());
    }

    // False: it is nothing that can be told.
    bool Add(const parser::Designator& designator, bool write, int position = 0) {
        Access access;
        access.write = write;
        access.position = position;
        const parser::DataRef* reference = std::get_if<parser::DataRef>(&designator.u);
        if (!reference) {
            // A part of a character variable counts as the whole.
            const auto& substring = std::get<parser::Substring>(designator.u);
            reference = &std::get<parser::DataRef>(substring.t);
            if (!std::holds_alternative<parser::Name>(reference->u)) {
                symbols_.Unknown(Collapse(designator.source.ToString()));
                return false;
            }
        }
        if (const auto* name = std::get_if<parser::Name>(&reference->u)) {
            access.symbol = symbols_.Index(*name);
            access.text = name->ToString();
            // What need not be looked at need not be allocated either.
            bool whole =
                access.symbol >= 0 && (symbols_.At(access.symbol).rank > 0 ||
                                       (!elements_ && symbols_.At(access.symbol).deferred));
            if (access.symbol < 0 || whole) {
                if (whole) {
                    symbols_.Unknown(access.text);
                }
                return false;
            }
        } else if (const auto* element =
                       std::get_if<Indirection<parser::ArrayElement>>(&reference->u)) {
            if (!Element(element->value(), &access)) {
                symbols_.Unknown(Collapse(designator.source.ToString()));
                return false;
            }
        } else {
            symbols_.Unknown(Collapse(designator.source.ToString()));
            return false;
        }
        for (const Access& other : accesses_) {
            if (other.text == access.text && other.write == access.write && position == 0) {
                return true;
            }
        }
        accesses_.push_back(std::move(access));
        return true;
    }

private:
    bool Element(const parser::ArrayElement& element, Access* access) {
        const auto* name = std::get_if<parser::Name>(&element.base.u);
        if (!name || !elements_) {
            return false;
        }
        access->symbol = symbols_.Index(*name);
        if (access->symbol < 0 ||
            symbols_.At(access->symbol).rank != static_cast<int>(element.subscripts.size())) {
            return false;
        }
        access->element = true;
        access->text = name->ToString() + "(";
        for (const parser::SectionSubscript& subscript : element.subscripts) {
            const auto* expression = std::get_if<parser::IntExpr>(&subscript.u);
            if (!expression) {
                return false;
            }
            PlainSubscript plain(symbols_);
            parser::Walk(*expression, plain);
            if (!plain.plain()) {
                return false;
            }
            bool first = access->text.back() == '(';
            access->text +=
                (first ? "" : ",") + Collapse(expression->thing.value().source.ToString());
        }
        access->text += ")";
        return true;
    }

    Symbols& symbols_;
    std::vector<Access>& accesses_;
    bool elements_;
};

// What follows .AND. or .OR. need not be evaluated, so its addresses may not exist.
bool MayShortCut(const parser::CharBlock& source) {
    std::string text = Collapse(source.ToString());
    return text.find(".and.") != std::string::npos || text.find(".or.") != std::string::npos;
}

class AccessLister {
public:
    AccessLister(SourceModel& model, const CookedPlaces& places)
        : symbols_(model, places), places_(places) {
        for (std::size_t i = 0; i < model.items.size(); ++i) {
            if (model.items[i].in_main_file && !model.items[i].in_macro) {
                items_.emplace(model.items[i].span.begin, &model.items[i]);
            }
        }
    }

    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
    bool Pre(const parser::UseStmt& use) {
        if (!use.moduleName.symbol) {
            symbols_.SetModulesMissing();
        }
        return false;
    }
    bool Pre(const parser::InterfaceBlock&) { return false; }
    bool Pre(const parser::Statement<parser::ActionStmt>& statement) {
        Action(statement.source, statement.statement);
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
    bool Pre(const parser::Statement<parser::SubroutineStmt>& statement) {
        for (const auto& argument : std::get<std::list<parser::DummyArg>>(statement.statement.t)) {
            if (const auto* name = std::get_if<parser::Name>(&argument.u)) {
                Dummy(statement.source, *name);
            }
        }
        return false;
    }
    bool Pre(const parser::Statement<parser::FunctionStmt>& statement) {
        for (const parser::Name& name : std::get<std::list<parser::Name>>(statement.statement.t)) {
            Dummy(statement.source, name);
        }
        return false;
    }

private:
    std::vector<Access>* Accesses(parser::CharBlock source) {
        bool macro = false;
        Span span = places_.Where(source, &macro);
        auto found = span.valid && !macro ? items_.find(span.begin) : items_.end();
        return found == items_.end() ? nullptr : &found->second->accesses;
    }

    void Dummy(parser::CharBlock source, const parser::Name& name) {
        std::vector<Access>* accesses = Accesses(source);
        int symbol = accesses ? symbols_.Index(name) : -1;
        if (symbol >= 0) {
            accesses->push_back({symbol, name.ToString(), false, false, 0});
        }
    }

    void Condition(parser::CharBlock source, const parser::ScalarLogicalExpr& condition) {
        if (std::vector<Access>* accesses = Accesses(source)) {
            const parser::Expr& expression = condition.thing.thing.value();
            Reads reads(symbols_, *accesses, !MayShortCut(expression.source));
            parser::Walk(expression, reads);
        }
    }

    void Action(parser::CharBlock source, const parser::ActionStmt& action) {
        if (const auto* s = std::get_if<Indirection<parser::IfStmt>>(&action.u)) {
            Condition(source, std::get<parser::ScalarLogicalExpr>(s->value().t));
            const auto& inner =
                std::get<parser::UnlabeledStatement<parser::ActionStmt>>(s->value().t);
            Action(inner.source, inner.statement);
        } else if (const auto* s = std::get_if<Indirection<parser::AssignmentStmt>>(&action.u)) {
            Assignment(source, s->value());
        } else if (const auto* s = std::get_if<Indirection<parser::CallStmt>>(&action.u)) {
            Call(source, s->value());
        } else if (const auto* s = std::get_if<Indirection<parser::AllocateStmt>>(&action.u)) {
            for (const parser::Allocation& allocation :
                 std::get<std::list<parser::Allocation>>(s->value().t)) {
                Object(source, std::get<parser::AllocateObject>(allocation.t));
            }
        } else if (const auto* s = std::get_if<Indirection<parser::DeallocateStmt>>(&action.u)) {
            for (const parser::AllocateObject& object :
                 std::get<std::list<parser::AllocateObject>>(s->value().t)) {
                Object(source, object);
            }
        }
    }

    void Assignment(parser::CharBlock source, const parser::AssignmentStmt& statement) {
        std::vector<Access>* accesses = Accesses(source);
        if (!accesses) {
            return;
        }
        const parser::Expr& value = std::get<parser::Expr>(statement.t);
        Reads reads(symbols_, *accesses, !MayShortCut(value.source));
        const auto& variable = std::get<parser::Variable>(statement.t);
        if (const auto* designator = std::get_if<Indirection<parser::Designator>>(&variable.u)) {
            Reads target(symbols_, *accesses, true);
            target.Add(designator->value(), true);
            if (const auto* reference = std::get_if<parser::DataRef>(&designator->value().u)) {
                if (const auto* element =
                        std::get_if<Indirection<parser::ArrayElement>>(&reference->u)) {
                    parser::Walk(element->value().subscripts, reads);
                }
            }
        }
        parser::Walk(value, reads);
    }

    void Call(parser::CharBlock source, const parser::CallStmt& statement) {
        std::vector<Access>* accesses = Accesses(source);
        if (!accesses) {
            return;
        }
        int position = 0;
        for (const auto& argument : std::get<std::list<parser::ActualArgSpec>>(statement.call.t)) {
            ++position;
            const auto* expression =
                std::get_if<Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
            if (!expression) {
                continue;
            }
            const auto* designator =
                std::get_if<Indirection<parser::Designator>>(&expression->value().u);
            if (!designator) {
                continue;
            }
            const auto* reference = std::get_if<parser::DataRef>(&designator->value().u);
            const auto* name = reference ? std::get_if<parser::Name>(&reference->u) : nullptr;
            if (name && name->symbol) {
                int symbol = symbols_.Index(*name);
                if (symbol >= 0) {
                    bool array = symbols_.At(symbol).rank > 0;
                    accesses->push_back({symbol, name->ToString(), array, false, position});
                }
            } else {
                Reads reads(symbols_, *accesses, true);
                reads.Add(designator->value(), false, position);
            }
        }
    }

    void Object(parser::CharBlock source, const parser::AllocateObject& object) {
        std::vector<Access>* accesses = Accesses(source);
        const auto* name = std::get_if<parser::Name>(&object.u);
        int symbol = accesses && name ? symbols_.Index(*name) : -1;
        if (symbol >= 0) {
            accesses->push_back({symbol, name->ToString(), false, false, 0});
        }
    }

    Symbols symbols_;
    const CookedPlaces& places_;
    std::map<std::size_t, Item*> items_;
};

// Functions that nothing but their type declares, and dummy procedures that nothing declares.
class ExternalLister {
public:
    ExternalLister(SourceModel& model, const CookedPlaces& places)
        : model_(model), places_(places) {}

    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
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
        const auto* details = name && name->symbol
                                  ? name->symbol->detailsIf<semantics::ProcEntityDetails>()
                                  : nullptr;
        if (!details || details->procInterface() ||
            name->symbol->attrs().test(semantics::Attr::EXTERNAL) ||
            name->symbol->attrs().test(semantics::Attr::INTRINSIC)) {
            return;
        }
        bool macro = false;
        Span span = places_.Where(name->source, &macro);
        if (span.valid) {
            model_.typed_externals.push_back({span.begin, name->ToString()});
        }
    }

    SourceModel& model_;
    const CookedPlaces& places_;
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
    // Flang's compiled modules have names of their own places: the compiler's have the same names.
    std::vector<std::string> modules;
    std::string output =
        (options.module_output.empty() ? "." : options.module_output) + "/.comshu-modules";
    if (!options.module_output.empty()) {
        std::error_code ignored;
        std::filesystem::create_directories(output, ignored);
        modules.push_back(output);
    }
    for (const std::string& directory : options.include_directories) {
        modules.push_back(directory + "/.comshu-modules");
    }
    semantics::SemanticsContext context(kinds, features, cooked);
    context.set_searchDirectories(modules)
        .set_intrinsicModuleDirectories({COMSHU_FLANG_MODULES})
        .set_moduleDirectory(options.module_output.empty() ? "/dev/null" : output);
    semantics::Semantics pass(context, program);
    pass.Perform();
    AccessLister lister(model, places);
    parser::Walk(program, lister);
    ExternalLister externals(model, places);
    parser::Walk(program, externals);
}

}  // namespace comshu::fortran
