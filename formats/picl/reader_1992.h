// Reads the PICL format of 1992 (MPICL): from lines to spans, messages and marks.
#ifndef COMSHU_FORMATS_PICL_READER_1992_H_
#define COMSHU_FORMATS_PICL_READER_1992_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "picl/events_1992.h"
#include "picl/line_1992.h"
#include "picl/statistics_1992.h"
#include "trace_reader.h"

namespace comshu::format::picl {

// Problem: files are sorted by time and type, so at one microsecond an entry stands before the exit that
// really came first. Idea: entries and exits of one (processor, process) with equal times are taken
// together: first every exit of what is open innermost, then the rest in the order of the file, each
// entry followed by the exits it makes possible.
// A processor is a rank, a process a thread of it; process -1 is the first one. A receive knows its
// source and tag when it ends, its place among others when it begins.
// Cost: constant memory per processor, and the requests under way.
class Reader1992 : public LineReader {
public:
    explicit Reader1992(TraceSink* sink);

    void Line(std::string_view text, uint64_t number) override;
    void Finish() override;

private:
    static constexpr size_t kValues = 4;
    struct Values {
        uint8_t count = 0;
        int64_t at[kValues] = {};
        int64_t Get(size_t index, int64_t missing) const {
            return index < count ? at[index] : missing;
        }
    };
    struct Step {
        bool is_entry = false;
        int32_t event = 0;
        Place place;
        Values values;
    };
    struct Open {
        uint64_t span = 0;
        uint64_t begin = 0;
        int32_t event = 0;
        Place place;
        Values values;
    };
    struct LaneState {
        Lane* lane = nullptr;
        const ImportedFile* file = nullptr;  // Of its last record.
        int64_t processor = 0;
        std::vector<Open> open;
        uint64_t tick = 0;        // Of the steps that wait.
        std::vector<Step> steps;  // Of one time.
        // Requests by (is a receive, number in the file): theirs are used again.
        std::map<std::pair<bool, int64_t>, uint64_t> requests;
        uint64_t last_request = 0;
    };

    LaneState* GetLane(int64_t processor, int64_t process);
    void KeepRecord(LaneState* lane, const Line1992& line, std::string_view text, uint64_t number);
    void Handle(LaneState* lane, const Line1992& line, uint64_t number);
    void MarkEvent(LaneState* lane, const Line1992& line);
    // Takes the steps that wait.
    void Settle(LaneState* lane);
    void Enter(LaneState* lane, const Step& step);
    void Leave(LaneState* lane, const Step& step);
    bool LeaveInnermost(LaneState* lane, std::vector<Step>* steps);
    void WriteSpan(LaneState* lane, const Open& open, const schema::SpanHead& head,
                   const Values& exit);
    template <typename Record>
    void Put(LaneState* lane, const Record& record, bool is_open);
    void Complete(LaneState* lane, bool is_receive, int64_t request, const schema::SpanHead& head,
                  const Values& exit);
    uint64_t NewRequest(LaneState* lane, bool is_receive, int64_t number);
    uint64_t NameOf(int64_t event);

    TraceSink& sink_;
    std::map<std::pair<int64_t, uint32_t>, std::unique_ptr<LaneState>> lanes_;
    std::pair<int64_t, int64_t> last_key_{INT64_MIN, 0};
    LaneState* last_lane_ = nullptr;
    std::unordered_map<int64_t, uint64_t> names_;
    Statistics1992 statistics_;
    uint64_t bad_exits_ = 0;
    uint64_t crossed_ = 0;
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_READER_1992_H_
