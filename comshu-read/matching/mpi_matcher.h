// Matches all messages and collectives of a capture.
#ifndef COMSHU_READ_MATCHING_MPI_MATCHER_H_
#define COMSHU_READ_MATCHING_MPI_MATCHER_H_

#include <vector>

#include "comshu/read/capture.h"
#include "matching/collective_table.h"
#include "matching/match_rows.h"
#include "matching/rank_matcher.h"

namespace comshu::read {

// Idea: the threads of a process are merged by the time at which calls began, since that is the order
// MPI sees; processes are fed block by block in order of time, so that what waits for its partner
// is what was in flight, and a decoded block per thread. Rows come in the order in which messages are
// complete; instances of collectives as `collectives` has them. Damaged blocks are left out and told by
// the capture.
void MatchMpi(const Capture& capture, MatchSink* sink, CollectiveTable* collectives);

// Its parts, for who matches a capture in pieces.

// The processes with MPI of each pass.
std::vector<std::vector<const Process*>> MatchedPasses(const Capture& capture);
// Feeds what `some` of the processes `all` of a pass did, to their end.
void FeedProcesses(const Capture& capture, const std::vector<const Process*>& all,
                   const std::vector<const Process*>& some, MatchState* state);
// When all processes of a pass have been fed: pairs and reports what is left.
void FinishChannels(const Capture& capture, const std::vector<const Process*>& all,
                    ChannelTable* channels);

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MPI_MATCHER_H_
