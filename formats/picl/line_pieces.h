// Lines of PICL files that numbers do not say, in records.
#ifndef COMSHU_FORMATS_PICL_LINE_PIECES_H_
#define COMSHU_FORMATS_PICL_LINE_PIECES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "trace_reader.h"

namespace comshu::format::picl {

// Problem: a text with an id lies in memory while a capture is read, and a trace may have one per line.
// Idea: what goes beyond the budget for such texts stands in front of its record as PiclRecords of its own,
// pieces, which stream like all others. Their descriptor, which no line can have, tells them; the values are
// the bytes of the line, and their number is how many there are. A line with bytes beyond ASCII is in pieces
// in any case: a text with an id is made valid UTF-8.
constexpr int32_t kPieceDescriptor = -1;
constexpr size_t kPieceBytes = 40;

// Before the record that `head`, `number`, `node` and `form` are of. The id of its text; 0: in pieces.
inline uint64_t KeepLine(TraceSink* sink, Lane* lane, const schema::EventHead& head,
                         uint64_t number, int32_t node, schema::PiclForm form,
                         std::string_view line) {
    const bool is_ascii = std::all_of(line.begin(), line.end(), [](char c) { return c > 0; });
    uint64_t id = 0;
    if (sink->TryKeepText(line, &id) && is_ascii) return id;
    for (size_t at = 0; at < line.size(); at += kPieceBytes) {
        const std::string_view piece = line.substr(at, kPieceBytes);
        std::array<int64_t, 5> v{};
        static_assert(sizeof v == kPieceBytes);
        std::memcpy(v.data(), piece.data(), piece.size());
        sink->writer().Add(lane, schema::PiclRecord(head, number, 0, v[0], v[1], v[2], v[3], v[4],
                                                    0, kNoNumber, node, kNoNumber, kPieceDescriptor,
                                                    static_cast<uint8_t>(piece.size()), 0, form));
    }
    return id;
}

// Before the first record of a further file in a lane: a piece of no bytes, by which files are told apart.
inline void KeepBeginningOfFile(TraceSink* sink, Lane* lane, const schema::EventHead& head,
                                uint64_t number, int32_t node, schema::PiclForm form) {
    sink->writer().Add(lane, schema::PiclRecord(head, number, 0, 0, 0, 0, 0, 0, 0, kNoNumber, node,
                                                kNoNumber, kPieceDescriptor, 0, 0, form));
}

// What one of them holds.
inline void AddPiece(const std::array<int64_t, 5>& values, uint8_t bytes, std::string* line) {
    char text[kPieceBytes];
    std::memcpy(text, values.data(), sizeof text);
    line->append(text, std::min<size_t>(bytes, sizeof text));
}

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_LINE_PIECES_H_
