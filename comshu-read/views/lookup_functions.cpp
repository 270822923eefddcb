#include <algorithm>
#include <string>

#include "views/match_functions.h"
#include "views/scalar_function.h"

namespace comshu::read {
namespace {

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

}  // namespace

bool RegisterLookupFunctions(duckdb_connection connection, std::shared_ptr<AnswerState> state) {
    const auto add = [&](const char* name, std::initializer_list<duckdb_type> parameters,
                         duckdb_type result, duckdb_scalar_function_t call) {
        return RegisterScalar(connection, state, name, parameters, result, call);
    };
    return add("matched_rows", {}, DUCKDB_TYPE_UBIGINT, CallScalar<MatchedRows>) &&
           add("nested_ns", {DUCKDB_TYPE_UBIGINT}, DUCKDB_TYPE_BIGINT, CallScalar<NestedNs>) &&
           add("source_text", {DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_UBIGINT}, DUCKDB_TYPE_VARCHAR,
               CallScalar<SourceText>) &&
           add("host_ns", {DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_BIGINT}, DUCKDB_TYPE_BIGINT,
               CallScalar<HostNs>) &&
           add("comm_name", {DUCKDB_TYPE_UBIGINT}, DUCKDB_TYPE_VARCHAR, CallScalar<CommName>) &&
           add("peer_rank",
               {DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_INTEGER,
                DUCKDB_TYPE_INTEGER},
               DUCKDB_TYPE_INTEGER, CallScalar<PeerRank>);
}

}  // namespace comshu::read
