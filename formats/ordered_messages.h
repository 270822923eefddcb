// The messages of a capture in an order of their own.
#ifndef COMSHU_FORMATS_ORDERED_MESSAGES_H_
#define COMSHU_FORMATS_ORDERED_MESSAGES_H_

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include <fmt/core.h>

#include "comshu/read/external_sort.h"
#include "each_row.h"

namespace comshu::format {

// Numbers of a row of a query, read as those of read::Query.
template <size_t N>
class NumberRow {
public:
    NumberRow() = default;
    NumberRow(const read::Query& row, size_t skipped)
        : nulls_(0), skipped_(static_cast<uint32_t>(skipped)) {
        static_assert(N <= 32);
        for (size_t i = 0; i < N; ++i) {
            values_[i] = row.Integer(i);
            nulls_ |= uint32_t{row.IsNull(i)} << i;
        }
    }
    bool IsNull(size_t column) const { return (nulls_ >> (skipped_ + column) & 1) != 0; }
    int64_t Integer(size_t column) const { return values_[skipped_ + column]; }
    uint64_t Unsigned(size_t column) const { return static_cast<uint64_t>(Integer(column)); }

    bool operator<(const NumberRow& other) const {
        return std::tie(values_, nulls_) < std::tie(other.values_, other.nulls_);
    }

private:
    std::array<int64_t, N> values_;
    uint32_t nulls_;
    uint32_t skipped_;
};

// Problem: views have their rows as they lie in streams, or in the files of an export folder, and one call may
// start many messages. What they are written as must not depend on it. Idea: they get their numbers in
// order of what they are: those of one call as their receives were posted. Cost: a sort of them.
// Calls `visit` with `columns`, which are N numbers, of each message for which `where` is true and with its
// number, from 1. `folder`: for what does not fit in memory.
template <size_t N, typename Visitor>
bool EachMessage(read::Database* database, const char* columns, const char* where,
                 const std::string& folder, std::string* error, Visitor visit) {
    constexpr size_t kOrderColumns = 8;
    constexpr size_t kBytes = size_t{64} << 20;
    const std::string sql = fmt::format(
        "SELECT send_begin_ns, send_rank, recv_rank, send_span, recv_begin_ns, recv_span, tag, "
        "comm, {} FROM message WHERE {}",
        columns, where);
    using Row = NumberRow<kOrderColumns + N>;
    read::ExternalSort<Row> rows(folder, kBytes);
    uint64_t number = 0;
    return EachRow(database, sql, error,
                   [&](const read::Query& row) { rows.Add(Row(row, kOrderColumns)); }) &&
           rows.Visit([&](const Row& row) { visit(row, ++number); }, error);
}

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_ORDERED_MESSAGES_H_
