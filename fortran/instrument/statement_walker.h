#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "instrument/data_walker.h"
#include "instrument/intervals.h"
#include "instrument/session.h"
#include "instrument/unit_walker.h"

namespace comshu::fortran {

// Statements: sequential loops and what leaves them, calls, input and output, STOP and RETURN.
class StatementWalker {
public:
    StatementWalker(Session& session, const UnitWalker& units, DataWalker& data,
                    Conditionals& conditionals, Intervals& intervals)
        : s_(session),
          units_(units),
          data_(data),
          conditionals_(conditionals),
          intervals_(intervals) {}

    // Which loops can be instrumented: those that end alone and that every jump leaves in a way that
    // leaves room for their end event.
    void FindLoops();
    void Visit(int item);

private:
    using Lines = std::vector<std::string>;

    struct Jump {
        bool known = false;    // one target, or none in this unit
        int target = kNoItem;  // item that control goes to; kNoItem: out of the unit
        bool exit = false;     // behind the construct `target`
    };

    Jump JumpOf(int item) const;
    bool Leaves(int loop, const Jump& jump) const;
    bool LeavesStretch(int begin, int end, const Jump& jump) const;
    Lines Leave(int item);
    void Loop(int item);
    void Around(int item, const std::string& type, const std::string& before,
                const std::string& after, Context context);
    void Before(int item, const Lines& lines);

    Session& s_;
    const UnitWalker& units_;
    DataWalker& data_;
    Conditionals& conditionals_;
    Intervals& intervals_;
    std::set<int> loops_;
    std::set<int> tied_;  // to a directive: it tells what their bounds read
    std::map<int, int> loop_handles_;
};

}  // namespace comshu::fortran
