// All rows that matching finds in a capture, kept.
#ifndef COMSHU_READ_MATCHING_MATCH_RESULT_H_
#define COMSHU_READ_MATCHING_MATCH_RESULT_H_

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

// Memory for rows, freed as a whole. All of it is written once, so what counts is how many page faults
// that takes: it comes in blocks that may be huge pages.
class RowSpace {
public:
    RowSpace() = default;
    ~RowSpace();
    RowSpace(const RowSpace&) = delete;
    RowSpace& operator=(const RowSpace&) = delete;

    void* Take(size_t bytes);

private:
    std::vector<void*> blocks_;
    std::byte* next_ = nullptr;
    size_t left_ = 0;
};

// Rows in pieces, so that growing never copies and a scan can hand pieces to threads.
template <typename Row>
class RowChunks {
public:
    static constexpr size_t kChunkRows = 2048;

    // Where the next row goes, until one is added.
    Row* Room() {
        if (next_ == end_) AddChunk();
        return next_;
    }
    void Add(const Row& row) {
        if (&row != Room()) *next_ = row;
        ++next_;
    }
    template <typename Visit>
    void ForEach(Visit visit) const {
        for (size_t i = 0; i < chunk_count(); ++i) {
            for (const Row& row : chunk(i)) visit(row);
        }
    }
    template <typename Visit>
    void ForEach(Visit visit) {
        for (size_t i = 0; i < chunk_count(); ++i) {
            const size_t rows = RowsOf(i);
            for (size_t k = 0; k < rows; ++k) visit(chunks_[i][k]);
        }
    }
    // Without one that is room alone.
    size_t chunk_count() const {
        return chunks_.size() - (!chunks_.empty() && next_ == chunks_.back() ? 1 : 0);
    }
    std::span<const Row> chunk(size_t index) const { return {chunks_[index], RowsOf(index)}; }
    size_t size() const {
        return chunks_.empty() ? 0 : (chunks_.size() - 1) * kChunkRows + RowsOf(chunks_.size() - 1);
    }

private:
    static_assert(std::is_trivially_copyable_v<Row> && std::is_trivially_destructible_v<Row>);

    size_t RowsOf(size_t index) const {
        return index + 1 == chunks_.size() ? static_cast<size_t>(next_ - chunks_[index])
                                           : kChunkRows;
    }
    void AddChunk() {
        chunks_.push_back(static_cast<Row*>(space_.Take(kChunkRows * sizeof(Row))));
        next_ = chunks_.back();
        end_ = next_ + kChunkRows;
    }

    RowSpace space_;
    std::vector<Row*> chunks_;
    Row* next_ = nullptr;
    Row* end_ = nullptr;
};

// 136 bytes per message. Immutable once made.
class MatchResult : public MatchSink {
public:
    // What there is in the capture.
    explicit MatchResult(const Capture& capture);
    // Of rows that were found elsewhere.
    MatchResult() = default;

    const RowChunks<MessageRow>& messages() const { return messages_; }
    const RowChunks<UnmatchedRow>& unmatched() const { return unmatched_; }
    const RowChunks<CollectiveRow>& collectives() const { return collectives_; }

    MessageRow* RoomForMessage() override { return messages_.Room(); }
    CollectiveRow* RoomForCollective() override { return collectives_.Room(); }
    void Message(const MessageRow& row) override { Add(row); }
    void Unmatched(const UnmatchedRow& row) override { Add(row); }
    void Collective(const CollectiveRow& row) override { Add(row); }

    void Add(const MessageRow& row) { messages_.Add(row); }
    void Add(const UnmatchedRow& row) { unmatched_.Add(row); }
    void Add(const CollectiveRow& row) { collectives_.Add(row); }

private:
    RowChunks<MessageRow> messages_;
    RowChunks<UnmatchedRow> unmatched_;
    RowChunks<CollectiveRow> collectives_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MATCH_RESULT_H_
