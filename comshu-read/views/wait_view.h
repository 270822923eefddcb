// The view `wait_state`: where ranks waited for each other.
#ifndef COMSHU_READ_VIEWS_WAIT_VIEW_H_
#define COMSHU_READ_VIEWS_WAIT_VIEW_H_

namespace comshu::read {

// Makes the macro point_to_point_wait() of these views: a row per call that waited for a message, with
// what it waited for longest. Needs the functions of call_waits.h.
extern const char* const kPointToPointWaitSql;

// The view: a row per call and kind of waiting, each longer than 0 ns. The formulas are in docs/waits.md. Reads
// found_wait() (wait_function.h) and the view `span`.
extern const char* const kWaitStateSql;

// The same of an export that lacks it, from its `message`, `collective` and `span`: all of it at once, in memory.
extern const char* const kWaitStateOfTablesSql;

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_WAIT_VIEW_H_
