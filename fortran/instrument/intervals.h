#pragma once

#include <functional>
#include <string>
#include <vector>

#include "instrument/session.h"

namespace comshu::fortran {

// Stretches of a unit between CDVM$ INTERVAL and ENDINTERVAL. Both stand in one block of statements, so that
// whoever comes in at the top leaves by the bottom, or by a jump.
class Intervals {
public:
    using Lines = std::vector<std::string>;

    explicit Intervals(Session& session) : s_(session) {}

    // Before the walk; says what is unbalanced.
    void Find();
    // Begin and end events of all.
    void Insert();
    // Calls `visit(first item, item behind it, index)` for those around the item, from the innermost.
    void Around(int item, const std::function<void(int, int, int)>& visit) const;
    // The end event of one, for where `item` leaves it.
    Lines End(int item, int index);

private:
    struct Interval {
        int line = 0;
        int end_line = 0;
        int first = kNoItem;   // behind INTERVAL
        int behind = kNoItem;  // behind ENDINTERVAL
        std::string number;    // as it is written; empty: that of its handle
        int handle = -1;
    };

    int NextItem(int line) const;
    bool InOneBlock(const Interval& interval) const;
    bool IsTold(const Interval& interval) const;
    Lines Event(int item, const char* name, Interval& interval);

    Session& s_;
    std::vector<Interval> intervals_;  // in the order of their ends
};

}  // namespace comshu::fortran
