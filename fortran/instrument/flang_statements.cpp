#include "instrument/flang_statements.h"

#include <algorithm>
#include <list>
#include <set>
#include <variant>

#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Semantics/tools.h"

#include "instrument/cooked_text.h"
#include "instrument/tree_visitor.h"

namespace comshu::fortran {
namespace {

namespace semantics = Fortran::semantics;
using Fortran::common::Indirection;
using Names = std::set<std::string>;

Names NamesOf(const std::string& text) {
    std::vector<std::string> names = NamesIn(text);
    return Names(names.begin(), names.end());
}

template <typename T>
Names NamesBelow(const T& tree) {
    struct Collector : TreeVisitor {
        using TreeVisitor::Pre;
        bool Pre(const parser::Name& name) {
            names.insert(name.ToString());
            return true;
        }
        Names names;
    } collector;
    parser::Walk(tree, collector);
    return collector.names;
}

bool Meet(const Names& one, const Names& other) {
    return std::any_of(one.begin(), one.end(),
                       [&](const std::string& name) { return other.count(name) > 0; });
}

std::string BaseOf(const Access& access) {
    return access.text.substr(0, access.text.find_first_of("(%"));
}

// What its address depends on.
Names UsedBy(const Access& access) {
    std::string all = access.text.substr(BaseOf(access).size());
    for (const AccessLoop& loop : access.loops) {
        all += "," + loop.first + "," + loop.last + "," + loop.step;
    }
    std::string text = all + "," + access.when;
    for (std::size_t at; (at = text.find(kLoopMark)) != std::string::npos;) {
        text.replace(at, 2, "1");
    }
    return NamesOf(text);
}

template <typename Loop>
bool OpenImplied(References& references, const Loop& bounds) {
    return references.OpenLoop(bounds.name.thing.thing, bounds.lower.thing.thing.value(),
                               bounds.upper.thing.thing.value(),
                               bounds.step ? &bounds.step->thing.thing.value() : nullptr);
}

template <typename Loop>
void ReadBounds(References& references, const Loop& bounds) {
    references.Read(bounds.lower.thing.thing.value());
    references.Read(bounds.upper.thing.thing.value());
    if (bounds.step) {
        references.Read(bounds.step->thing.thing.value());
    }
}

// Specifiers and lists, wherever they stand in a statement.
class IoGatherer : public TreeVisitor {
public:
    IoGatherer(DataObjects& objects, References& references, bool output)
        : objects_(objects), references_(references), output_(output) {}

    using TreeVisitor::Pre;
    bool Pre(const parser::Expr& expression) {
        references_.Read(expression);
        return false;
    }
    bool Pre(const parser::Variable& variable) {
        references_.Write(variable);
        return false;
    }
    // Written where something fails alone.
    bool Pre(const parser::MsgVariable&) { return false; }
    bool Pre(const parser::StatVariable& variable) {
        has_status_ = true;
        references_.Write(variable.v.thing.thing);
        return false;
    }
    // A character variable is the file itself.
    bool Pre(const parser::IoUnit& unit) {
        if (const auto* variable = std::get_if<parser::Variable>(&unit.u)) {
            const auto* typed = variable->typedExpr.get();
            bool file =
                typed && typed->v &&
                std::holds_alternative<Fortran::evaluate::Expr<Fortran::evaluate::SomeCharacter>>(
                    typed->v->u);
            references_.Touch(*variable, output_ && file);
            return false;
        }
        return true;
    }
    bool Pre(const parser::OutputItem& item) {
        if (const auto* expression = std::get_if<parser::Expr>(&item.u)) {
            references_.ReadValue(*expression);
            return false;
        }
        const auto& loop = std::get<Indirection<parser::OutputImpliedDo>>(item.u).value();
        Implied<parser::OutputItem>(loop);
        return false;
    }
    bool Pre(const parser::InputItem& item) {
        if (const auto* variable = std::get_if<parser::Variable>(&item.u)) {
            const auto* designator = std::get_if<Indirection<parser::Designator>>(&variable->u);
            if (!designator || !references_.IsLoopVariable(designator->value())) {
                references_.Write(*variable, true);
            }
            return false;
        }
        const auto& loop = std::get<Indirection<parser::InputImpliedDo>>(item.u).value();
        // At the end of the file it writes less, and need not have room for more.
        if (has_status_) {
            CountUnknown(objects_, loop);
        } else {
            Implied<parser::InputItem>(loop);
        }
        return false;
    }

private:
    template <typename Part, typename Loop>
    void Implied(const Loop& loop) {
        const auto& bounds = std::get<parser::IoImpliedDoControl>(loop.t);
        if (!OpenImplied(references_, bounds)) {
            CountUnknown(objects_, loop);
            return;
        }
        parser::Walk(std::get<std::list<Part>>(loop.t), *this);
        references_.CloseLoop();
        ReadBounds(references_, bounds);
    }

    DataObjects& objects_;
    References& references_;
    bool output_;
    bool has_status_ = false;
};

bool IsDefined(const parser::AssignmentStmt& statement) {
    const auto* assignment = semantics::GetAssignment(statement);
    return !assignment || std::holds_alternative<Fortran::evaluate::ProcedureRef>(assignment->u);
}

// Statements of a WHERE or FORALL construct in order. `usable`: none uses what one before it has written.
class OrderCheck {
public:
    void Uses(const Names& names) { usable_ = usable_ && !Meet(names, written_); }
    void Assignment(const parser::AssignmentStmt& statement) {
        const auto& variable = std::get<parser::Variable>(statement.t);
        Names left = NamesBelow(variable);
        std::string base = NamesIn(Collapse(variable.GetSource().ToString())).front();
        left.erase(base);
        // The variable's own name in its subscripts.
        std::string text = Collapse(variable.GetSource().ToString());
        if (NamesOf(text.substr(base.size())).count(base)) {
            usable_ = false;
        }
        Uses(left);
        Uses(NamesBelow(std::get<parser::Expr>(statement.t)));
        written_.insert(base);
        subscripts_.insert(left.begin(), left.end());
    }
    // What addresses behind the construct depend on is still as it was.
    bool usable(const Names& bounds) const {
        return usable_ && !Meet(written_, subscripts_) && !Meet(written_, bounds);
    }
    const Names& written() const { return written_; }

private:
    Names written_;
    Names subscripts_;
    bool usable_ = true;
};

// Whether a mask may be worked out once more: it calls intrinsics without side effects alone. `safe`: and where
// it is not worked out for all elements otherwise it cannot go wrong for one.
class PlainMask : public TreeVisitor {
public:
    PlainMask(const DataObjects& objects, bool safe) : objects_(objects), safe_(safe) {}
    using TreeVisitor::Pre;
    bool Pre(const parser::FunctionReference& reference) {
        const parser::Name* name = NameOf(reference);
        plain_ = plain_ && !safe_ && IsIntrinsic(name) &&
                 (name->symbol->attrs().test(semantics::Attr::PURE) ||
                  name->symbol->attrs().test(semantics::Attr::ELEMENTAL));
        return plain_;
    }
    bool Pre(const parser::Expr::Divide&) { return plain_ = plain_ && !safe_; }
    bool Pre(const parser::Expr::Power&) { return plain_ = plain_ && !safe_; }
    bool Pre(const parser::Name& name) {
        plain_ = plain_ && name.symbol && !objects_.IsDoubtful(name.symbol->GetUltimate());
        return plain_;
    }
    bool operator()(const parser::Expr& expression) {
        parser::Walk(expression, *this);
        if (!plain_ || !IsArray(expression)) {
            return false;
        }
        // Operators may be functions of the program's own.
        for (const semantics::Symbol& symbol :
             Fortran::evaluate::CollectSymbols(*expression.typedExpr.get()->v)) {
            if (semantics::IsProcedure(symbol)) {
                return false;
            }
        }
        return true;
    }

private:
    const DataObjects& objects_;
    bool safe_;
    bool plain_ = true;
};

const parser::Expr& MaskOf(const parser::LogicalExpr& mask) {
    return mask.thing.value();
}

int RankOf(const parser::Expr& expression) {
    const auto* typed = expression.typedExpr.get();
    return typed && typed->v ? typed->v->Rank() : 0;
}

using Body = std::list<parser::WhereBodyConstruct>;

// The parts of a WHERE construct: masks and what stands under each.
struct WherePart {
    const parser::Expr* mask = nullptr;  // of ELSEWHERE alone: none
    const Body* body = nullptr;
};

std::vector<WherePart> PartsOf(const parser::WhereConstruct& construct) {
    std::vector<WherePart> parts;
    const auto& head =
        std::get<parser::Statement<parser::WhereConstructStmt>>(construct.t).statement;
    parts.push_back({&MaskOf(std::get<parser::LogicalExpr>(head.t)), &std::get<Body>(construct.t)});
    for (const auto& other :
         std::get<std::list<parser::WhereConstruct::MaskedElsewhere>>(construct.t)) {
        const auto& statement =
            std::get<parser::Statement<parser::MaskedElsewhereStmt>>(other.t).statement;
        parts.push_back(
            {&MaskOf(std::get<parser::LogicalExpr>(statement.t)), &std::get<Body>(other.t)});
    }
    const auto& last = std::get<std::optional<parser::WhereConstruct::Elsewhere>>(construct.t);
    if (last) {
        parts.push_back({nullptr, &std::get<Body>(last->t)});
    }
    return parts;
}

bool CanTell(const DataObjects& objects, const std::vector<WherePart>& parts) {
    OrderCheck order;
    bool first = true;
    for (const WherePart& part : parts) {
        if (part.mask) {
            order.Uses(NamesBelow(*part.mask));
            if (!PlainMask(objects, !first)(*part.mask)) {
                return false;
            }
        }
        first = false;
        for (const parser::WhereBodyConstruct& inside : *part.body) {
            const auto* statement =
                std::get_if<parser::Statement<parser::AssignmentStmt>>(&inside.u);
            if (!statement || IsDefined(statement->statement)) {
                return false;
            }
            order.Assignment(statement->statement);
        }
    }
    return order.usable({});
}

// The mask in effect, from those before that must not hold.
std::string MaskText(const std::vector<std::string>& before, const parser::Expr* mask) {
    std::string text;
    for (const std::string& other : before) {
        text += (text.empty() ? "" : ".and.") + (".not.(" + other + ")");
    }
    if (mask) {
        std::string own = Collapse(mask->source.ToString());
        text += text.empty() ? own : ".and.(" + own + ")";
    }
    return text;
}

void Assign(References& references, const parser::AssignmentStmt& statement) {
    references.Write(std::get<parser::Variable>(statement.t));
    references.Read(std::get<parser::Expr>(statement.t));
}

void OpenControls(References& references, const parser::ConcurrentHeader& header, int* open,
                  bool* usable, Names* names) {
    for (const auto& control : std::get<std::list<parser::ConcurrentControl>>(header.t)) {
        const auto& step = std::get<3>(control.t);
        *usable = *usable && references.OpenLoop(std::get<0>(control.t),
                                                 std::get<1>(control.t).thing.thing.value(),
                                                 std::get<2>(control.t).thing.thing.value(),
                                                 step ? &step->thing.thing.value() : nullptr);
        if (!*usable) {
            return;
        }
        ++*open;
    }
    *names = NamesBelow(header);
    const auto& mask = std::get<std::optional<parser::ScalarLogicalExpr>>(header.t);
    if (mask) {
        const parser::Expr& condition = mask->thing.thing.value();
        // A mask that need not be worked out as a whole has addresses that may not exist.
        references.Read(condition);
        *usable = references.When(condition);
    }
}

// `assignments` in order, under one header.
template <typename Tree>
void TellForall(DataObjects& objects, Item& item, const Tree& tree,
                const parser::ConcurrentHeader& header,
                const std::vector<const parser::AssignmentStmt*>& assignments) {
    std::vector<Access> accesses;
    References references(objects, accesses);
    int open = 0;
    bool usable = true;
    Names names;
    OpenControls(references, header, &open, &usable, &names);
    OrderCheck order;
    for (const parser::AssignmentStmt* assignment : assignments) {
        if (usable && (!assignment || IsDefined(*assignment))) {
            usable = false;
        }
        if (usable) {
            order.Assignment(*assignment);
            Assign(references, *assignment);
        }
    }
    references.Always();
    for (; open > 0; --open) {
        references.CloseLoop();
    }
    if (!usable || !order.usable(names)) {
        CountUnknown(objects, tree);
        return;
    }
    for (const auto& control : std::get<std::list<parser::ConcurrentControl>>(header.t)) {
        references.Read(std::get<1>(control.t).thing.thing.value());
        references.Read(std::get<2>(control.t).thing.thing.value());
        if (const auto& step = std::get<3>(control.t)) {
            references.Read(step->thing.thing.value());
        }
    }
    item.accesses = std::move(accesses);
}

const parser::AssignmentStmt* AssignmentOf(const parser::ForallAssignmentStmt& statement) {
    return std::get_if<parser::AssignmentStmt>(&statement.u);
}

}  // namespace

void GatherIo(DataObjects& objects, References& references, const parser::ActionStmt& action) {
    bool output = !std::holds_alternative<Indirection<parser::ReadStmt>>(action.u);
    IoGatherer gatherer(objects, references, output);
    parser::Walk(action, gatherer);
}

void OrderWrites(DataObjects& objects, std::vector<Access>& accesses) {
    std::vector<Access> kept;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        Access access = accesses[i];
        Names used = UsedBy(access);
        Names before;
        Names after;
        for (std::size_t j = 0; j < accesses.size(); ++j) {
            if (accesses[j].write) {
                (j < i ? before : after).insert(BaseOf(accesses[j]));
            }
        }
        if (!access.write) {
            // What was written before it is read, and what is found by such.
            if (!before.count(BaseOf(access)) && !Meet(used, before)) {
                kept.push_back(std::move(access));
            }
        } else if (Meet(used, after)) {
            objects.Unknown(BaseOf(access));
        } else {
            access.late = Meet(used, before);
            kept.push_back(std::move(access));
        }
    }
    accesses = std::move(kept);
}

void GatherAssignment(References& references, const parser::AssignmentStmt& statement) {
    const auto& expression = std::get<parser::Expr>(statement.t);
    bool plain = !IsDefined(statement);
    references.Write(std::get<parser::Variable>(statement.t), plain);
    if (plain) {
        references.ReadValue(expression);
    } else {
        references.Read(expression);
    }
}

void Gather(DataObjects& objects, Item& item, const parser::WhereStmt& statement) {
    const parser::Expr& mask = MaskOf(std::get<parser::LogicalExpr>(statement.t));
    const auto& assignment = std::get<parser::AssignmentStmt>(statement.t);
    OrderCheck order;
    order.Assignment(assignment);
    if (IsDefined(assignment) || !PlainMask(objects, false)(mask) || !order.usable({})) {
        CountUnknown(objects, statement);
        return;
    }
    References references(objects, item.accesses);
    references.Read(mask);
    item.masks = {MaskText({}, &mask)};
    references.Masked(1, RankOf(mask));
    Assign(references, assignment);
}

void Gather(DataObjects& objects, Item& item, const parser::WhereConstruct& construct) {
    std::vector<WherePart> parts = PartsOf(construct);
    if (!CanTell(objects, parts)) {
        CountUnknown(objects, construct);
        return;
    }
    References references(objects, item.accesses);
    std::vector<std::string> before;
    for (const WherePart& part : parts) {
        if (part.mask) {
            references.Masked(0, 0);
            references.Read(*part.mask);
        }
        item.masks.push_back(MaskText(before, part.mask));
        if (part.mask) {
            before.push_back(Collapse(part.mask->source.ToString()));
        }
        references.Masked(static_cast<int>(item.masks.size()), RankOf(*parts[0].mask));
        for (const parser::WhereBodyConstruct& inside : *part.body) {
            Assign(references,
                   std::get<parser::Statement<parser::AssignmentStmt>>(inside.u).statement);
        }
    }
}

void Gather(DataObjects& objects, Item& item, const parser::ForallStmt& statement) {
    const auto& header = std::get<Indirection<parser::ConcurrentHeader>>(statement.t).value();
    const auto& inside =
        std::get<parser::UnlabeledStatement<parser::ForallAssignmentStmt>>(statement.t);
    TellForall(objects, item, statement, header, {AssignmentOf(inside.statement)});
}

void Gather(DataObjects& objects, Item& item, const parser::ForallConstruct& construct) {
    const auto& head =
        std::get<parser::Statement<parser::ForallConstructStmt>>(construct.t).statement;
    std::vector<const parser::AssignmentStmt*> assignments;
    for (const auto& inside : std::get<std::list<parser::ForallBodyConstruct>>(construct.t)) {
        const auto* statement =
            std::get_if<parser::Statement<parser::ForallAssignmentStmt>>(&inside.u);
        assignments.push_back(statement ? AssignmentOf(statement->statement) : nullptr);
    }
    TellForall(objects, item, construct,
               std::get<Indirection<parser::ConcurrentHeader>>(head.t).value(), assignments);
}

}  // namespace comshu::fortran
