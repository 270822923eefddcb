#pragma once

#include <string>
#include <vector>

#include "instrument/clauses.h"
#include "instrument/conditionals.h"
#include "instrument/data_walker.h"
#include "instrument/scope_names.h"
#include "instrument/session.h"

namespace comshu::fortran {

// Puts events around and into OpenMP constructs. Each construct gets all of its events or, where one
// of them has no place, none; the reason is noted.
class OmpWalker {
public:
    OmpWalker(Session& session, Conditionals& conditionals, DataWalker& data)
        : s_(session),
          conditionals_(conditionals),
          data_(data),
          scope_(session.model, session.structure) {}

    void Begin(int item);
    void Standalone(int item);
    void Threadprivate(int item);

private:
    using Lines = std::vector<std::string>;

    // What a construct inserts; a combined one is some of these, one inside the other.
    struct Part {
        int handle = -1;
        Lines before;
        std::string directive;  // with its clauses; only used where the directive is rewritten
        std::string end;        // its END; only of a part of a combined one
        Lines event;
        Lines event_end;
        Lines after;
        bool add_nowait = false;  // and a barrier with events after the END directive
        Lines barrier;
    };

    bool Perf(int item) const { return s_.LevelOf(item) == Level::kPerf; }
    int EndOf(int item) const;
    std::string LastLine(int item) const;

    Part Parallel(int item, const Clauses& clauses);
    Part Loop(int item, const Clauses& clauses);
    Part Taskloop(int item, const Clauses& clauses);
    Part PartOf(int item, const std::string& name, const Clauses& clauses);
    Part Plain(int item, const Clauses& clauses, const std::string& type,
               const std::string& events);
    void ExplicitBarrier(int item, const std::string& cancel, Part* part);

    void Block(int item, const Part& part);
    void LoopConstruct(int item);
    void Combined(int item, const std::vector<std::string>& names);
    void Around(int item, const std::string& type, const std::string& events);
    void Critical(int item);
    void Atomic(int item);
    void AtomicAsCritical(int item);
    void AtomicData(int item, Lines* before, Lines* after);
    std::vector<int> TiedLoops(int item, const std::vector<std::string>& clauses) const;
    bool AreCountedTogether(const std::vector<int>& loops) const;
    Lines BoundReads(int item);
    Lines StageBounds(int item);
    Lines IterationNumber(int item, const std::vector<int>& loops);
    int IterationPlace(int item) const;
    void Iterations(int item, int handle);
    void Sections(int item, Part* part);
    std::string BoundsText(int item, const Clauses& inner,
                           std::vector<std::string>* variables) const;
    const char* SharedAround(int item, const Clauses& inner, Clauses* parallel);
    bool HasCancel(int item, const std::string& what) const;
    bool EndsAlone(int item) const;

    Session& s_;
    Conditionals& conditionals_;
    DataWalker& data_;
    ScopeNames scope_;
};

}  // namespace comshu::fortran
