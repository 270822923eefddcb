#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "instrument/handles.h"
#include "instrument/levels.h"
#include "instrument/placement.h"
#include "instrument/source_form.h"
#include "instrument/source_model.h"
#include "instrument/structure.h"
#include "instrument/text_edits.h"

namespace comshu::fortran {

enum class AtomicMode { kKeep, kCritical };

struct InstrumentOptions {
    Levels levels;
    AtomicMode atomic = AtomicMode::kKeep;
    int bind = 1;
    bool line_markers = true;
    bool preprocessed = false;  // by the compiler, when it reads the text
    bool openmp = true;
    std::string names = "dbg";  // begin of all names
    // Of Fortran, as the compiler has it; before 2018 the entries come from a module.
    int standard = 2018;
    // The documented scheme: include files instead of constants, intervals around regions.
    bool documented_scheme = false;
    int first_array_index = 1;
};

// Names of the variables that instrumented units declare: thread id, and places where values are
// put that a call passes by reference. Not used by the source.
struct OwnNames {
    std::string entries;  // begin of what is called, by a name of the source's own
    std::string thread;
    std::string int4;
    std::string int8;
    std::string flag;
    std::string skip;        // nonzero where data are not told, and the COMMON block that it is in
    std::string skip_block;  // one in the program
    std::string saved;       // begin of names
    std::string mask;        // the same
};

// What one unit has come to need.
struct UnitNeeds {
    std::set<std::string> entries;  // that it calls
    int int4 = 0;                   // elements
    int int8 = 0;
    bool thread = false;
    bool flag = false;
    bool conditional = false;
    int saved = 0;                           // elements, where no BLOCK holds what conditions keep
    std::vector<std::string> at_start;       // calls before the first executable statement
    std::vector<std::string> data_at_start;  // those that tell data, behind them
};

struct Skipped {
    std::string file;
    int line = 0;
    std::string what;
    std::string why;
    bool construct = false;  // of OpenMP, or a program unit: more than a statement
};

// What the walkers of one source share.
class Session {
public:
    Session(const SourceModel& model, const InstrumentOptions& options);

    const Item& At(int item) const { return model.items[item]; }
    const Nesting& Nest(int item) const { return structure.items[item]; }
    Level LevelOf(int item) const { return options.levels.At(At(item).line); }
    UnitNeeds& Needs(int item) { return needs[Nest(item).unit]; }

    // Context with type, file and line1 of an item.
    Context NewContext(std::string type, int item) const;
    // `call name(handle, thread id, more)` for the unit of `item`; more than one line when long.
    std::vector<std::string> Call(int item, const std::string& name, int handle,
                                  const std::vector<std::string>& more = {});
    // The same, to stand inside of the construct that `item` begins.
    std::vector<std::string> CallInside(int item, const std::string& name, int handle);
    // The line of an item, and its file, as a compiler names them.
    MarkedLine LineOf(int item) const;
    MarkedLine Counted(int line) const;  // the same, of a line of the text
    // What the source calls an entry.
    std::string EntryName(const std::string& name) const { return names.entries + name.substr(4); }
    // Whether the statement may be continued by another thread: what is threadprivate must not be
    // used there.
    bool InUntiedTask(int item) const;
    std::vector<std::string> PlainCall(int item, const std::string& name,
                                       const std::string& arguments);
    std::vector<std::string> Statement(int item, const std::string& text) const;
    std::vector<std::string> Directive(int item, const std::string& text) const;
    // Element of the unit's integers of 4 and 8 bytes, from 1.
    std::string Int4(int item, int index);
    std::string Int8(int item, int index);
    // The first `count` of 8 bytes: where a generic name takes an array it takes no element.
    std::string Int8s(int item, int count);
    std::string Flag(int item);
    // An integer of the unit gets a value of the source's, of whatever type: the compiler is told that the
    // conversion is meant.
    std::vector<std::string> SetInt4(int item, int index, const std::string& value);
    std::vector<std::string> SetInt8(int item, int index, const std::string& value);
    std::string AsInt(int item, const std::string& value, const std::string& kind) const;

    // What a call passes as thread id: 0 where there is no place for one.
    std::string Thread(bool untied) { return untied ? "0_8" : names.thread; }
    bool Unties(int item) const;
    // Whether working out the bounds of a loop may call a function of the program's.
    bool BoundsMayCall(int loop) const;
    bool MayCall(int item, const std::string& expression) const;

    // What is wrong with the source: it is not instrumented.
    void Complain(const std::string& file, int line, std::string message) {
        diagnostics.push_back({file, line, 0, std::move(message), true});
    }
    void Skip(int item, std::string what, std::string why);
    // Runs when the walk has come to `item`, after those that were asked for later.
    void AtEnd(int item, std::function<void()> action) {
        at_end[item].push_back(std::move(action));
    }

    const SourceModel& model;
    InstrumentOptions options;
    Structure structure;
    SourceForm form;
    TextEdits edits;
    Placement place;
    Handles handles;
    OwnNames names;
    std::map<int, UnitNeeds> needs;
    std::map<int, std::vector<std::function<void()>>> at_end;
    std::vector<Skipped> skipped;
    std::vector<Diagnostic> diagnostics;
};

// Appends `more` to `lines`.
void Append(std::vector<std::string>& lines, const std::vector<std::string>& more);

}  // namespace comshu::fortran
