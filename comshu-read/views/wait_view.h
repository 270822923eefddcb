// The view `wait_state`: where ranks waited for each other.
#ifndef COMSHU_READ_VIEWS_WAIT_VIEW_H_
#define COMSHU_READ_VIEWS_WAIT_VIEW_H_

namespace comshu::read {

// A query over the views `message`, `collective` and `span`, a row per call and kind of waiting, each
// longer than 0 ns. The formulas are in docs/waits.md.
extern const char* const kWaitStateSql;

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_WAIT_VIEW_H_
