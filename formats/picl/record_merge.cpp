#include "picl/record_merge.h"

#include <algorithm>
#include <map>

#include "capture_writer.h"
#include "picl/line_pieces.h"

namespace comshu::format::picl {
namespace {

constexpr const char* kNames[] = {"tick",       "line",   "text",     "value0", "value1", "value2",
                                  "value3",     "value4", "record",   "event",  "node",   "process",
                                  "descriptor", "values", "decimals", "form"};

}  // namespace

RecordMerge::RecordMerge(const read::Capture& capture, bool several_files) : capture_(capture) {
    std::map<std::pair<uint32_t, uint32_t>, size_t> lanes;
    for (const read::Block& block : capture.blocks()) {
        if (block.definitions() || block.open_spans || !capture.MayHold(block, "PiclRecord"))
            continue;
        const auto [found, is_new] =
            lanes.emplace(std::pair(block.process, block.header.thread), cursors_.size());
        if (is_new) cursors_.push_back(std::make_unique<Cursor>());
        cursors_[found->second]->ranges.push_back({&block});
    }
    if (several_files) SplitByFiles();
    for (size_t i = 0; i < cursors_.size(); ++i) {
        if (OpenBlock(cursors_[i].get()) && SkipPieces(cursors_[i].get())) AddTurn(i);
    }
}

// A cursor for each file that is in a lane.
void RecordMerge::SplitByFiles() {
    std::vector<std::unique_ptr<Cursor>> lanes;
    lanes.swap(cursors_);
    for (const auto& lane : lanes) {
        cursors_.push_back(std::make_unique<Cursor>());
        for (size_t file = 0; OpenBlock(lane.get());) {
            Range range = lane->ranges[lane->next_range - 1];
            for (size_t row = 0; row < lane->rows; ++row) {
                const auto get = [&](Field field) {
                    return static_cast<int64_t>(lane->columns[field][row]);
                };
                if (get(kDescriptor) != kPieceDescriptor || get(kCount) != 0) continue;
                range.end = row;
                cursors_.back()->ranges.push_back(range);
                range = {range.block, row};
                cursors_.push_back(std::make_unique<Cursor>());
                cursors_.back()->file = ++file;
            }
            cursors_.back()->ranges.push_back(range);
        }
    }
}

// The next block that has records of PICL; false at the end.
bool RecordMerge::OpenBlock(Cursor* cursor) {
    while (cursor->next_range < cursor->ranges.size()) {
        const Range& range = cursor->ranges[cursor->next_range++];
        const read::Block& block = *range.block;
        core::BlockDecoder decoder = capture_.DecoderFor(block);
        if (!capture_.OpenBlock(block, &decoder)) continue;
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const core::RecordLayout* layout = decoder.types()[type].layout;
            if (layout == nullptr || layout->name != "PiclRecord") continue;
            bool sound = true;
            for (size_t field = 0; field < kFields; ++field) {
                const int column = layout->FindColumn(kNames[field]);
                sound = sound && column >= 0 &&
                        decoder.Values(type, static_cast<size_t>(column), &cursor->columns[field]);
            }
            if (!sound) {
                capture_.AddDamagedBlock(block, "a column cannot be decoded");
                break;
            }
            cursor->row = range.first;
            cursor->rows = std::min<size_t>(range.end, decoder.types()[type].count);
            if (cursor->rows > cursor->row) return true;
        }
    }
    return false;
}

// To the next record, its line gathered; false at the end.
bool RecordMerge::SkipPieces(Cursor* cursor) {
    const auto get = [&](size_t field) {
        return static_cast<int64_t>(cursor->columns[field][cursor->row]);
    };
    while (get(kDescriptor) == kPieceDescriptor) {
        std::array<int64_t, 5> values;
        for (size_t i = 0; i < values.size(); ++i) values[i] = get(kValue0 + i);
        AddPiece(values, static_cast<uint8_t>(get(kCount)), &cursor->line);
        if (++cursor->row == cursor->rows && !OpenBlock(cursor)) return false;
    }
    return true;
}

void RecordMerge::AddTurn(size_t index) {
    const Cursor& cursor = *cursors_[index];
    turns_.push({NsOf(cursor.columns[kTick][cursor.row]),
                 static_cast<int64_t>(cursor.columns[kNode][cursor.row]), cursor.file,
                 cursor.columns[kLine][cursor.row], index});
}

StoredRecord RecordMerge::Next() {
    const size_t index = turns_.top().cursor;
    turns_.pop();
    Cursor& cursor = *cursors_[index];
    const auto get = [&](Field field) {
        return static_cast<int64_t>(cursor.columns[field][cursor.row]);
    };
    StoredRecord record;
    record.ns = NsOf(cursor.columns[kTick][cursor.row]);
    record.line = cursor.columns[kLine][cursor.row];
    const uint64_t text = cursor.columns[kText][cursor.row];
    if (text != 0) record.text = &capture_.artifacts().Text(text);
    line_.swap(cursor.line);
    cursor.line.clear();
    if (!line_.empty()) record.text = &line_;
    for (size_t i = 0; i < record.values.size(); ++i)
        record.values[i] = get(static_cast<Field>(kValue0 + i));
    record.record = get(kRecord);
    record.event = get(kEvent);
    record.node = get(kNode);
    record.process = get(kProcess);
    record.descriptor = get(kDescriptor);
    record.count = static_cast<uint8_t>(get(kCount));
    record.decimals = static_cast<uint8_t>(get(kDecimals));
    record.form = static_cast<uint8_t>(get(kForm));
    if ((++cursor.row < cursor.rows || OpenBlock(&cursor)) && SkipPieces(&cursor)) AddTurn(index);
    return record;
}

}  // namespace comshu::format::picl
