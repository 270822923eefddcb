#include "instrument/session.h"

#include <algorithm>

#include "instrument/cooked_text.h"
#include "instrument/entry_interfaces.h"
#include "instrument/scope_names.h"

namespace comshu::fortran {
namespace {

std::string Unused(const SourceModel& model, const std::string& name) {
    std::string candidate = name;
    for (int n = 1; model.names.count(candidate); ++n) {
        candidate = name + std::to_string(n);
    }
    return candidate;
}

// No name begins so.
std::string UnusedHead(const SourceModel& model, std::string head) {
    for (auto next = model.names.lower_bound(head);
         next != model.names.end() && next->compare(0, head.size(), head) == 0;
         next = model.names.lower_bound(head)) {
        head += "x";
    }
    return head;
}

// The source has no name that an entry has with this before it.
std::string EntryHead(const SourceModel& model, const std::string& head) {
    for (int n = 0;; ++n) {
        std::string entries = head + (n > 0 ? std::to_string(n) : "") + "_";
        auto name = model.names.lower_bound(entries);
        while (name != model.names.end() && name->starts_with(entries) &&
               !IsEntry("dbg_" + name->substr(entries.size()))) {
            ++name;
        }
        if (name == model.names.end() || !name->starts_with(entries)) {
            return entries;
        }
    }
}

}  // namespace

Session::Session(const SourceModel& source, const InstrumentOptions& chosen)
    : model(source),
      options(chosen),
      structure(BuildStructure(source)),
      form(source.fixed_form, source.fixed_columns),
      edits(source.text, chosen.line_markers ? source.path : "", chosen.preprocessed),
      place(source, structure, form, &edits),
      handles(source.path) {
    const std::string& head = options.names;
    if (options.documented_scheme) {
        handles.UseArray(options.first_array_index);
        names.thread = "ithreadid";
        names.int8 = "idyn_mp";
    } else {
        names.thread = Unused(model, head + "tid");
        names.int8 = Unused(model, head + "lng");
    }
    names.entries = EntryHead(model, head);
    names.int4 = Unused(model, head + "int");
    names.flag = Unused(model, head + "flg");
    names.skip = Unused(model, head + "skp");
    // Where directives are comments it is no threadprivate one.
    names.skip_block = options.openmp ? "comshu_dbgif" : "comshu_dbgif_serial";
    names.saved = UnusedHead(model, head + "sv");
    names.mask = UnusedHead(model, head + "msk");
}

MarkedLine Session::LineOf(int item) const {
    const Item& it = At(item);
    return it.file.empty() || it.file == model.path ? Counted(it.line)
                                                    : MarkedLine{it.file, it.line};
}

MarkedLine Session::Counted(int line) const {
    MarkedLine counts = edits.Counts(line);
    if (counts.file.empty()) {
        counts.file = model.path;
    }
    return counts;
}

Context Session::NewContext(std::string type, int item) const {
    Context context;
    context.Add("type", std::move(type));
    MarkedLine line = LineOf(item);
    context.Add("file", line.file);
    context.Add("line1", std::to_string(line.line));
    return context;
}

std::vector<std::string> Session::Statement(int item, const std::string& text) const {
    return form.Statement(text, place.Indent(item));
}

std::vector<std::string> Session::Directive(int item, const std::string& text) const {
    return form.Directive(text, place.Indent(item));
}

std::vector<std::string> Session::PlainCall(int item, const std::string& name,
                                            const std::string& arguments) {
    Needs(item).entries.insert(name);
    Needs(item).thread = true;
    return Statement(item, "call " + EntryName(name) + "(" + arguments + ")");
}

std::vector<std::string> Session::Call(int item, const std::string& name, int handle,
                                       const std::vector<std::string>& more) {
    std::string arguments = handles.Text(handle) + "," + Thread(InUntiedTask(item));
    for (const std::string& argument : more) {
        arguments += "," + argument;
    }
    return PlainCall(item, name, arguments);
}

std::vector<std::string> Session::CallInside(int item, const std::string& name, int handle) {
    bool untied = !At(item).name.starts_with("parallel") && (Unties(item) || InUntiedTask(item));
    return PlainCall(item, name, handles.Text(handle) + "," + Thread(untied));
}

bool Session::Unties(int item) const {
    for (const ClauseText& clause : At(item).clauses) {
        if (clause.name == "untied") {
            return true;
        }
    }
    return false;
}

bool Session::InUntiedTask(int item) const {
    for (int around = Nest(item).parent; around != kNoItem; around = Nest(around).parent) {
        const Item& it = At(around);
        if (it.kind == ItemKind::kOmpBegin) {
            if (HasTasks(it.name) && it.name != "taskgroup") {
                return Unties(around);
            }
            if (it.name.starts_with("parallel")) {
                return false;
            }
        }
    }
    return false;
}

std::string Session::Int4(int item, int index) {
    Needs(item).int4 = std::max(Needs(item).int4, index);
    return names.int4 + "(" + std::to_string(index) + ")";
}

std::string Session::Int8(int item, int index) {
    Needs(item).int8 = std::max(Needs(item).int8, index);
    return names.int8 + "(" + std::to_string(index) + ")";
}

std::string Session::AsInt(int item, const std::string& value, const std::string& kind) const {
    if (IsIntegerLiteral(value)) {
        return value + "_" + kind;
    }
    return structure.IsDeclared(Nest(item).unit, "int") ? value : "int(" + value + "," + kind + ")";
}

std::vector<std::string> Session::SetInt4(int item, int index, const std::string& value) {
    return Statement(item, Int4(item, index) + " = " + AsInt(item, value, "4"));
}

std::vector<std::string> Session::SetInt8(int item, int index, const std::string& value) {
    return Statement(item, Int8(item, index) + " = " + AsInt(item, value, "8"));
}

std::string Session::Int8s(int item, int count) {
    Int8(item, count);
    return names.int8 + "(1:" + std::to_string(count) + ")";
}

std::string Session::Flag(int item) {
    Needs(item).flag = true;
    return names.flag;
}

bool Session::BoundsMayCall(int loop) const {
    const LoopText& text = At(loop).loop;
    return MayCall(loop, text.lower + "," + text.upper + "," + text.step);
}

bool Session::MayCall(int item, const std::string& expression) const {
    int unit = Nest(item).unit;
    for (const std::string& name : NamesIn(expression)) {
        if (!UseOf(expression, name).called || structure.IsArray(unit, name)) {
            continue;
        }
        if (!IsPlainIntrinsic(name) || structure.IsDeclared(unit, name)) {
            return true;
        }
    }
    // What stands behind a component's name in parentheses may be subscripts or arguments.
    for (std::size_t at = expression.find('%'); at != std::string::npos;
         at = expression.find('%', at)) {
        while (++at < expression.size() && IsNamePart(expression[at])) {
        }
        if (at < expression.size() && expression[at] == '(') {
            return true;
        }
    }
    return false;
}

void Session::Skip(int item, std::string what, std::string why) {
    const Item& it = At(item);
    bool construct = it.kind == ItemKind::kOmpBegin || it.kind == ItemKind::kOmpStandalone ||
                     it.kind == ItemKind::kUnitOpen || it.kind == ItemKind::kUnitStatement;
    MarkedLine line = LineOf(item);
    skipped.push_back({line.file, line.line, std::move(what), std::move(why), construct});
}

void Append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
}

}  // namespace comshu::fortran
