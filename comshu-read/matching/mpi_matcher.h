// Matches all messages and collectives of a capture.
#ifndef COMSHU_READ_MATCHING_MPI_MATCHER_H_
#define COMSHU_READ_MATCHING_MPI_MATCHER_H_

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

// Idea: the threads of a process are merged by the time at which calls began, since that is the order
// MPI sees; processes are fed block by block in order of time, so that what waits for its partner
// is what was in flight, and a decoded block per thread. Rows come in the order in which messages are
// complete. Damaged blocks are left out and told by the capture.
void MatchMpi(const Capture& capture, MatchSink* sink);

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MPI_MATCHER_H_
