#include "instrument/flang_references.h"

#include <list>
#include <optional>
#include <set>
#include <utility>

#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Semantics/tools.h"

#include "instrument/cooked_text.h"
#include "instrument/tree_visitor.h"

namespace comshu::fortran {
namespace {

namespace semantics = Fortran::semantics;
using Fortran::common::Indirection;

// Intrinsics that ask about their argument without reading it.
const std::set<std::string> kInquiries{
    "allocated",     "associated", "bit_size", "c_loc",        "digits", "epsilon",
    "huge",          "kind",       "lbound",   "len",          "loc",    "maxexponent",
    "minexponent",   "precision",  "present",  "radix",        "range",  "rank",
    "shape",         "size",       "sizeof",   "storage_size", "tiny",   "ubound",
    "is_contiguous", "c_sizeof"};

const parser::Designator* DesignatorOf(const parser::Expr& expression) {
    const auto* designator = std::get_if<Indirection<parser::Designator>>(&expression.u);
    return designator ? &designator->value() : nullptr;
}

const parser::DataRef& DataOf(const parser::Designator& designator) {
    // A part of a character variable counts as the whole.
    const auto* data = std::get_if<parser::DataRef>(&designator.u);
    return data ? *data : std::get<parser::DataRef>(std::get<parser::Substring>(designator.u).t);
}

bool IsDerived(const parser::Expr& expression) {
    const auto* typed = expression.typedExpr.get();
    auto type = typed && typed->v ? typed->v->GetType() : std::nullopt;
    return type && type->category() == Fortran::common::TypeCategory::Derived;
}

class UnknownCounter : public TreeVisitor {
public:
    explicit UnknownCounter(DataObjects& objects) : objects_(objects) {}
    using TreeVisitor::Pre;
    bool Pre(const parser::Designator& designator) {
        objects_.Unknown(Collapse(designator.source.ToString()));
        return false;
    }

private:
    DataObjects& objects_;
};

// Gathers what an expression reads.
class Reads : public TreeVisitor {
public:
    Reads(DataObjects& objects, References& references, bool guarded)
        : objects_(objects), references_(references), guarded_(guarded) {}

    using TreeVisitor::Pre;
    bool Pre(const parser::Designator& designator) {
        if (!references_.IsLoopVariable(designator)) {
            references_.Add(designator, false, guarded_);
        }
        return true;
    }
    bool Pre(const parser::FunctionReference& reference) {
        const parser::Name* name = NameOf(reference);
        if (name && kInquiries.count(name->ToString())) {
            return false;
        }
        if (IsIntrinsic(name)) {
            references_.OutsideMask(IsElemental(name) ? 0 : 1);
            return true;
        }
        references_.OutsideMask(1);
        bool told = !guarded_ && references_.Call(reference);
        // A function need not read an array that it is given, nor need that be there.
        for (const auto& argument : std::get<std::list<parser::ActualArgSpec>>(reference.v.t)) {
            const auto* expression =
                std::get_if<Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
            if (!expression) {
                continue;
            }
            const parser::Designator* designator = DesignatorOf(expression->value());
            bool whole = designator && (IsArray(expression->value()) || NeedNotBe(*designator) ||
                                        (told && IsDerived(expression->value())));
            if (!whole) {
                parser::Walk(expression->value(), *this);
            } else if (!told) {
                objects_.Unknown(Collapse(expression->value().source.ToString()));
            }
        }
        references_.OutsideMask(-1);
        return false;
    }
    using TreeVisitor::Post;
    void Post(const parser::FunctionReference& reference) {
        const parser::Name* name = NameOf(reference);
        // Those of inquiries and of the program's own functions end above.
        if (IsIntrinsic(name) && !kInquiries.count(name->ToString())) {
            references_.OutsideMask(IsElemental(name) ? 0 : -1);
        }
    }
    bool Pre(const parser::AcImpliedDo& loop) {
        const auto& control = std::get<parser::AcImpliedDoControl>(loop.t);
        const auto& bounds = std::get<parser::AcImpliedDoControl::Bounds>(control.t);
        const parser::Expr* step = bounds.step ? &bounds.step->thing.thing.value() : nullptr;
        const parser::Expr& first = bounds.lower.thing.thing.value();
        const parser::Expr& last = bounds.upper.thing.thing.value();
        if (guarded_ || !references_.OpenLoop(bounds.name.thing.thing, first, last, step)) {
            UnknownCounter counter(objects_);
            parser::Walk(loop, counter);
            return false;
        }
        parser::Walk(std::get<std::list<parser::AcValue>>(loop.t), *this);
        references_.CloseLoop();
        parser::Walk(bounds.lower, *this);
        parser::Walk(bounds.upper, *this);
        parser::Walk(bounds.step, *this);
        return false;
    }

private:
    static bool IsElemental(const parser::Name* name) {
        return name->symbol->attrs().test(semantics::Attr::ELEMENTAL);
    }
    static bool NeedNotBe(const parser::Designator& designator) {
        const auto* data = std::get_if<parser::DataRef>(&designator.u);
        const auto* name = data ? std::get_if<parser::Name>(&data->u) : nullptr;
        return name && name->symbol &&
               (semantics::IsOptional(name->symbol->GetUltimate()) ||
                semantics::IsAllocatableOrPointer(name->symbol->GetUltimate()));
    }

    DataObjects& objects_;
    References& references_;
    bool guarded_;
};

const semantics::SubprogramDetails* InterfaceOf(const semantics::Symbol& procedure) {
    if (const auto* details = procedure.detailsIf<semantics::SubprogramDetails>()) {
        return details;
    }
    const auto* entity = procedure.detailsIf<semantics::ProcEntityDetails>();
    const semantics::Symbol* interface = entity ? entity->procInterface() : nullptr;
    return interface ? interface->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
}

// Whether a POINTER that is this argument has a target, or is known to have none: whether it has cannot be
// asked of one that was never set, and such a one is for dummy arguments alone that are POINTERs too. Those
// of procedures without an interface are none.
bool NeedsTarget(const parser::Name* name, const parser::ActualArgSpec& argument, int position) {
    if (!name || !name->symbol || IsIntrinsic(name)) {
        return false;
    }
    const semantics::Symbol& procedure = name->symbol->GetUltimate();
    const semantics::SubprogramDetails* interface = InterfaceOf(procedure);
    if (!interface) {
        const auto* entity = procedure.detailsIf<semantics::ProcEntityDetails>();
        return entity && !entity->procInterface();
    }
    const auto& keyword = std::get<std::optional<parser::Keyword>>(argument.t);
    int at = 0;
    for (const semantics::Symbol* dummy : interface->dummyArgs()) {
        ++at;
        if (dummy && (keyword ? dummy->name() == keyword->v.source : at == position)) {
            return !semantics::IsPointer(*dummy);
        }
    }
    return false;
}

// What follows .AND. or .OR. need not be evaluated, so its addresses may not exist.
bool MayShortCut(const parser::Expr& expression) {
    std::string text = Collapse(expression.source.ToString());
    return text.find(".and.") != std::string::npos || text.find(".or.") != std::string::npos;
}

}  // namespace

template <typename T>
void CountUnknown(DataObjects& objects, const T& tree) {
    UnknownCounter counter(objects);
    parser::Walk(tree, counter);
}
template void CountUnknown(DataObjects&, const parser::OutputImpliedDo&);
template void CountUnknown(DataObjects&, const parser::InputImpliedDo&);
template void CountUnknown(DataObjects&, const parser::AssignmentStmt&);
template void CountUnknown(DataObjects&, const parser::ForallStmt&);
template void CountUnknown(DataObjects&, const parser::ForallConstruct&);
template void CountUnknown(DataObjects&, const parser::WhereStmt&);
template void CountUnknown(DataObjects&, const parser::WhereConstruct&);
template void CountUnknown(DataObjects&, const parser::DoConstruct&);

bool References::IsLoopVariable(const parser::Designator& designator) const {
    const auto* data = std::get_if<parser::DataRef>(&designator.u);
    const auto* name = data ? std::get_if<parser::Name>(&data->u) : nullptr;
    return name && loops_.Find(*name) >= 0;
}

bool References::Add(const parser::Designator& designator, bool write, bool guarded, int position,
                     bool plain, bool associated) {
    auto unknown = [&] {
        objects_.Unknown(Collapse(designator.source.ToString()));
        return false;
    };
    Reference reference(objects_, loops_);
    if (!fortran::Append(DataOf(designator), &reference)) {
        return unknown();
    }
    Access access;
    bool part = reference.last != reference.base;
    access.symbol = part ? objects_.PartIndex(*reference.base, reference.path, *reference.last)
                         : objects_.Index(*reference.base);
    if (access.symbol < 0) {
        return false;
    }
    const DataSymbol& symbol = objects_.At(access.symbol);
    if (symbol.derived && !plain) {
        return unknown();
    }
    bool whole = reference.rank > 0;
    access.element = reference.subscripted && !whole;
    access.whole = whole || (symbol.derived && position == 0);
    bool certain = !reference.selects && !access.whole && !symbol.deferred && !symbol.optional;
    bool loose = reference.all_loops.size() > loops_.loops().size();
    bool masked = mask_ > 0 && outside_mask_ == 0;
    if ((guarded && !certain) || (loose && (position > 0 || masked)) ||
        (whole && symbol.assumed_size && !reference.subscripted && position == 0)) {
        return unknown();
    }
    access.text = reference.text;
    if (whole) {
        access.first = reference.first;
        int rank = reference.subscripted ? 0 : reference.last->symbol->GetUltimate().Rank();
        for (int i = 1; i <= rank; ++i) {
            access.first += (i == 1 ? "(" : ",") + ("lbound(" + reference.first + ",") +
                            std::to_string(i) + ")" + (i == rank ? ")" : "");
        }
    }
    access.write = write;
    access.position = position;
    access.associated = associated;
    access.loops = std::move(reference.all_loops);
    if (masked && reference.rank == mask_rank_) {
        access.mask = mask_;
    }
    Append(std::move(access));
    return true;
}

void References::Append(Access access) {
    access.when = when_;
    for (const Access& other : accesses_) {
        if (other.text == access.text && other.write == access.write &&
            other.position == access.position && other.loops == access.loops &&
            other.when == access.when && other.mask == access.mask) {
            return;
        }
    }
    accesses_.push_back(std::move(access));
}

void References::Add(const parser::Name& name) {
    int symbol = objects_.Index(name);
    if (symbol >= 0) {
        Access access;
        access.symbol = symbol;
        access.text = name.ToString();
        accesses_.push_back(std::move(access));
    }
}

void References::Read(const parser::Expr& expression) {
    Reads reads(objects_, *this, MayShortCut(expression));
    parser::Walk(expression, reads);
}

void References::ReadValue(const parser::Expr& expression) {
    const parser::Designator* designator = DesignatorOf(expression);
    if (!designator) {
        Read(expression);
        return;
    }
    if (!IsLoopVariable(*designator)) {
        Add(*designator, false, false, 0, true);
        Reads reads(objects_, *this, false);
        parser::Walk(designator->u, reads);
    }
}

void References::Touch(const parser::Variable& variable, bool write, bool plain) {
    const auto* designator = std::get_if<Indirection<parser::Designator>>(&variable.u);
    if (!designator) {
        return;
    }
    Add(designator->value(), write, false, 0, plain);
    // Subscripts, of every part.
    Reads reads(objects_, *this, false);
    parser::Walk(designator->value().u, reads);
}

void References::Arguments(const parser::Call& call) {
    const auto* name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    int position = 0;
    for (const auto& argument : std::get<std::list<parser::ActualArgSpec>>(call.t)) {
        ++position;
        const auto* expression =
            std::get_if<Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
        if (!expression) {
            continue;
        }
        if (const parser::Designator* designator = DesignatorOf(expression->value())) {
            Add(*designator, false, false, position, true, NeedsTarget(name, argument, position));
        } else {
            Read(expression->value());
        }
    }
}

bool References::Call(const parser::FunctionReference& reference) {
    const parser::Name* name = NameOf(reference);
    const semantics::Symbol* symbol = name && name->symbol ? &name->symbol->GetUltimate() : nullptr;
    if (!calls_ || InLoop() || !symbol || objects_.IsDoubtful(*symbol) ||
        !semantics::IsProcedure(*symbol) || semantics::IsStmtFunction(*symbol)) {
        return false;
    }
    FunctionCall call;
    call.name = name->ToString();
    References inside(objects_, call.arguments);
    for (const auto& argument : std::get<std::list<parser::ActualArgSpec>>(reference.v.t)) {
        ++call.rank;
        const auto* expression =
            std::get_if<Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
        if (const auto* designator = expression ? DesignatorOf(expression->value()) : nullptr) {
            inside.Add(*designator, false, false, call.rank, true,
                       NeedsTarget(name, argument, call.rank));
        }
    }
    calls_->push_back(std::move(call));
    return true;
}

bool References::OpenLoop(const parser::Name& variable, const parser::Expr& first,
                          const parser::Expr& last, const parser::Expr* step) {
    auto first_text = PlainText(objects_, loops_, first);
    auto last_text = PlainText(objects_, loops_, last);
    auto step_text = step ? PlainText(objects_, loops_, *step) : std::string();
    constexpr std::size_t kMostLoops = 7;
    const semantics::Symbol* symbol = variable.symbol ? &variable.symbol->GetUltimate() : nullptr;
    const semantics::DeclTypeSpec* type = symbol ? symbol->GetType() : nullptr;
    const semantics::IntrinsicTypeSpec* intrinsic = type ? type->AsIntrinsic() : nullptr;
    auto kind = intrinsic ? Fortran::evaluate::ToInt64(intrinsic->kind()) : std::nullopt;
    if (!first_text || !last_text || !step_text || !kind || loops_.loops().size() >= kMostLoops) {
        return false;
    }
    loops_.Push(symbol, {*first_text, *last_text, *step_text, static_cast<int>(*kind)});
    return true;
}

bool References::When(const parser::Expr& condition) {
    auto text = PlainText(objects_, loops_, condition);
    when_ = text.value_or("");
    return text.has_value();
}

}  // namespace comshu::fortran
