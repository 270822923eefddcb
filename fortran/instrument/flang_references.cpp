#include "instrument/flang_references.h"

#include <list>
#include <optional>
#include <set>

#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Semantics/tools.h"

#include "instrument/cooked_text.h"

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

// Intrinsics that may be worked out once more in a subscript.
const std::set<std::string> kSubscriptIntrinsics{
    "abs",   "ceiling", "floor", "iand",   "ibits",    "ieor",  "int",   "ior",
    "ishft", "kind",    "len",   "lbound", "len_trim", "max",   "merge", "min",
    "mod",   "modulo",  "nint",  "sign",   "size",     "ubound"};

const parser::Name* NameOf(const parser::FunctionReference& reference) {
    return std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(reference.v.t).u);
}

bool IsIntrinsic(const parser::Name* name) {
    return name && name->symbol && name->symbol->attrs().test(semantics::Attr::INTRINSIC);
}

bool IsArray(const parser::Expr& expression) {
    const auto* typed = expression.typedExpr.get();
    return typed && typed->v && typed->v->Rank() > 0;
}

// Whether an expression may be evaluated once more as part of an address.
class PlainSubscript {
public:
    explicit PlainSubscript(const DataObjects& objects) : objects_(objects) {}
    template <typename T>
    bool Pre(const T&) {
        return plain_;
    }
    template <typename T>
    void Post(const T&) {}
    bool Pre(const parser::FunctionReference& reference) {
        const parser::Name* name = NameOf(reference);
        return plain_ = plain_ && IsIntrinsic(name) && kSubscriptIntrinsics.count(name->ToString());
    }
    bool Pre(const parser::AcImpliedDo&) { return plain_ = false; }
    bool Pre(const parser::SubscriptTriplet&) { return plain_ = false; }
    bool Pre(const parser::ArrayElement& element) {
        if (const auto* name = std::get_if<parser::Name>(&element.base.u)) {
            plain_ = plain_ && IsKnown(*name);
        } else {
            parser::Walk(element.base, *this);
        }
        parser::Walk(element.subscripts, *this);
        return false;
    }
    bool Pre(const parser::Name& name) {
        plain_ = plain_ && IsKnown(name) && (is_typed_ || name.symbol->GetUltimate().Rank() == 0);
        return false;
    }

    bool operator()(const parser::Expr& expression) {
        const auto* typed = expression.typedExpr.get();
        is_typed_ = typed && typed->v;
        parser::Walk(expression, *this);
        return plain_ && !IsArray(expression);
    }

private:
    // Variables of implied loops mean nothing outside of them.
    bool IsKnown(const parser::Name& name) const {
        return name.symbol && !objects_.IsDoubtful(name.symbol->GetUltimate()) &&
               name.symbol->GetUltimate().owner().kind() != semantics::Scope::Kind::ImpliedDos;
    }

    const DataObjects& objects_;
    bool plain_ = true;
    bool is_typed_ = false;  // where not, an array may stand where none is expected
};

// A reference as text, and what it means.
struct Reference {
    explicit Reference(const DataObjects& known) : objects(known) {}

    const DataObjects& objects;
    const parser::Name* base = nullptr;
    const parser::Name* last = nullptr;  // the base, or a component
    std::string text;
    std::string path;          // without subscripts
    bool subscripted = false;  // the last one
    bool selects = false;  // any subscript, or a component behind something that need not be there
    int rank = 0;
};

bool Append(const parser::DataRef& data, Reference* reference);

bool AppendComponent(const parser::StructureComponent& part, Reference* reference) {
    if (!Append(part.base, reference) || !part.component.symbol || !reference->last->symbol) {
        return false;
    }
    const semantics::Symbol& before = reference->last->symbol->GetUltimate();
    reference->selects |= semantics::IsAllocatableOrPointer(before);
    reference->text += "%" + part.component.ToString();
    reference->path += "%" + part.component.ToString();
    reference->last = &part.component;
    reference->subscripted = false;
    reference->rank += part.component.symbol->GetUltimate().Rank();
    return true;
}

bool AppendSubscript(const parser::Expr& expression, Reference* reference) {
    if (!PlainSubscript(reference->objects)(expression)) {
        return false;
    }
    reference->text += Collapse(expression.source.ToString());
    return true;
}

bool AppendTriplet(const parser::SubscriptTriplet& triplet, Reference* reference) {
    auto bound = [&](const std::optional<parser::Subscript>& value) {
        return !value || AppendSubscript(value->thing.thing.value(), reference);
    };
    if (!bound(std::get<0>(triplet.t))) {
        return false;
    }
    reference->text += ":";
    if (!bound(std::get<1>(triplet.t))) {
        return false;
    }
    if (std::get<2>(triplet.t)) {
        reference->text += ":";
    }
    ++reference->rank;
    return bound(std::get<2>(triplet.t));
}

bool AppendElement(const parser::ArrayElement& element, Reference* reference) {
    if (!Append(element.base, reference) || !reference->last->symbol || reference->subscripted) {
        return false;
    }
    int rank = reference->last->symbol->GetUltimate().Rank();
    if (rank != static_cast<int>(element.subscripts.size())) {
        return false;
    }
    reference->rank -= rank;
    reference->subscripted = true;
    reference->selects = true;
    char before = '(';
    for (const parser::SectionSubscript& subscript : element.subscripts) {
        reference->text += before;
        before = ',';
        const auto* index = std::get_if<parser::IntExpr>(&subscript.u);
        if (!(index ? AppendSubscript(index->thing.value(), reference)
                    : AppendTriplet(std::get<parser::SubscriptTriplet>(subscript.u), reference))) {
            return false;
        }
    }
    reference->text += ")";
    return true;
}

// False: it cannot be told.
bool Append(const parser::DataRef& data, Reference* reference) {
    if (const auto* name = std::get_if<parser::Name>(&data.u)) {
        reference->base = reference->last = name;
        reference->text = reference->path = name->ToString();
        reference->rank = name->symbol ? name->symbol->GetUltimate().Rank() : 0;
        return true;
    }
    if (const auto* part = std::get_if<Indirection<parser::StructureComponent>>(&data.u)) {
        return AppendComponent(part->value(), reference);
    }
    const auto* element = std::get_if<Indirection<parser::ArrayElement>>(&data.u);
    return element && AppendElement(element->value(), reference);
}

// Gathers what an expression reads.
class Reads {
public:
    Reads(DataObjects& objects, References& references, bool guarded)
        : objects_(objects), references_(references), guarded_(guarded) {}

    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
    bool Pre(const parser::Designator& designator) {
        references_.Add(designator, false, guarded_);
        return true;
    }
    bool Pre(const parser::FunctionReference& reference) {
        const parser::Name* name = NameOf(reference);
        if (name && kInquiries.count(name->ToString())) {
            return false;
        }
        if (IsIntrinsic(name)) {
            return true;
        }
        // A function need not read an array that it is given, nor need that be there.
        for (const auto& argument : std::get<std::list<parser::ActualArgSpec>>(reference.v.t)) {
            const auto* expression =
                std::get_if<Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
            if (!expression) {
                continue;
            }
            const auto* designator =
                std::get_if<Indirection<parser::Designator>>(&expression->value().u);
            if (designator && (IsArray(expression->value()) || NeedNotBe(designator->value()))) {
                objects_.Unknown(Collapse(expression->value().source.ToString()));
            } else {
                parser::Walk(expression->value(), *this);
            }
        }
        return false;
    }
    bool Pre(const parser::AcImpliedDo& loop);

private:
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

class UnknownCounter {
public:
    explicit UnknownCounter(DataObjects& objects) : objects_(objects) {}
    template <typename T>
    bool Pre(const T&) {
        return true;
    }
    template <typename T>
    void Post(const T&) {}
    bool Pre(const parser::Designator& designator) {
        objects_.Unknown(Collapse(designator.source.ToString()));
        return false;
    }

private:
    DataObjects& objects_;
};

bool Reads::Pre(const parser::AcImpliedDo& loop) {
    CountUnknown(objects_, loop);
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
template void CountUnknown(DataObjects&, const parser::ActionStmt&);
template void CountUnknown(DataObjects&, const parser::WhereConstruct&);

bool References::Add(const parser::Designator& designator, bool write, bool guarded, int position) {
    const auto* data = std::get_if<parser::DataRef>(&designator.u);
    // A part of a character variable counts as the whole.
    if (!data) {
        data = &std::get<parser::DataRef>(std::get<parser::Substring>(designator.u).t);
    }
    auto unknown = [&] {
        objects_.Unknown(Collapse(designator.source.ToString()));
        return false;
    };
    Reference reference(objects_);
    if (!Append(*data, &reference)) {
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
    access.whole = reference.rank > 0;
    access.element = reference.subscripted && !access.whole;
    bool certain = !reference.selects && !access.whole && !symbol.deferred && !symbol.optional;
    if ((guarded && !certain) ||
        (access.whole && (position > 0 || (symbol.assumed_size && !reference.subscripted)))) {
        return unknown();
    }
    access.text = reference.text;
    access.write = write;
    access.position = position;
    for (const Access& other : accesses_) {
        if (other.text == access.text && other.write == write && other.position == position) {
            return true;
        }
    }
    accesses_.push_back(std::move(access));
    return true;
}

void References::Add(const parser::Name& name, int position) {
    int symbol = objects_.Index(name);
    if (symbol >= 0) {
        Access access;
        access.symbol = symbol;
        access.text = name.ToString();
        access.element = position > 0 && objects_.At(symbol).rank > 0;
        access.position = position;
        accesses_.push_back(std::move(access));
    }
}

void References::Read(const parser::Expr& expression) {
    Reads reads(objects_, *this, MayShortCut(expression));
    parser::Walk(expression, reads);
}

void References::Write(const parser::Variable& variable) {
    Touch(variable, true);
}

void References::Touch(const parser::Variable& variable, bool write) {
    const auto* designator = std::get_if<Indirection<parser::Designator>>(&variable.u);
    if (!designator) {
        return;
    }
    Add(designator->value(), write, false);
    // Subscripts, of every part.
    Reads reads(objects_, *this, false);
    const auto* data = std::get_if<parser::DataRef>(&designator->value().u);
    if (data) {
        parser::Walk(*data, reads);
    } else {
        parser::Walk(std::get<parser::Substring>(designator->value().u), reads);
    }
}

void References::Argument(const parser::Expr& expression, int position) {
    const auto* designator = std::get_if<Indirection<parser::Designator>>(&expression.u);
    if (!designator) {
        Read(expression);
        return;
    }
    const auto* data = std::get_if<parser::DataRef>(&designator->value().u);
    const auto* name = data ? std::get_if<parser::Name>(&data->u) : nullptr;
    if (name) {
        Add(*name, position);
    } else {
        Add(designator->value(), false, false, position);
    }
}

}  // namespace comshu::fortran
