#include "instrument/flang_designators.h"

#include <algorithm>
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

// Intrinsics that may be worked out once more in a subscript.
const std::set<std::string> kSubscriptIntrinsics{
    "abs",   "ceiling", "floor", "iand",   "ibits",    "ieor",  "int",   "ior",
    "ishft", "kind",    "len",   "lbound", "len_trim", "max",   "merge", "min",
    "mod",   "modulo",  "nint",  "sign",   "size",     "ubound"};

// Whether an expression may be evaluated once more as part of an address.
class PlainSubscript : public TreeVisitor {
public:
    PlainSubscript(const DataObjects& objects, const LoopStack& loops)
        : objects_(objects), loops_(loops) {}

    using TreeVisitor::Pre;
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
        if (int loop = loops_.Find(name); loop >= 0) {
            marks_.emplace_back(name.source, loop);
            return false;
        }
        plain_ = plain_ && IsKnown(name) && (is_typed_ || name.symbol->GetUltimate().Rank() == 0);
        return false;
    }

    bool operator()(const parser::Expr& expression) {
        const auto* typed = expression.typedExpr.get();
        is_typed_ = typed && typed->v;
        parser::Walk(expression, *this);
        return plain_ && !IsArray(expression);
    }

    std::string Text(const parser::Expr& expression) {
        std::sort(marks_.begin(), marks_.end(), [](const auto& left, const auto& right) {
            return left.first.begin() < right.first.begin();
        });
        std::string text;
        const char* at = expression.source.begin();
        for (const auto& [source, loop] : marks_) {
            text += Collapse(std::string(at, source.begin())) + LoopMark(loop);
            at = source.end();
        }
        return text + Collapse(std::string(at, expression.source.end()));
    }

private:
    // Variables of implied loops mean nothing outside of them.
    bool IsKnown(const parser::Name& name) const {
        if (!name.symbol || objects_.IsDoubtful(name.symbol->GetUltimate())) {
            return false;
        }
        semantics::Scope::Kind kind = name.symbol->GetUltimate().owner().kind();
        return kind != semantics::Scope::Kind::ImpliedDos && kind != semantics::Scope::Kind::Forall;
    }

    const DataObjects& objects_;
    const LoopStack& loops_;
    std::vector<std::pair<CharBlock, int>> marks_;
    bool plain_ = true;
    bool is_typed_ = false;  // where not, an array may stand where none is expected
};

bool AppendComponent(const parser::StructureComponent& part, Reference* reference) {
    if (!Append(part.base, reference) || !part.component.symbol || !reference->last->symbol) {
        return false;
    }
    const semantics::Symbol& before = reference->last->symbol->GetUltimate();
    reference->selects |= semantics::IsAllocatableOrPointer(before);
    std::string component = "%" + part.component.ToString();
    reference->text += component;
    reference->first += component;
    reference->path += component;
    reference->last = &part.component;
    reference->subscripted = false;
    reference->rank += part.component.symbol->GetUltimate().Rank();
    return true;
}

// A vector: the variable of rank one alone that it is.
const parser::Name* VectorOf(const parser::Expr& expression, const DataObjects& objects) {
    const auto* designator = std::get_if<Indirection<parser::Designator>>(&expression.u);
    const auto* data = designator ? std::get_if<parser::DataRef>(&designator->value().u) : nullptr;
    const auto* name = data ? std::get_if<parser::Name>(&data->u) : nullptr;
    bool known = name && name->symbol && !objects.IsDoubtful(name->symbol->GetUltimate());
    return known && name->symbol->GetUltimate().Rank() == 1 ? name : nullptr;
}

bool AppendSubscript(const parser::Expr& expression, Reference* reference) {
    if (auto text = PlainText(reference->objects, reference->loops, expression)) {
        reference->text += *text;
        reference->first += *text;
        return true;
    }
    const parser::Name* vector = VectorOf(expression, reference->objects);
    if (!vector) {
        return false;
    }
    std::string name = vector->ToString();
    reference->text += name + "(" + LoopMark(reference->all_loops.size()) + ")";
    reference->first += name + "(lbound(" + name + ",1))";
    reference->all_loops.push_back({"lbound(" + name + ",1)", "ubound(" + name + ",1)", "", 8});
    return true;
}

// Dimension `dimension` of the array `array`.
bool AppendTriplet(const parser::SubscriptTriplet& triplet, const std::string& array, int dimension,
                   Reference* reference) {
    auto bound = [&](const std::optional<parser::Subscript>& value) -> std::optional<std::string> {
        if (!value) {
            return "";
        }
        return PlainText(reference->objects, reference->loops, value->thing.thing.value());
    };
    auto lower = bound(std::get<0>(triplet.t));
    auto upper = bound(std::get<1>(triplet.t));
    auto step = bound(std::get<2>(triplet.t));
    if (!lower || !upper || !step) {
        return false;
    }
    reference->text += *lower + ":" + *upper + (step->empty() ? "" : ":" + *step);
    std::string bounds = array + "," + std::to_string(dimension) + ")";
    if (!lower->empty()) {
        reference->first += *lower;
    } else if (step->empty()) {
        reference->first += "lbound(" + bounds;
    } else {
        // Where a step goes down the section begins above.
        reference->first += "merge(lbound(" + bounds + ",ubound(" + bounds + "," + *step + ".gt.0)";
    }
    ++reference->rank;
    return true;
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
    std::string array = reference->first;
    char before = '(';
    int dimension = 0;
    for (const parser::SectionSubscript& subscript : element.subscripts) {
        reference->text += before;
        reference->first += before;
        before = ',';
        ++dimension;
        const auto* index = std::get_if<parser::IntExpr>(&subscript.u);
        if (!(index ? AppendSubscript(index->thing.value(), reference)
                    : AppendTriplet(std::get<parser::SubscriptTriplet>(subscript.u), array,
                                    dimension, reference))) {
            return false;
        }
    }
    reference->text += ")";
    reference->first += ")";
    return true;
}

}  // namespace

int LoopStack::Find(const parser::Name& name) const {
    if (!name.symbol) {
        return -1;
    }
    for (int i = static_cast<int>(variables_.size()) - 1; i >= 0; --i) {
        if (variables_[i] == &name.symbol->GetUltimate()) {
            return i;
        }
    }
    return -1;
}

std::string LoopMark(std::size_t loop) {
    return {kLoopMark, static_cast<char>('a' + loop)};
}

std::optional<std::string> PlainText(const DataObjects& objects, const LoopStack& loops,
                                     const parser::Expr& expression) {
    PlainSubscript plain(objects, loops);
    if (!plain(expression)) {
        return std::nullopt;
    }
    return plain.Text(expression);
}

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

bool Append(const parser::DataRef& data, Reference* reference) {
    if (const auto* name = std::get_if<parser::Name>(&data.u)) {
        // The variable of a loop that the statement makes is no object of its own.
        if (reference->loops.Find(*name) >= 0) {
            return false;
        }
        reference->base = reference->last = name;
        reference->text = reference->first = reference->path = name->ToString();
        reference->rank = name->symbol ? name->symbol->GetUltimate().Rank() : 0;
        return true;
    }
    if (const auto* part = std::get_if<Indirection<parser::StructureComponent>>(&data.u)) {
        return AppendComponent(part->value(), reference);
    }
    const auto* element = std::get_if<Indirection<parser::ArrayElement>>(&data.u);
    return element && AppendElement(element->value(), reference);
}

}  // namespace comshu::fortran
