// Table functions of SQL over rows that lie in memory, worked out when they are asked for first.
#ifndef COMSHU_READ_OPENMP_ROW_FUNCTION_H_
#define COMSHU_READ_OPENMP_ROW_FUNCTION_H_

#include <duckdb.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace comshu::read {

// A column: `write` puts the value of a row at `index` of a vector's data; false: null.
template <typename Row>
struct RowField {
    const char* name;
    duckdb_type type;
    bool (*write)(const Row& row, void* data, idx_t index);
};

template <typename Value>
constexpr duckdb_type TypeOfColumn() {
    using Whole = typename std::conditional_t<std::is_enum_v<Value>, std::underlying_type<Value>,
                                              std::type_identity<Value>>::type;
    if constexpr (std::is_same_v<Whole, bool>) return DUCKDB_TYPE_BOOLEAN;
    if constexpr (std::is_same_v<Whole, uint8_t>) return DUCKDB_TYPE_UTINYINT;
    if constexpr (std::is_same_v<Whole, uint32_t>) return DUCKDB_TYPE_UINTEGER;
    if constexpr (std::is_same_v<Whole, uint64_t>) return DUCKDB_TYPE_UBIGINT;
    if constexpr (std::is_same_v<Whole, int64_t>) return DUCKDB_TYPE_BIGINT;
    if constexpr (std::is_same_v<Whole, double>) return DUCKDB_TYPE_DOUBLE;
    return DUCKDB_TYPE_INVALID;
}

// The column of a member of a row, or of what a member function of it gives.
template <typename Row, auto kMember>
constexpr RowField<Row> MemberColumn(const char* name) {
    using Value = std::decay_t<std::invoke_result_t<decltype(kMember), const Row&>>;
    static_assert(TypeOfColumn<Value>() != DUCKDB_TYPE_INVALID);
    return {name, TypeOfColumn<Value>(), [](const Row& row, void* data, idx_t index) {
                static_cast<Value*>(data)[index] = std::invoke(kMember, row);
                return true;
            }};
}

template <typename Row>
struct RowFunction {
    std::vector<RowField<Row>> fields;
    std::function<const std::vector<Row>&()> rows;

    struct Scan {
        const std::vector<Row>* rows = nullptr;
        std::vector<const RowField<Row>*> fields;
        size_t next = 0;
    };
    template <typename T>
    static void Delete(void* object) {
        delete static_cast<T*>(object);
    }
    static void Bind(duckdb_bind_info info) {
        const auto& self = *static_cast<RowFunction*>(duckdb_bind_get_extra_info(info));
        for (const RowField<Row>& field : self.fields) {
            duckdb_logical_type type = duckdb_create_logical_type(field.type);
            duckdb_bind_add_result_column(info, field.name, type);
            duckdb_destroy_logical_type(&type);
        }
    }
    static void Init(duckdb_init_info info) {
        const auto& self = *static_cast<RowFunction*>(duckdb_init_get_extra_info(info));
        auto* scan = new Scan;
        duckdb_init_set_init_data(info, scan, Delete<Scan>);
        try {
            scan->rows = &self.rows();
        } catch (const std::exception& failure) {
            duckdb_init_set_error(info, failure.what());
            return;
        }
        for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
            const idx_t column = duckdb_init_get_column_index(info, i);
            scan->fields.push_back(column < self.fields.size() ? &self.fields[column] : nullptr);
        }
        duckdb_init_set_max_threads(info, 1);
    }
    static void Next(duckdb_function_info info, duckdb_data_chunk out) {
        auto& scan = *static_cast<Scan*>(duckdb_function_get_init_data(info));
        const size_t count = std::min<size_t>(scan.rows->size() - scan.next, duckdb_vector_size());
        for (size_t i = 0; i < scan.fields.size(); ++i) {
            if (scan.fields[i] == nullptr) continue;
            duckdb_vector vector = duckdb_data_chunk_get_vector(out, i);
            void* data = duckdb_vector_get_data(vector);
            for (size_t row = 0; row < count; ++row) {
                if (scan.fields[i]->write((*scan.rows)[scan.next + row], data, row)) continue;
                duckdb_vector_ensure_validity_writable(vector);
                duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
            }
        }
        scan.next += count;
        duckdb_data_chunk_set_size(out, count);
    }

    static bool Register(duckdb_connection connection, const char* name, RowFunction function) {
        duckdb_table_function table = duckdb_create_table_function();
        duckdb_table_function_set_name(table, name);
        duckdb_table_function_set_extra_info(table, new RowFunction(std::move(function)),
                                             Delete<RowFunction>);
        duckdb_table_function_set_bind(table, Bind);
        duckdb_table_function_set_init(table, Init);
        duckdb_table_function_set_function(table, Next);
        duckdb_table_function_supports_projection_pushdown(table, true);
        const bool registered = duckdb_register_table_function(connection, table) == DuckDBSuccess;
        duckdb_destroy_table_function(&table);
        return registered;
    }
};

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_ROW_FUNCTION_H_
