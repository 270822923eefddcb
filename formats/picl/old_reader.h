// Reads the old PICL format: from lines to spans, messages, marks and counters.
#ifndef COMSHU_FORMATS_PICL_OLD_READER_H_
#define COMSHU_FORMATS_PICL_OLD_READER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "picl/old_line.h"
#include "trace_reader.h"

namespace comshu::format::picl {

// Problem: PICL has no record for the end of a send, a receive or a barrier. What says it are the
// records of statistics that PICL writes before and after a call: the first one at the time of the
// call, the second one when it returns. Where they are missing a call has no length, and its message
// is there all the same. recv_blocking to recv_waking is the time a receive waited. Blocks end by the
// innermost open one of their type, in the order of the file. What never ends stays open.
// The host, if there is one, is rank 0 and all nodes count one higher, peers as well.
// Where PICL found its trace buffer to be damaged it says so in a line of text and prints the buffer as it
// is: rows of nine or ten numbers and one that is shorter, maybe empty, at the end. These numbers are no
// records, whatever they look like.
// Cost: constant memory per node. Lines of a node are taken in the order of the file.
class OldReader : public LineReader {
public:
    // `has_host`: a node -32768 occurs.
    OldReader(TraceSink* sink, bool has_host);

    void Line(std::string_view text, uint64_t number) override;
    void Finish() override;

private:
    static constexpr int64_t kNotPosted = INT64_MIN;

    // A span that has begun and not ended.
    struct Open {
        uint64_t span = 0;
        uint64_t begin = 0;
        int32_t record = 0;
        int64_t values[3] = {};
        int64_t posted_tag = kNotPosted;  // Of a receive that waited.
        Place place;
        bool has_first_stats = false;
    };
    struct Node {
        Lane* lane = nullptr;
        const ImportedFile* file = nullptr;  // Of its last record.
        std::vector<Open> open;
        int call = -1;  // Index of the call in `open` whose end is to come; -1: none.
    };

    // True if the line is one of the raw data that follow a bad trace buffer.
    bool SkipRaw(std::string_view text);
    void EndRaw();
    Node* GetNode(int64_t number);
    int32_t RankOf(int64_t node) const;
    int32_t PeerOf(int64_t node) const;
    void KeepRecord(Node* node, const OldLine& line, std::string_view text, uint64_t number);
    void Handle(Node* node, const OldLine& line, uint64_t number);
    void Begin(Node* node, const OldLine& line, uint64_t number, bool is_call);
    void EndCall(Node* node, uint64_t tick);
    void EndBlock(Node* node, const OldLine& line, uint64_t number);
    void Wake(Node* node, const OldLine& line, uint64_t number);
    void Stats(Node* node, const OldLine& line);
    void Mark(Node* node, uint64_t tick, uint64_t name, double value);
    void Count(Node* node, uint64_t tick, uint64_t name, double value);
    void MarkArray(Node* node, const OldLine& line);
    void Interval(Node* node, const OldLine& line);
    // Takes the span off the open ones and writes it; `end` 0: it never ended.
    void Close(Node* node, size_t index, uint64_t end);
    void WriteSpan(Node* node, const Open& open, const schema::SpanHead& head);
    template <typename Record>
    void Put(Node* node, const Record& record, bool is_open);
    bool NameNumber(std::string_view text);
    uint64_t BlockName(int64_t type);

    TraceSink& sink_;
    bool has_host_;
    Place raw_;  // Of the bad trace buffer whose raw data are skipped; file null: none.
    uint64_t raw_lines_ = 0;
    std::unordered_map<int64_t, std::unique_ptr<Node>> nodes_;
    int64_t last_number_ = INT64_MIN;
    Node* last_node_ = nullptr;
    std::vector<uint64_t> names_;  // By record number.
    std::unordered_map<int64_t, uint64_t> block_names_;
    // Of blocks and marks that the file names.
    std::unordered_map<int64_t, uint64_t> named_;
    uint64_t counter_names_[9] = {};
    uint64_t comments_ = 0;
    uint64_t odd_labels_ = 0;
    uint64_t ended_early_ = 0;  // Calls without statistics.
    uint64_t calls_ = 0;
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_OLD_READER_H_
