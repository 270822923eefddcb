#include "record_scan.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "column_fill.h"
#include "comshu/read/zstd_frame.h"

namespace comshu::read {
namespace {

struct Source {
    const Capture* capture;
    const RecordTable* table;
};

// What one query scans: shared by its threads.
struct Scan {
    Source source;
    std::vector<const Block*> blocks;
    std::atomic<size_t> next{0};
    std::vector<idx_t> columns;  // Of the table, as projected.
};

// One thread's place in it.
struct Cursor {
    std::vector<ColumnFill> columns;
    std::optional<core::BlockDecoder> decoder;
    const Process* process = nullptr;
    size_t row = 0;
    size_t rows = 0;  // Of the current block.
};

template <typename T>
void Delete(void* object) {
    delete static_cast<T*>(object);
}

class LogicalType {
public:
    explicit LogicalType(duckdb_type type) : type_(duckdb_create_logical_type(type)) {}
    explicit LogicalType(duckdb_logical_type type) : type_(type) {}
    LogicalType(const LogicalType&) = delete;
    ~LogicalType() { duckdb_destroy_logical_type(&type_); }
    duckdb_logical_type get() const { return type_; }

private:
    duckdb_logical_type type_;
};

duckdb_type ValueType(const core::Column& field) {
    if (field.is_float) return field.width == 4 ? DUCKDB_TYPE_FLOAT : DUCKDB_TYPE_DOUBLE;
    switch (field.width) {
        case 1:
            return field.is_signed ? DUCKDB_TYPE_TINYINT : DUCKDB_TYPE_UTINYINT;
        case 2:
            return field.is_signed ? DUCKDB_TYPE_SMALLINT : DUCKDB_TYPE_USMALLINT;
        case 4:
            return field.is_signed ? DUCKDB_TYPE_INTEGER : DUCKDB_TYPE_UINTEGER;
        default:
            return field.is_signed ? DUCKDB_TYPE_BIGINT : DUCKDB_TYPE_UBIGINT;
    }
}

duckdb_type ScalarType(const TableColumn& column) {
    switch (column.kind) {
        case TableColumnKind::kTime:
        case TableColumnKind::kDuration:
            return DUCKDB_TYPE_BIGINT;
        case TableColumnKind::kSpanId:
        case TableColumnKind::kParentId:
        case TableColumnKind::kArtifactId:
            return DUCKDB_TYPE_UBIGINT;
        case TableColumnKind::kArtifactText:
            return DUCKDB_TYPE_VARCHAR;
        case TableColumnKind::kRank:
            return DUCKDB_TYPE_INTEGER;
        case TableColumnKind::kProcessId:
        case TableColumnKind::kThread:
            return DUCKDB_TYPE_UINTEGER;
        default:
            return ValueType(column.field);
    }
}

void AddColumn(duckdb_bind_info info, const TableColumn& column) {
    if (column.kind == TableColumnKind::kArtifactList) {
        const LogicalType element(DUCKDB_TYPE_INTEGER);
        const LogicalType list(duckdb_create_list_type(element.get()));
        duckdb_bind_add_result_column(info, column.name.c_str(), list.get());
        return;
    }
    const LogicalType type(ScalarType(column));
    duckdb_bind_add_result_column(info, column.name.c_str(), type.get());
}

std::optional<int64_t> TimeParameter(duckdb_bind_info info, const char* name) {
    duckdb_value value = duckdb_bind_get_named_parameter(info, name);
    if (value == nullptr) return std::nullopt;
    std::optional<int64_t> time;
    if (!duckdb_is_null_value(value)) time = duckdb_get_int64(value);
    duckdb_destroy_value(&value);
    return time;
}

std::vector<int32_t> RanksParameter(duckdb_bind_info info) {
    std::vector<int32_t> ranks;
    duckdb_value list = duckdb_bind_get_named_parameter(info, "ranks");
    if (list == nullptr) return ranks;
    if (!duckdb_is_null_value(list)) {
        for (idx_t i = 0; i < duckdb_get_list_size(list); ++i) {
            duckdb_value rank = duckdb_get_list_child(list, i);
            if (!duckdb_is_null_value(rank)) ranks.push_back(duckdb_get_int32(rank));
            duckdb_destroy_value(&rank);
        }
    }
    duckdb_destroy_value(&list);
    return ranks;
}

void Bind(duckdb_bind_info info) {
    const Source& source = *static_cast<Source*>(duckdb_bind_get_extra_info(info));
    auto filter = std::make_unique<BlockFilter>();
    filter->t0_ns = TimeParameter(info, "t0_ns");
    filter->t1_ns = TimeParameter(info, "t1_ns");
    filter->ranks = RanksParameter(info);
    for (const TableColumn& column : source.table->columns) AddColumn(info, column);
    duckdb_bind_set_bind_data(info, filter.release(), Delete<BlockFilter>);
}

void Init(duckdb_init_info info) {
    auto scan = std::make_unique<Scan>();
    scan->source = *static_cast<Source*>(duckdb_init_get_extra_info(info));
    const auto& filter = *static_cast<BlockFilter*>(duckdb_init_get_bind_data(info));
    const Capture& capture = *scan->source.capture;
    for (const Block& block : capture.blocks()) {
        if (capture.Passes(block, filter) && capture.MayHold(block, scan->source.table->record))
            scan->blocks.push_back(&block);
    }
    for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i)
        scan->columns.push_back(duckdb_init_get_column_index(info, i));
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    duckdb_init_set_max_threads(info, std::clamp<size_t>(scan->blocks.size(), 1, cores));
    duckdb_init_set_init_data(info, scan.release(), Delete<Scan>);
}

void InitThread(duckdb_init_info info) {
    const Source& source = *static_cast<Source*>(duckdb_init_get_extra_info(info));
    auto cursor = std::make_unique<Cursor>();
    for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
        // count(*) may ask for a row number, which is no column of ours.
        const idx_t column = duckdb_init_get_column_index(info, i);
        cursor->columns.emplace_back(
            column < source.table->columns.size() ? &source.table->columns[column] : nullptr);
    }
    duckdb_init_set_init_data(info, cursor.release(), Delete<Cursor>);
}

// Opens the next block that has records of the type; false when there is none.
bool NextBlock(Scan* scan, Cursor* cursor) {
    const Capture& capture = *scan->source.capture;
    for (size_t i;
         (i = scan->next.fetch_add(1, std::memory_order_relaxed)) < scan->blocks.size();) {
        const Block& block = *scan->blocks[i];
        const Process* process = capture.processes()[block.process].get();
        if (cursor->process != process) {
            cursor->process = process;
            cursor->decoder.emplace(process->schema(), UnpackFrame);
        }
        core::BlockDecoder& decoder = *cursor->decoder;
        if (!capture.OpenBlock(block, &decoder)) continue;
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const auto& records = decoder.types()[type];
            if (records.layout == nullptr || records.layout->name != scan->source.table->record)
                continue;
            bool sound = true;
            for (ColumnFill& column : cursor->columns)
                sound = sound && column.Load(capture, block, &decoder, type);
            if (!sound) {
                capture.AddDamagedBlock(block, "a column cannot be decoded");
                break;
            }
            cursor->row = 0;
            cursor->rows = records.count;
            return true;
        }
    }
    return false;
}

void Next(duckdb_function_info info, duckdb_data_chunk out) {
    auto* scan = static_cast<Scan*>(duckdb_function_get_init_data(info));
    auto* cursor = static_cast<Cursor*>(duckdb_function_get_local_init_data(info));
    while (cursor->row == cursor->rows) {
        if (!NextBlock(scan, cursor)) {
            duckdb_data_chunk_set_size(out, 0);
            return;
        }
    }
    const size_t count = std::min<size_t>(cursor->rows - cursor->row, duckdb_vector_size());
    for (size_t i = 0; i < cursor->columns.size(); ++i) {
        cursor->columns[i].Fill(scan->source.capture->artifacts(), cursor->row, count,
                                duckdb_data_chunk_get_vector(out, i));
    }
    cursor->row += count;
    duckdb_data_chunk_set_size(out, count);
}

}  // namespace

const char* SqlType(const TableColumn& column) {
    if (column.kind == TableColumnKind::kArtifactList) return "INTEGER[]";
    switch (ScalarType(column)) {
        case DUCKDB_TYPE_FLOAT:
            return "FLOAT";
        case DUCKDB_TYPE_DOUBLE:
            return "DOUBLE";
        case DUCKDB_TYPE_TINYINT:
            return "TINYINT";
        case DUCKDB_TYPE_UTINYINT:
            return "UTINYINT";
        case DUCKDB_TYPE_SMALLINT:
            return "SMALLINT";
        case DUCKDB_TYPE_USMALLINT:
            return "USMALLINT";
        case DUCKDB_TYPE_INTEGER:
            return "INTEGER";
        case DUCKDB_TYPE_UINTEGER:
            return "UINTEGER";
        case DUCKDB_TYPE_BIGINT:
            return "BIGINT";
        case DUCKDB_TYPE_UBIGINT:
            return "UBIGINT";
        default:
            return "VARCHAR";
    }
}

bool RegisterRecordScan(duckdb_connection connection, const Capture& capture,
                        const RecordTable& table) {
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_table_function_set_name(function, table.name.c_str());
    const LogicalType time(DUCKDB_TYPE_BIGINT);
    const LogicalType rank(DUCKDB_TYPE_INTEGER);
    const LogicalType ranks(duckdb_create_list_type(rank.get()));
    duckdb_table_function_add_named_parameter(function, "t0_ns", time.get());
    duckdb_table_function_add_named_parameter(function, "t1_ns", time.get());
    duckdb_table_function_add_named_parameter(function, "ranks", ranks.get());
    duckdb_table_function_set_extra_info(function, new Source{&capture, &table}, Delete<Source>);
    duckdb_table_function_set_bind(function, Bind);
    duckdb_table_function_set_init(function, Init);
    duckdb_table_function_set_local_init(function, InitThread);
    duckdb_table_function_set_function(function, Next);
    duckdb_table_function_supports_projection_pushdown(function, true);
    const bool registered = duckdb_register_table_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_table_function(&function);
    return registered;
}

}  // namespace comshu::read
