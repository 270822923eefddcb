// The records of an imported PICL file, out of all ranks, in order of time.
#ifndef COMSHU_FORMATS_PICL_RECORD_MERGE_H_
#define COMSHU_FORMATS_PICL_RECORD_MERGE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "comshu/read/capture.h"

namespace comshu::format::picl {

struct StoredRecord {
    int64_t ns = 0;  // In the time of the file.
    uint64_t line = 0;
    const std::string* text =
        nullptr;  // Null: numbers say it all. Good until the next one is taken.
    std::array<int64_t, 5> values{};
    int64_t record = 0;
    int64_t event = 0;
    int64_t node = 0;
    int64_t process = 0;
    int64_t descriptor = 0;
    uint8_t count = 0;
    uint8_t decimals = 0;
    uint8_t form = 0;
};

// By time, then node, then file and line; the records of one rank stay in the order of their file. Holds one
// decoded block per lane and file.
class RecordMerge {
public:
    // `several_files`: of several that were imported together each is in an order of its own; to find where
    // they begin, all records are looked at once before.
    RecordMerge(const read::Capture& capture, bool several_files);

    bool empty() const { return turns_.empty(); }
    // The first one, and on to the next.
    StoredRecord Next();

private:
    enum Field {
        kTick,
        kLine,
        kText,
        kValue0,
        kRecord = kValue0 + 5,
        kEvent,
        kNode,
        kProcess,
        kDescriptor,
        kCount,
        kDecimals,
        kForm,
        kFields
    };
    // Records of a block.
    struct Range {
        static constexpr size_t kToItsEnd = ~size_t{0};

        const read::Block* block = nullptr;
        size_t first = 0;
        size_t end = kToItsEnd;
    };
    struct Cursor {
        std::vector<Range> ranges;
        size_t next_range = 0;
        size_t file = 0;  // Counted in its lane.
        std::array<std::vector<uint64_t>, kFields> columns;
        size_t row = 0;
        size_t rows = 0;
        std::string line;  // Of the record at hand, out of the pieces before it; empty: none.
    };
    struct Turn {
        int64_t ns;
        int64_t node;
        size_t file;
        uint64_t line;
        size_t cursor;
        bool operator>(const Turn& other) const {
            return std::tie(ns, node, file, line) >
                   std::tie(other.ns, other.node, other.file, other.line);
        }
    };

    void SplitByFiles();
    bool OpenBlock(Cursor* cursor);
    bool SkipPieces(Cursor* cursor);
    void AddTurn(size_t index);

    const read::Capture& capture_;
    std::vector<std::unique_ptr<Cursor>> cursors_;
    std::string line_;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_RECORD_MERGE_H_
