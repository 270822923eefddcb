// The view `wait_state`: where ranks waited for each other.
#ifndef COMSHU_READ_VIEWS_WAIT_VIEW_H_
#define COMSHU_READ_VIEWS_WAIT_VIEW_H_

namespace comshu::read {

// Makes the macro point_to_point_wait() of these views: a row per call that waited for a message, with
// what it waited for longest. Needs the functions of call_waits.h.
extern const char* const kPointToPointWaitSql;

// A query over the views `message`, `collective` and `span`, a row per call and kind of waiting, each
// longer than 0 ns. The formulas are in docs/waits.md.
extern const char* const kWaitStateSql;

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_WAIT_VIEW_H_
