#include "matching/match_result.h"

#include "matching/mpi_matcher.h"

namespace comshu::read {

MatchResult::MatchResult(const Capture& capture) {
    MatchMpi(capture, this);
}

}  // namespace comshu::read
