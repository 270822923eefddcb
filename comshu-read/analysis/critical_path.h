// The chain of work and waiting that made the run as long as it was.
#ifndef COMSHU_ANALYSIS_CRITICAL_PATH_H_
#define COMSHU_ANALYSIS_CRITICAL_PATH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "event_log.h"

namespace comshu::analysis {

// A part of the path on one thread.
struct PathPiece {
    uint32_t lane = 0;
    bool is_call = false;  // Inside a call; else outside MPI.
    uint32_t kind =
        kNone;  // Of that call, or of the one before which that was; kNone: there is none.
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
};

// Goes backwards from the last event of the window: to the last call that waited, from where it was released to
// the call that released it, and so on. Pieces are without gaps, the last first: their lengths add up
// to that of the window, as long as the clocks agree. Ties go to the lowest rank.
class CriticalPath {
public:
    using Visit = std::function<void(const PathPiece& piece)>;

    // `log` has been written to its end.
    CriticalPath(const EventLog& log, Visit visit);
    // All events, the last first.
    void Take(const LoggedEvent& event);
    void Finish();

private:
    // Where a thread stands as of the event at hand.
    struct LaneState {
        bool is_inside = false;  // A call, which is:
        int64_t begin_ns = 0;
        uint32_t kind = kNone;
        Release release;
        uint32_t next_kind = kNone;
    };

    void FindEnd(const EventLog& log);
    void Enter(const LoggedEvent& event);
    void Exit(const LoggedEvent& event);
    // Goes on from where the call that the path is in was released, if that was before it came to this thread.
    bool Jump();
    void Add(bool is_call, uint32_t kind, int64_t begin_ns);

    Window window_;
    Visit visit_;
    std::vector<LaneState> lanes_;
    uint32_t lane_ = 0;
    int64_t since_ns_ = 0;  // When the path left the thread for the one before it.
    int64_t now_ns_ = 0;
};

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_CRITICAL_PATH_H_
