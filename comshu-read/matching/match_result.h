// All rows that matching finds in a capture, kept.
#ifndef COMSHU_READ_MATCHING_MATCH_RESULT_H_
#define COMSHU_READ_MATCHING_MATCH_RESULT_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

// Rows in pieces, so that growing never copies and a scan can hand pieces to threads.
template <typename Row>
class RowChunks {
public:
    static constexpr size_t kChunkRows = 2048;

    void Add(const Row& row) {
        if (chunks_.empty() || chunks_.back()->size() == kChunkRows) {
            chunks_.push_back(std::make_unique<std::vector<Row>>());
            chunks_.back()->reserve(chunks_.size() == 1 ? 16 : kChunkRows);
        }
        chunks_.back()->push_back(row);
    }
    size_t chunk_count() const { return chunks_.size(); }
    const std::vector<Row>& chunk(size_t index) const { return *chunks_[index]; }
    size_t size() const {
        return chunks_.empty() ? 0 : (chunks_.size() - 1) * kChunkRows + chunks_.back()->size();
    }

private:
    std::vector<std::unique_ptr<std::vector<Row>>> chunks_;
};

// 120 bytes per message. Immutable once made.
class MatchResult : private MatchSink {
public:
    explicit MatchResult(const Capture& capture);

    const RowChunks<MessageRow>& messages() const { return messages_; }
    const RowChunks<UnmatchedRow>& unmatched() const { return unmatched_; }
    const RowChunks<CollectiveRow>& collectives() const { return collectives_; }

private:
    void Message(const MessageRow& row) override { messages_.Add(row); }
    void Unmatched(const UnmatchedRow& row) override { unmatched_.Add(row); }
    void Collective(const CollectiveRow& row) override { collectives_.Add(row); }

    RowChunks<MessageRow> messages_;
    RowChunks<UnmatchedRow> unmatched_;
    RowChunks<CollectiveRow> collectives_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MATCH_RESULT_H_
