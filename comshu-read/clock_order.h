// What a capture says of the order of events on different clocks.
#ifndef COMSHU_READ_CLOCK_ORDER_H_
#define COMSHU_READ_CLOCK_ORDER_H_

#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "logical_clock.h"
#include "matching/match_rows.h"

namespace comshu::read {

// The curves of the logical clock from what matching finds in a capture that is read by the measured clock. The
// result does not depend on the order in which rows are added.
class ClockOrder {
public:
    explicit ClockOrder(const Capture& capture)
        : capture_(capture), order_(static_cast<uint32_t>(capture.clocks().size())) {}

    // Whether the message tells anything: its two sides are on two clocks.
    static bool Tells(const Capture& capture, const MessageRow& row);
    void AddMessage(const MessageRow& row);
    // All there are, at once. Sorts them.
    void AddCollectives(std::vector<const CollectiveRow*> rows);

    LogicalCurves Solve();

private:
    using Event = LogicalClock::Event;
    using Rows = std::vector<const CollectiveRow*>;

    uint32_t ClockOf(uint64_t span) const { return capture_.ProcessOfSpan(span)->clock_id; }
    Event Enter(const CollectiveRow& row);
    void Leave(Event after, const CollectiveRow& row);
    void AddInstance(const Rows& rows);
    void AddScan(const Rows& rows);

    const Capture& capture_;
    LogicalClock order_;
};

// Those kept beside the capture with its links, or else worked out by matching it.
LogicalCurves CurvesOf(const Capture& capture);

// As they are kept, in a file of that name in the folder of links.
constexpr const char* kCurvesFile = "clocks.txt";
std::string CurvesText(const LogicalCurves& curves);
// False if it is not the text of as many clocks.
bool ReadCurves(const std::string& text, size_t clocks, LogicalCurves* curves);

}  // namespace comshu::read

#endif  // COMSHU_READ_CLOCK_ORDER_H_
