// Members of teams, whichever threads they are.
#ifndef COMSHU_READ_OPENMP_TEAMS_H_
#define COMSHU_READ_OPENMP_TEAMS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "openmp/openmp_spans.h"

namespace comshu::read {

// Problem: a runtime may give a region inside of a region new threads each time, and the same threads
// other numbers; threads are then not what is to be compared.
// Idea: a member is known by its number and by the place of its team in the tree of teams; number 0 is
// whoever started the region. Who stands there in each execution is the same worker.
struct Membership {
    uint32_t team = 0;    // Executions with the same starter and as many members; 0: not known.
    uint32_t member = 0;  // Number in the team; where that is not known, of the recorded thread.
    uint32_t worker = 0;  // From 1, in all processes.
};

// Cost: one pass over all implicit tasks, 32 bytes each; a question is a search among those of a lane.
class Teams {
public:
    explicit Teams(const OpenmpSpans& spans);

    // Of an implicit task, by its index; kNoSpan: of the thread outside of all.
    const Membership& Of(uint32_t lane, uint32_t part) const;
    // Of a thread that shares work outside of all: in a region that was not recorded. Whoever takes part
    // is taken for the team.
    const Membership& Unseen(uint32_t lane) const { return lanes_[lane].unseen; }

private:
    struct Part {
        uint32_t span = kNoSpan;
        uint32_t place = 0;  // In the tree of teams; 0: not looked for yet.
        Membership is;
    };
    struct Lane {
        std::vector<Part> parts;  // In order of their spans.
        Part outside;
        Membership unseen;
    };
    // Of the part around a span.
    Part Around(uint32_t lane, uint32_t span, uint32_t depth);
    const Part& Find(uint32_t lane, uint32_t index, uint32_t depth);
    uint32_t Number(uint32_t of, uint64_t key);

    const OpenmpSpans& spans_;
    std::vector<Lane> lanes_;
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_;  // Places and teams.
};

// The implicit task that each span of a lane belongs to: itself, or the one around it; else kNoSpan.
class TasksBehind;
std::vector<uint32_t> PartsAround(const OpenmpLane& lane, const TasksBehind& behind);

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_TEAMS_H_
