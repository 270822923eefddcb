#include "instrument/flang_objects.h"

#include "flang/Evaluate/tools.h"
#include "flang/Semantics/tools.h"

namespace comshu::fortran {
namespace {

namespace semantics = Fortran::semantics;
using Fortran::common::TypeCategory;

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

char CategoryOf(TypeCategory category) {
    switch (category) {
        case TypeCategory::Integer:
            return 'i';
        case TypeCategory::Real:
            return 'r';
        case TypeCategory::Complex:
            return 'c';
        case TypeCategory::Logical:
            return 'l';
        default:
            return 's';
    }
}

// Whether an argument TYPE(*) takes it: what has bindings, FINAL procedures or parameters it does not.
bool IsPlain(const semantics::DerivedTypeSpec& type) {
    if (!type.parameters().empty() || !type.scope()) {
        return false;
    }
    const auto* details = type.typeSymbol().detailsIf<semantics::DerivedTypeDetails>();
    if (!details || !details->finals().empty() || !details->paramNames().empty()) {
        return false;
    }
    for (const auto& [name, symbol] : *type.scope()) {
        if (symbol->has<semantics::ProcBindingDetails>() ||
            symbol->has<semantics::GenericDetails>()) {
            return false;
        }
        // What it extends, which is a component too.
        if (symbol->test(semantics::Symbol::Flag::ParentComp)) {
            const semantics::DeclTypeSpec* parent = symbol->GetType();
            if (!parent || !parent->AsDerived() || !IsPlain(*parent->AsDerived())) {
                return false;
            }
        }
    }
    return true;
}

// What is known of an array's elements from bounds that are constants.
void FindElements(const semantics::ObjectEntityDetails& object, DataSymbol* data) {
    data->sized = true;
    for (const semantics::ShapeSpec& dimension : object.shape()) {
        const auto& lower = dimension.lbound().GetExplicit();
        const auto& upper = dimension.ubound().GetExplicit();
        auto first = lower ? Fortran::evaluate::ToInt64(*lower) : std::nullopt;
        auto last = upper ? Fortran::evaluate::ToInt64(*upper) : std::nullopt;
        data->sized = data->sized && first && last && *first <= *last;
        data->empty = data->empty || (first && last && *first > *last);
    }
}

}  // namespace

int DataObjects::Counted(int index, const std::string& name) {
    if (index == kUnknown) {
        Unknown(name);
    }
    return index < 0 ? -1 : index;
}

int DataObjects::Index(const parser::Name& name) {
    if (!name.symbol) {
        Unknown(name.ToString());
        return -1;
    }
    const semantics::Symbol& symbol = name.symbol->GetUltimate();
    auto [found, inserted] = indexes_.emplace(std::pair(&symbol, name.ToString()), kUnknown);
    if (inserted && !IsDoubtful(symbol)) {
        found->second = Describe(symbol, name.ToString());
    }
    return Counted(found->second, name.ToString());
}

int DataObjects::PartIndex(const parser::Name& base, const std::string& path,
                           const parser::Name& component) {
    if (!base.symbol || !component.symbol) {
        Unknown(path);
        return -1;
    }
    const semantics::Symbol& symbol = base.symbol->GetUltimate();
    auto [found, inserted] = indexes_.emplace(std::pair(&symbol, path), kUnknown);
    if (inserted) {
        found->second = semantics::IsNamedConstant(symbol)
                            ? kNothing
                            : Describe(component.symbol->GetUltimate(), path);
        if (found->second >= 0) {
            DataSymbol& data = model_.symbols[found->second];
            data.part = true;
            data.local = true;
            data.optional = data.optional || semantics::IsOptional(symbol);
        }
    }
    return Counted(found->second, path);
}

int DataObjects::Describe(const semantics::Symbol& symbol, const std::string& name) {
    const auto* object = symbol.detailsIf<semantics::ObjectEntityDetails>();
    const auto* associate = symbol.detailsIf<semantics::AssocEntityDetails>();
    if ((!object && !associate) || semantics::IsNamedConstant(symbol)) {
        return kNothing;
    }
    const semantics::DeclTypeSpec* type = symbol.GetType();
    const semantics::IntrinsicTypeSpec* intrinsic = type ? type->AsIntrinsic() : nullptr;
    // Variables of implied loops are there inside of them alone.
    semantics::Scope::Kind kind = symbol.owner().kind();
    const semantics::DerivedTypeSpec* derived =
        type && !type->IsPolymorphic() ? type->AsDerived() : nullptr;
    if ((!intrinsic && !(derived && IsPlain(*derived))) ||
        (object && (object->IsAssumedRank() || object->IsCoarray())) ||
        (associate && associate->rank()) || kind == semantics::Scope::Kind::ImpliedDos ||
        kind == semantics::Scope::Kind::Forall) {
        return kUnknown;
    }
    DataSymbol data;
    data.name = name;
    data.derived = !intrinsic;
    if (intrinsic) {
        data.category = CategoryOf(intrinsic->category());
        data.kind = static_cast<int>(Fortran::evaluate::ToInt64(intrinsic->kind()).value_or(0));
        data.bytes = BytesOf(*type, *intrinsic, data.kind);
    }
    data.rank = symbol.Rank();
    data.deferred = semantics::IsAllocatableOrPointer(symbol);
    data.pointer = semantics::IsPointer(symbol);
    data.dummy = semantics::IsDummy(symbol);
    data.optional = semantics::IsOptional(symbol);
    // What a BLOCK or another construct declares cannot be named at the start of the unit, nor what need
    // not be there.
    data.local =
        data.optional || semantics::IsFunctionResult(symbol) ||
        (kind != semantics::Scope::Kind::MainProgram &&
         kind != semantics::Scope::Kind::Subprogram && kind != semantics::Scope::Kind::Module);
    data.saved = symbol.attrs().test(semantics::Attr::SAVE);
    if (object) {
        FindElements(*object, &data);
        data.assumed_size = data.rank > 0 && object->shape().back().ubound().isStar();
        if (object->commonBlock()) {
            std::string block = object->commonBlock()->name().ToString();
            data.common = block.empty() ? "//" : block;
        }
    }
    if (auto place = places_.Locate(symbol.name().begin())) {
        auto position = place->file->GetSourcePosition(place->offset);
        bool own = place->file == places_.file() && *position.path == place->file->path();
        data.file = own ? model_.path : *position.path;
        data.line = position.line;
    }
    model_.symbols.push_back(std::move(data));
    return static_cast<int>(model_.symbols.size()) - 1;
}

}  // namespace comshu::fortran
