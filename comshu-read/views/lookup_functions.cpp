#include <algorithm>
#include <exception>
#include <string>

#include "views/match_functions.h"

namespace comshu::read {
namespace {

using State = std::shared_ptr<AnswerState>;

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

void SetNull(duckdb_vector output, idx_t row) {
    duckdb_vector_ensure_validity_writable(output);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
}

void PutText(const std::string* text, duckdb_vector output, idx_t row) {
    if (text == nullptr) {
        SetNull(output, row);
    } else {
        duckdb_vector_assign_string_element_len(output, row, text->data(), text->size());
    }
}

void NestedNs(AnswerState* state, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> spans(input, 0);
    auto* out = static_cast<int64_t*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        out[row] = state->NestedNs(spans.Get(row));
    }
}

void SourceText(AnswerState* state, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint32_t> processes(input, 0);
    const Argument<uint64_t> addresses(input, 1);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        const std::string* text = addresses.IsNull(row)
                                      ? nullptr
                                      : state->SourceText(processes.Get(row), addresses.Get(row));
        PutText(text, output, row);
    }
}

void PeerRank(AnswerState* state, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint32_t> processes(input, 0);
    const Argument<uint64_t> comms(input, 1);
    const Argument<int32_t> peers(input, 2);
    const Argument<int32_t> world_peers(input, 3);
    auto* out = static_cast<int32_t*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        out[row] = state->PeerRank(processes.Get(row), comms.Get(row), peers.Get(row, kNoNumber),
                                   world_peers.Get(row, kNoNumber));
        if (out[row] == kNoNumber) SetNull(output, row);
    }
}

void HostNs(AnswerState* state, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> spans(input, 0);
    const Argument<int64_t> times(input, 1);
    auto* out = static_cast<int64_t*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        out[row] = spans.IsNull(row) || times.IsNull(row)
                       ? kNoTime
                       : state->HostNs(spans.Get(row), times.Get(row));
        if (out[row] == kNoTime) SetNull(output, row);
    }
}

void CommName(AnswerState* state, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> comms(input, 0);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        PutText(comms.IsNull(row) ? nullptr : state->CommName(comms.Get(row)), output, row);
    }
}

void MatchedRows(AnswerState* state, duckdb_data_chunk input, duckdb_vector output) {
    auto* out = static_cast<uint64_t*>(duckdb_vector_get_data(output));
    const idx_t rows = std::max<idx_t>(1, duckdb_data_chunk_get_size(input));
    for (idx_t row = 0; row < rows; ++row) out[row] = state->matched_rows();
}

using Work = void (*)(AnswerState* state, duckdb_data_chunk input, duckdb_vector output);

template <Work work>
void Call(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    try {
        work(static_cast<State*>(duckdb_scalar_function_get_extra_info(info))->get(), input,
             output);
    } catch (const std::exception& failure) {
        duckdb_scalar_function_set_error(info, failure.what());
    }
}

void DeleteState(void* state) {
    delete static_cast<State*>(state);
}

bool Register(duckdb_connection connection, const State& state, const char* name,
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
    duckdb_scalar_function_set_extra_info(function, new State(state), DeleteState);
    duckdb_scalar_function_set_function(function, call);
    const bool registered = duckdb_register_scalar_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&function);
    return registered;
}

}  // namespace

bool RegisterLookupFunctions(duckdb_connection connection, std::shared_ptr<AnswerState> state) {
    return Register(connection, state, "matched_rows", {}, DUCKDB_TYPE_UBIGINT,
                    Call<MatchedRows>) &&
           Register(connection, state, "nested_ns", {DUCKDB_TYPE_UBIGINT}, DUCKDB_TYPE_BIGINT,
                    Call<NestedNs>) &&
           Register(connection, state, "source_text", {DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_UBIGINT},
                    DUCKDB_TYPE_VARCHAR, Call<SourceText>) &&
           Register(connection, state, "host_ns", {DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_BIGINT},
                    DUCKDB_TYPE_BIGINT, Call<HostNs>) &&
           Register(connection, state, "comm_name", {DUCKDB_TYPE_UBIGINT}, DUCKDB_TYPE_VARCHAR,
                    Call<CommName>) &&
           Register(connection, state, "peer_rank",
                    {DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_INTEGER,
                     DUCKDB_TYPE_INTEGER},
                    DUCKDB_TYPE_INTEGER, Call<PeerRank>);
}

}  // namespace comshu::read
