// The records of an imported PICL file, out of all ranks, in order of time.
#ifndef COMSHU_FORMATS_PICL_RECORD_MERGE_H_
#define COMSHU_FORMATS_PICL_RECORD_MERGE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
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

// By time, then node, then line; the records of one rank stay in the order of the file. Holds one
// decoded block per lane.
class RecordMerge {
public:
    explicit RecordMerge(const read::Capture& capture);

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
    struct Cursor {
        std::vector<const read::Block*> blocks;
        size_t next_block = 0;
        std::array<std::vector<uint64_t>, kFields> columns;
        size_t row = 0;
        size_t rows = 0;
        std::string line;  // Of the record at hand, out of the pieces before it; empty: none.
    };
    struct Turn {
        int64_t ns;
        int64_t node;
        uint64_t line;
        size_t cursor;
        bool operator>(const Turn& other) const {
            if (ns != other.ns) return ns > other.ns;
            if (node != other.node) return node > other.node;
            return line > other.line;
        }
    };

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
