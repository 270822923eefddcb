// A function of SQL: the thread of a call.
#ifndef COMSHU_READ_VIEWS_SPAN_THREADS_H_
#define COMSHU_READ_VIEWS_SPAN_THREADS_H_

#include "comshu/read/database.h"

namespace comshu::read {

// span_thread(span_id): the thread that made the call of that number, in place of a join with `span`.
// Made when a statement mentions it; takes memory for calls of threads beyond the first alone. 0 for what
// is no span, and for OpenMP regions: no message names one.
void AddSpanThreads(Database* database);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_SPAN_THREADS_H_
