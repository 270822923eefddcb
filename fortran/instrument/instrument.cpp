#include "instrument/instrument.h"

#include <algorithm>

#include "instrument/data_walker.h"
#include "instrument/documented_scheme.h"
#include "instrument/intervals.h"
#include "instrument/omp_walker.h"
#include "instrument/statement_walker.h"
#include "instrument/unit_walker.h"

namespace comshu::fortran {
namespace {

class Walk {
public:
    explicit Walk(Session& session)
        : s_(session),
          conditionals_(session),
          units_(session, conditionals_),
          data_(session, conditionals_),
          omp_(session, conditionals_, data_),
          intervals_(session),
          statements_(session, units_, data_, conditionals_, intervals_) {}

    void Run() {
        for (int end : s_.structure.stray_ends) {
            MarkedLine line = s_.LineOf(end);
            s_.Complain(
                line.file, line.line,
                "!$OMP END directive of `" + s_.At(end).name + "` ends no construct of this name");
        }
        units_.MarkUntouchable();
        intervals_.Find();
        statements_.FindLoops();
        for (int i = 0; i < static_cast<int>(s_.model.items.size()); ++i) {
            Visit(i);
        }
        intervals_.Insert();
        for (int unit = 0; unit < static_cast<int>(s_.structure.units.size()); ++unit) {
            units_.Finish(unit);
        }
    }

private:
    void Visit(int i) {
        const Item& item = s_.At(i);
        int unit = s_.Nest(i).unit;
        if (unit != kNoItem && !s_.structure.units[unit].untouchable) {
            Instrument(i, item, unit);
        }
        auto ends = s_.at_end.find(i);
        if (ends != s_.at_end.end()) {
            // What began last ends first.
            for (auto action = ends->second.rbegin(); action != ends->second.rend(); ++action) {
                (*action)();
            }
        }
    }

    void Instrument(int i, const Item& item, int unit) {
        bool constructs = HasConstructs(s_.LevelOf(i));
        switch (item.kind) {
            case ItemKind::kUnitOpen:
                units_.Begin(unit);
                data_.Begin(unit);
                break;
            case ItemKind::kOmpBegin:
                if (constructs) {
                    omp_.Begin(i);
                }
                break;
            case ItemKind::kOmpStandalone:
                if (constructs) {
                    omp_.Standalone(i);
                }
                break;
            case ItemKind::kOmpThreadprivate:
                if (constructs) {
                    omp_.Threadprivate(i);
                }
                break;
            default:
                data_.Visit(i);
                statements_.Visit(i);
                break;
        }
    }

    Session& s_;
    Conditionals conditionals_;
    UnitWalker units_;
    DataWalker data_;
    OmpWalker omp_;
    Intervals intervals_;
    StatementWalker statements_;
};

}  // namespace

Instrumented Instrument(const SourceModel& model, InstrumentOptions options) {
    Instrumented result;
    options.levels.ReadFragments(model.text, model.fixed_form, model.path, &result.diagnostics);
    if (options.documented_scheme) {
        std::vector<Diagnostic> clashes = SchemeClashes(model);
        result.diagnostics.insert(result.diagnostics.end(), clashes.begin(), clashes.end());
    }
    Session session(model, options);
    Walk(session).Run();
    result.changed = !session.edits.empty();
    if (result.changed) {
        result.text = session.handles.Finish(session.edits.Apply());
    } else {
        result.text = model.text;
    }
    for (const Unit& unit : session.structure.units) {
        result.has_main |= unit.kind == UnitKind::kMain;
    }
    for (const auto& [unit, needs] : session.needs) {
        result.scratch = std::max(result.scratch, needs.int8);
    }
    result.contexts = session.handles.strings();
    result.first_handle = session.handles.FirstHandle();
    result.diagnostics.insert(result.diagnostics.end(), session.diagnostics.begin(),
                              session.diagnostics.end());
    result.skipped = std::move(session.skipped);
    return result;
}

}  // namespace comshu::fortran
