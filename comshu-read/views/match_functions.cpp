#include "views/match_functions.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "matching/mpi_functions.h"

namespace comshu::read {
namespace {

// A column of rows that lie in memory: `write` puts the value of a row at `index` of a vector's data,
// or returns false for null.
template <typename Row>
struct RowColumn {
    const char* name;
    duckdb_type type;
    bool (*write)(const Row& row, duckdb_vector vector, void* data, idx_t index);
};

template <typename Value>
bool Put(void* data, idx_t index, Value value) {
    static_cast<Value*>(data)[index] = value;
    return true;
}
bool PutText(duckdb_vector vector, idx_t index, std::string_view text) {
    duckdb_vector_assign_string_element_len(vector, index, text.data(), text.size());
    return true;
}
bool PutTime(void* data, idx_t index, int64_t time) {
    return time != kNoTime && Put(data, index, time);
}
bool PutBytes(void* data, idx_t index, uint64_t bytes) {
    return bytes != kNoBytes && Put(data, index, bytes);
}
bool PutSpan(void* data, idx_t index, uint64_t span) {
    return span != 0 && Put(data, index, span);
}
bool PutNumber(void* data, idx_t index, int32_t number) {
    return number != kNoNumber && Put(data, index, number);
}

// Writes the column `field` of a row by the function `put`.
#define COMSHU_ROW_COLUMN(Row, name, type, put, field)                                         \
    {                                                                                          \
        name, DUCKDB_TYPE_##type, [](const Row& row, duckdb_vector, void* data, idx_t index) { \
            return put(data, index, row.field);                                                \
        }                                                                                      \
    }

const RowColumn<MessageRow> kMessageColumns[] = {
    COMSHU_ROW_COLUMN(MessageRow, "comm", UBIGINT, Put, comm),
    COMSHU_ROW_COLUMN(MessageRow, "send_rank", INTEGER, Put, send_rank),
    COMSHU_ROW_COLUMN(MessageRow, "recv_rank", INTEGER, Put, recv_rank),
    COMSHU_ROW_COLUMN(MessageRow, "tag", INTEGER, Put, tag),
    COMSHU_ROW_COLUMN(MessageRow, "bytes", UBIGINT, PutBytes, bytes),
    COMSHU_ROW_COLUMN(MessageRow, "recv_bytes", UBIGINT, PutBytes, recv_bytes),
    COMSHU_ROW_COLUMN(MessageRow, "send_span", UBIGINT, PutSpan, send_span),
    COMSHU_ROW_COLUMN(MessageRow, "recv_span", UBIGINT, PutSpan, recv_span),
    COMSHU_ROW_COLUMN(MessageRow, "send_begin_ns", BIGINT, PutTime, send_begin),
    COMSHU_ROW_COLUMN(MessageRow, "send_end_ns", BIGINT, PutTime, send_end),
    COMSHU_ROW_COLUMN(MessageRow, "send_done_ns", BIGINT, PutTime, send_done),
    COMSHU_ROW_COLUMN(MessageRow, "recv_begin_ns", BIGINT, PutTime, recv_begin),
    COMSHU_ROW_COLUMN(MessageRow, "recv_end_ns", BIGINT, PutTime, recv_end),
    COMSHU_ROW_COLUMN(MessageRow, "send_done_span", UBIGINT, PutSpan, send_done_span),
    COMSHU_ROW_COLUMN(MessageRow, "recv_done_span", UBIGINT, PutSpan, recv_done_span),
    COMSHU_ROW_COLUMN(MessageRow, "send_done_begin_ns", BIGINT, PutTime, send_done_begin),
    COMSHU_ROW_COLUMN(MessageRow, "recv_done_begin_ns", BIGINT, PutTime, recv_done_begin),
};

const RowColumn<UnmatchedRow> kUnmatchedColumns[] = {
    {"side", DUCKDB_TYPE_VARCHAR,
     [](const UnmatchedRow& row, duckdb_vector vector, void*, idx_t index) {
         return PutText(vector, index, row.side == Side::kSend ? "send" : "receive");
     }},
    COMSHU_ROW_COLUMN(UnmatchedRow, "comm", UBIGINT, Put, comm),
    COMSHU_ROW_COLUMN(UnmatchedRow, "rank", INTEGER, Put, rank),
    COMSHU_ROW_COLUMN(UnmatchedRow, "peer", INTEGER, PutNumber, peer),
    COMSHU_ROW_COLUMN(UnmatchedRow, "tag", INTEGER, PutNumber, tag),
    COMSHU_ROW_COLUMN(UnmatchedRow, "bytes", UBIGINT, PutBytes, bytes),
    COMSHU_ROW_COLUMN(UnmatchedRow, "span_id", UBIGINT, PutSpan, span),
    COMSHU_ROW_COLUMN(UnmatchedRow, "begin_ns", BIGINT, PutTime, begin),
    {"why", DUCKDB_TYPE_VARCHAR,
     [](const UnmatchedRow& row, duckdb_vector vector, void*, idx_t index) {
         return PutText(vector, index, WhyText(row.why));
     }},
};

const RowColumn<CollectiveRow> kCollectiveColumns[] = {
    COMSHU_ROW_COLUMN(CollectiveRow, "instance", UBIGINT, Put, instance),
    COMSHU_ROW_COLUMN(CollectiveRow, "comm", UBIGINT, Put, comm),
    {"name", DUCKDB_TYPE_VARCHAR,
     [](const CollectiveRow& row, duckdb_vector vector, void*, idx_t index) {
         return PutText(vector, index, MpiFunctionName(row.function));
     }},
    COMSHU_ROW_COLUMN(CollectiveRow, "root", INTEGER, PutNumber, root),
    COMSHU_ROW_COLUMN(CollectiveRow, "rank", INTEGER, Put, rank),
    COMSHU_ROW_COLUMN(CollectiveRow, "span_id", UBIGINT, PutSpan, span),
    COMSHU_ROW_COLUMN(CollectiveRow, "begin_ns", BIGINT, PutTime, begin),
    COMSHU_ROW_COLUMN(CollectiveRow, "end_ns", BIGINT, PutTime, end),
    COMSHU_ROW_COLUMN(CollectiveRow, "bytes_in", UBIGINT, PutBytes, bytes_in),
    COMSHU_ROW_COLUMN(CollectiveRow, "bytes_out", UBIGINT, PutBytes, bytes_out),
    COMSHU_ROW_COLUMN(CollectiveRow, "comm_rank", INTEGER, PutNumber, comm_rank),
    COMSHU_ROW_COLUMN(CollectiveRow, "done_span", UBIGINT, PutSpan, done_span),
    COMSHU_ROW_COLUMN(CollectiveRow, "done_begin_ns", BIGINT, PutTime, done_begin),
};

#undef COMSHU_ROW_COLUMN

template <typename Row>
struct Function {
    std::function<const MatchResult&()> result;
    const RowChunks<Row>& (*rows)(const MatchResult& result);
    const RowColumn<Row>* columns;
    size_t column_count;
};

// Of one query: the pieces that no thread has taken yet.
template <typename Row>
struct Scan {
    const RowChunks<Row>* rows = nullptr;
    std::vector<const RowColumn<Row>*> columns;  // Null: a row number that nobody looks at.
    std::atomic<size_t> next{0};
};

template <typename T>
void Delete(void* object) {
    delete static_cast<T*>(object);
}

template <typename Row>
void Bind(duckdb_bind_info info) {
    const auto& function = *static_cast<Function<Row>*>(duckdb_bind_get_extra_info(info));
    for (size_t i = 0; i < function.column_count; ++i) {
        duckdb_logical_type type = duckdb_create_logical_type(function.columns[i].type);
        duckdb_bind_add_result_column(info, function.columns[i].name, type);
        duckdb_destroy_logical_type(&type);
    }
}

template <typename Row>
void Init(duckdb_init_info info) {
    const auto& function = *static_cast<Function<Row>*>(duckdb_init_get_extra_info(info));
    auto scan = std::make_unique<Scan<Row>>();
    try {
        scan->rows = &function.rows(function.result());
    } catch (const std::exception& failure) {
        duckdb_init_set_error(info, (std::string("matching: ") + failure.what()).c_str());
        return;
    }
    for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
        const idx_t column = duckdb_init_get_column_index(info, i);
        scan->columns.push_back(column < function.column_count ? &function.columns[column]
                                                               : nullptr);
    }
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    duckdb_init_set_max_threads(info, std::clamp<size_t>(scan->rows->chunk_count(), 1, cores));
    duckdb_init_set_init_data(info, scan.release(), Delete<Scan<Row>>);
}

template <typename Row>
void Next(duckdb_function_info info, duckdb_data_chunk out) {
    static_assert(RowChunks<Row>::kChunkRows <= 2048, "a piece fits a vector of DuckDB");
    auto& scan = *static_cast<Scan<Row>*>(duckdb_function_get_init_data(info));
    const size_t piece = scan.next.fetch_add(1, std::memory_order_relaxed);
    if (piece >= scan.rows->chunk_count()) {
        duckdb_data_chunk_set_size(out, 0);
        return;
    }
    const std::span<const Row> rows = scan.rows->chunk(piece);
    for (size_t i = 0; i < scan.columns.size(); ++i) {
        if (scan.columns[i] == nullptr) continue;
        duckdb_vector vector = duckdb_data_chunk_get_vector(out, i);
        void* data = duckdb_vector_get_data(vector);
        uint64_t* validity = nullptr;
        for (size_t row = 0; row < rows.size(); ++row) {
            if (scan.columns[i]->write(rows[row], vector, data, row)) continue;
            if (validity == nullptr) {
                duckdb_vector_ensure_validity_writable(vector);
                validity = duckdb_vector_get_validity(vector);
            }
            duckdb_validity_set_row_invalid(validity, row);
        }
    }
    duckdb_data_chunk_set_size(out, rows.size());
}

template <typename Row>
bool Register(duckdb_connection connection, const char* name, Function<Row> function) {
    duckdb_table_function table = duckdb_create_table_function();
    duckdb_table_function_set_name(table, name);
    duckdb_table_function_set_extra_info(table, new Function<Row>(std::move(function)),
                                         Delete<Function<Row>>);
    duckdb_table_function_set_bind(table, Bind<Row>);
    duckdb_table_function_set_init(table, Init<Row>);
    duckdb_table_function_set_function(table, Next<Row>);
    duckdb_table_function_supports_projection_pushdown(table, true);
    const bool registered = duckdb_register_table_function(connection, table) == DuckDBSuccess;
    duckdb_destroy_table_function(&table);
    return registered;
}

template <typename Row, size_t N>
Function<Row> FunctionOf(const std::function<const MatchResult&()>& result,
                         const RowColumn<Row> (&columns)[N],
                         const RowChunks<Row>& (*rows)(const MatchResult& result)) {
    return Function<Row>{result, rows, columns, N};
}

}  // namespace

bool RegisterMatchFunctions(duckdb_connection connection,
                            std::function<const MatchResult&()> result) {
    const auto messages = [](const MatchResult& result) -> const RowChunks<MessageRow>& {
        return result.messages();
    };
    const auto unmatched = [](const MatchResult& result) -> const RowChunks<UnmatchedRow>& {
        return result.unmatched();
    };
    const auto collectives = [](const MatchResult& result) -> const RowChunks<CollectiveRow>& {
        return result.collectives();
    };
    return Register(connection, "matched_message",
                    FunctionOf<MessageRow>(result, kMessageColumns, messages)) &&
           Register(connection, "matched_none",
                    FunctionOf<UnmatchedRow>(result, kUnmatchedColumns, unmatched)) &&
           Register(connection, "matched_collective",
                    FunctionOf<CollectiveRow>(result, kCollectiveColumns, collectives));
}

}  // namespace comshu::read
