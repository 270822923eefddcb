// One column of a record table from a block into vectors of DuckDB.
#ifndef COMSHU_READ_COLUMN_FILL_H_
#define COMSHU_READ_COLUMN_FILL_H_

#include <duckdb.h>

#include <cstdint>
#include <vector>

#include "comshu/read/capture.h"

namespace comshu::read {

// Holds the decoded values of one column of the current block, and copies them out in pieces of a
// vector's size. Columns with one value in the whole block, which most are, become constant vectors.
class ColumnFill {
public:
    // `column` may be null: a row number that nobody looks at (count(*)).
    explicit ColumnFill(const TableColumn* column) : column_(column) {}
    ~ColumnFill() { ForgetConstant(); }
    ColumnFill(ColumnFill&& other) noexcept;
    ColumnFill(const ColumnFill&) = delete;

    // Decodes the column of records `type_index` of an open block; false if it is damaged.
    bool Load(const Capture& capture, const Block& block, core::BlockDecoder* decoder,
              size_t type_index);

    // Values from `row` on into the vector.
    void Fill(const Artifacts& artifacts, size_t row, size_t count, duckdb_vector out);

private:
    // The field as the block's own version has it.
    void FindField(const core::RecordLayout& layout);
    bool LoadParent(core::BlockDecoder* decoder, size_t type_index);
    void SetConstant(uint64_t value, bool is_null);
    void ForgetConstant();
    duckdb_value MakeConstant(uint64_t value, bool is_null) const;

    const TableColumn* column_;
    const core::RecordLayout* layout_ = nullptr;
    const Process* process_ = nullptr;
    int field_ = -1;  // Column of the layout; -1: the stream does not have it.
    bool has_null_ = false;
    uint64_t null_value_ = 0;
    std::vector<uint64_t> values_;
    duckdb_value constant_ = nullptr;  // Set: stands for all rows.
};

}  // namespace comshu::read

#endif  // COMSHU_READ_COLUMN_FILL_H_
