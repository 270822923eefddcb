// A capture as rows of a timeline: what exports to viewers read.
#ifndef COMSHU_FORMATS_TIMELINE_TIMELINE_H_
#define COMSHU_FORMATS_TIMELINE_TIMELINE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "communicators.h"
#include "comshu/format/export.h"
#include "comshu/read/database.h"
#include "sort_space.h"

namespace comshu::format {

struct TimelineProcess {
    uint32_t process_id = 0;
    int32_t rank = 0;
    bool is_first_of_rank = false;
    std::string name;
};

// A thread, or an extra row for spans of it that overlap without nesting.
struct TimelineRow {
    uint32_t process_id = 0;
    int32_t rank = 0;
    uint32_t thread = 0;
    uint32_t lane = 0;  // 0: the thread itself.
    bool operator==(const TimelineRow&) const = default;
};

// A message, as one of its sides sees it.
struct TimelineMessage {
    static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

    uint64_t id = 0;
    int64_t peer = 0;  // The other side.
    int64_t tag = 0;
    int64_t bytes = kUnknown;
    bool backward = false;        // It arrives before it is sent.
    int64_t comm = -1;            // Its number in comms(); -1: not among them.
    int64_t received = kUnknown;  // How much came.
    bool is_request = false;      // Of its side: another call completes what was started.
};

// A call's part in a collective operation.
struct TimelineCollective {
    static constexpr int64_t kNoRoot = -1;
    static constexpr int64_t kUnknown = TimelineMessage::kUnknown;

    uint64_t id = 0;   // Of what starts and completes as one: unique in the capture.
    int64_t name = 0;  // Which of collective_names().
    int64_t comm = -1;
    int64_t root = kNoRoot;  // As a rank of the communicator.
    int64_t bytes_in = kUnknown;
    int64_t bytes_out = kUnknown;
};

struct TimelineSpan {
    static constexpr int64_t kNone = TimelineMessage::kUnknown;

    TimelineRow row;
    uint64_t span_id = 0;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;      // Of an open one, the end of the run.
    bool is_open = false;    // It never ended.
    bool is_padded = false;  // It has no length; given 1 ns so that an arrow has a place.
    // One side of a message of the program's own transport, which has a time and no length: given 1 ns,
    // so that viewers have a place for it.
    bool is_notice = false;
    bool failed = false;
    bool unwound = false;  // Left by an exception or a jump.
    std::string layer;
    std::string category;
    std::string name;
    std::string source;
    // kNone: not known.
    int64_t bytes = kNone;
    int64_t peer = kNone;
    int64_t tag = kNone;
    int64_t root = kNone;
    int64_t comm = kNone;
    int64_t request = kNone;
    // The messages that it starts, and those that it completes.
    std::vector<TimelineMessage> sends;
    std::vector<TimelineMessage> receives;
    // Of a notice: the transport of its message.
    std::string transport;
    // WithRequests alone: the receives that it starts for another call to complete, and the sends of another
    // one that it completes.
    std::vector<TimelineMessage> posts;
    std::vector<TimelineMessage> sent;
    // WithCollectives alone: those that it starts, and those that it completes. A blocking call does both.
    std::vector<TimelineCollective> starts;
    std::vector<TimelineCollective> completes;
};

struct TimelineEvent {
    TimelineRow row;
    int64_t time_ns = 0;
    std::string name;
    double value = 0;
};

class TimelineVisitor {
public:
    virtual ~TimelineVisitor() = default;
    // Before anything of the row, in its time. `name`: of the thread, or empty.
    virtual void Row(const TimelineRow& row, const std::string& name) = 0;
    // Nested on each row: a span that begins later ends no later.
    virtual void Begin(const TimelineSpan& span) = 0;
    virtual void End(const TimelineSpan& span) = 0;
    virtual void Mark(const TimelineEvent& mark) = 0;
    virtual void Counter(const TimelineEvent& counter) = 0;
};

// Idea: the spans come sorted by thread and beginning (SpanStream); a stack per row then gives begins and
// ends in order, and a span that would end after the one it began in goes to the next row of the thread.
// Memory is what is open at a time.
class Timeline {
public:
    // `path`: of the file that is made; what is sorted lies beside it.
    Timeline(read::Database* database, const std::string& path)
        : database_(*database), space_(database, path) {}

    // Before Prepare: spans tell of collective operations, too.
    void WithCollectives() { with_collectives_ = true; }
    // The same of requests of messages.
    void WithRequests() { with_requests_ = true; }
    // False and a reason when a query fails.
    bool Prepare(std::string* error);
    const std::vector<TimelineProcess>& processes() const { return processes_; }
    // The time of the last record; nothing is before 0.
    int64_t end_ns() const { return end_ns_; }
    const Communicators& comms() const { return comms_; }
    // The name of the communicator of a call; empty: it has none, or it is not known.
    std::string CommText(const TimelineSpan& span) const;
    const std::vector<std::string>& collective_names() const { return collective_names_; }

    bool Visit(TimelineVisitor* visitor, std::string* error);

    // After Prepare: messages, and those that arrive before they are sent.
    uint64_t messages() const { return messages_; }
    uint64_t backward() const { return backward_; }
    uint64_t unmatched() const { return unmatched_; }
    // After Visit.
    uint64_t overlaps() const { return overlaps_; }
    uint64_t padded() const { return padded_; }
    uint64_t open() const { return open_; }
    uint64_t notices() const { return notices_; }
    // Sides of messages and collectives whose call is not in the capture.
    uint64_t without_call() const { return without_call_; }

private:
    bool FindProcesses(std::string* error);
    bool FindCollectives(std::string* error);
    bool VisitSpans(TimelineVisitor* visitor, std::string* error);
    bool VisitEvents(const char* view, TimelineVisitor* visitor, std::string* error);

    read::Database& database_;
    SortSpace space_;
    bool with_collectives_ = false;
    bool with_requests_ = false;
    std::vector<TimelineProcess> processes_;
    Communicators comms_;
    std::vector<std::string> collective_names_;
    int64_t end_ns_ = 0;
    uint64_t messages_ = 0;
    uint64_t backward_ = 0;
    uint64_t unmatched_ = 0;
    uint64_t overlaps_ = 0;
    uint64_t padded_ = 0;
    uint64_t open_ = 0;
    uint64_t notices_ = 0;
    uint64_t without_call_ = 0;
};

// Says what the target cannot hold. `has_arrows`: messages are arrows between what is drawn, not events.
void TimelineRemarks(const Timeline& timeline, bool has_arrows, ExportResult* result);

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TIMELINE_TIMELINE_H_
