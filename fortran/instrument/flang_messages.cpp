#include "instrument/flang_messages.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace comshu::fortran {
namespace {

auto Key(const Diagnostic& d) {
    return std::tie(d.line, d.column, d.file, d.message);
}

}  // namespace

void CopyMessages(Fortran::parser::Messages& messages,
                  const Fortran::parser::AllCookedSources& cooked, SourceModel& model) {
    int last = 0;
    if (!model.text.empty()) {
        auto ends = std::count(model.text.begin(), std::prev(model.text.end()), '\n');
        last = static_cast<int>(ends) + 1;
    }
    for (const Fortran::parser::Message& message : messages.messages()) {
        // What is at no place is behind the last line: something is missing there.
        Diagnostic diagnostic{model.path, last, last > 0 ? 1 : 0, message.ToString(),
                              message.IsFatal()};
        if (auto range = message.GetProvenanceRange(cooked)) {
            if (auto position = cooked.allSources().GetSourcePosition(range->start())) {
                diagnostic.file = *position->path;
                diagnostic.line = position->line;
                diagnostic.column = position->column;
            }
        }
        if (std::none_of(model.diagnostics.begin(), model.diagnostics.end(),
                         [&](const Diagnostic& d) { return Key(d) == Key(diagnostic); })) {
            model.diagnostics.push_back(std::move(diagnostic));
        }
    }
    std::stable_sort(model.diagnostics.begin(), model.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
}

}  // namespace comshu::fortran
