// The spans of a capture in order, each with what it sends and completes.
#ifndef COMSHU_FORMATS_TIMELINE_SPAN_STREAM_H_
#define COMSHU_FORMATS_TIMELINE_SPAN_STREAM_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "comshu/read/database.h"
#include "comshu/read/external_sort.h"
#include "comshu/read/query.h"
#include "timeline/timeline.h"

namespace comshu::format {

// Problem: a row of the picture needs its spans by thread and beginning, and with each the messages that it
// starts and completes; a join of DuckDB keeps one side in memory. Idea: a message knows the number and the
// beginning of its calls, so each of its sides is sorted along with the spans and comes right behind its
// own. Memory: what one thread begins at one time, and what the sort keeps.
class SpanStream {
public:
    // `folder`: for what does not fit in memory. `collective_names` by their numbers.
    SpanStream(std::string folder, const Communicators* comms,
               const std::vector<std::string>& collective_names, int64_t end_ns);

    // Reads the views. False and a reason when a query fails.
    bool Gather(read::Database* database, bool with_collectives, bool with_requests,
                std::string* error);

    // The spans by process, thread and beginning, longer ones first. Once.
    using Visitor = std::function<void(TimelineSpan)>;
    bool Visit(const Visitor& visit, std::string* error);

    // Sides of messages and collectives whose call is not in the capture.
    uint64_t without_call() const { return without_call_; }

private:
    struct Item {
        enum class Kind : uint8_t {
            kSpan,
            kSent,
            kReceived,
            kStarts,
            kCompletes,
            kPosts,
            kSendDone
        };

        uint32_t process;
        uint32_t thread;
        int64_t begin;
        uint64_t span;
        Kind kind;
        bool flag;    // A span that never ended; a message that runs backwards.
        bool failed;  // Of a span, as what follows.
        bool unwound;
        int32_t rank;  // Of a message: the other one.
        int64_t end;   // Of what is no span: its number.
        uint32_t layer;
        uint32_t category;
        uint32_t name;
        uint32_t source;     // 0: none, as for
        uint32_t transport;  // that of a notice.
        std::array<int64_t, 6> numbers;

        bool operator<(const Item& other) const;
    };
    struct Place {
        uint32_t process;
        uint32_t thread;
    };

    bool GatherSpans(read::Database* database, std::string* error);
    bool GatherMessages(read::Database* database, bool with_requests, std::string* error);
    bool GatherNotices(read::Database* database, std::string* error);
    bool GatherCollectives(read::Database* database, std::string* error);
    // Behind the call `span`, that begins at `begin`.
    void AddTo(uint64_t span, int64_t begin, Item item);
    template <typename Row>
    int64_t CommAt(const Row& row, size_t column) const;
    uint32_t TextId(const std::string& text);
    TimelineSpan SpanOf(const Item& item) const;
    void Attach(const Item& item, TimelineSpan* span) const;
    void HandOn(std::vector<TimelineSpan>* group, const Visitor& visit) const;

    const Communicators& comms_;
    const std::vector<std::string>& collective_names_;
    const int64_t end_ns_;
    const std::string folder_;
    read::ExternalSort<Item> items_;
    std::vector<std::string> texts_ = {""};
    std::unordered_map<std::string, uint32_t> text_ids_ = {{"", 0}};
    // By the upper bits of the number of a span: who counts with them.
    std::unordered_map<uint64_t, Place> places_;
    uint64_t messages_ = 0;
    uint64_t without_call_ = 0;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TIMELINE_SPAN_STREAM_H_
