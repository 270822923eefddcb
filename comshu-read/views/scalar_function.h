// Functions of one row for SQL, over DuckDB's C interface.
#ifndef COMSHU_READ_VIEWS_SCALAR_FUNCTION_H_
#define COMSHU_READ_VIEWS_SCALAR_FUNCTION_H_

#include <duckdb.h>

#include <exception>
#include <initializer_list>
#include <memory>
#include <utility>

namespace comshu::read {

// A column of arguments; DuckDB has flattened it.
template <typename Value>
class Argument {
public:
    Argument(duckdb_data_chunk input, idx_t index) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(input, index);
        data_ = static_cast<const Value*>(duckdb_vector_get_data(vector));
        validity_ = duckdb_vector_get_validity(vector);
    }
    bool IsNull(idx_t row) const {
        return validity_ != nullptr && !duckdb_validity_row_is_valid(validity_, row);
    }
    Value Get(idx_t row, Value if_null = Value{}) const {
        return IsNull(row) ? if_null : data_[row];
    }

private:
    const Value* data_;
    uint64_t* validity_;
};

inline void SetNull(duckdb_vector output, idx_t row) {
    duckdb_vector_ensure_validity_writable(output);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
}

// `work` fills the output from the input, with the state that the function was registered with; from
// several threads at once. What it throws becomes the error of the statement.
template <auto work>
void CallScalar(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const auto call = [&]<typename State>(void (*)(State*, duckdb_data_chunk, duckdb_vector)) {
        work(static_cast<std::shared_ptr<State>*>(duckdb_scalar_function_get_extra_info(info))
                 ->get(),
             input, output);
    };
    try {
        call(work);
    } catch (const std::exception& failure) {
        duckdb_scalar_function_set_error(info, failure.what());
    }
}

// The function keeps a share of `state`. Nulls are given to it like other values.
template <typename State>
bool RegisterScalar(duckdb_connection connection, std::shared_ptr<State> state, const char* name,
                    std::initializer_list<duckdb_type> parameters, duckdb_type result,
                    duckdb_scalar_function_t call) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, name);
    for (const duckdb_type parameter : parameters) {
        duckdb_logical_type type = duckdb_create_logical_type(parameter);
        duckdb_scalar_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_logical_type type = duckdb_create_logical_type(result);
    duckdb_scalar_function_set_return_type(function, type);
    duckdb_destroy_logical_type(&type);
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_extra_info(
        function, new std::shared_ptr<State>(std::move(state)),
        [](void* kept) { delete static_cast<std::shared_ptr<State>*>(kept); });
    duckdb_scalar_function_set_function(function, call);
    const bool registered = duckdb_register_scalar_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&function);
    return registered;
}

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_SCALAR_FUNCTION_H_
