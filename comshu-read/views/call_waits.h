// Functions of SQL about calls that waited for messages.
#ifndef COMSHU_READ_VIEWS_CALL_WAITS_H_
#define COMSHU_READ_VIEWS_CALL_WAITS_H_

#include "comshu/read/database.h"

namespace comshu::read {

// Each is made when a statement mentions it, from the view `message`:
//   point_to_point_wait()          the table macro of kPointToPointWaitSql;
//   completed_messages(span_id)    how many messages a call completes: 0, 1, 2 (several);
//   completes_receive(span_id)     whether one of them was to the call's rank;
//   late_sender_ns(span_id)        how long a call waited for a sender; null: not at all.
// A database without that view says so when a statement mentions one. `for_wait_state`: so does the view
// `wait_state`, which is kWaitStateOfTablesSql.
void AddCallWaits(Database* database, bool for_wait_state);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_CALL_WAITS_H_
