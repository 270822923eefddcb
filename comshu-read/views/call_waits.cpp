#include "views/call_waits.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/query.h"
#include "span_table.h"
#include "views/scalar_function.h"
#include "views/wait_view.h"

namespace comshu::read {
namespace {

// Nearly every call completes one message, and then waited for that one: only those that complete
// several have to be brought together. Filled before the first statement from outside that asks for it, in
// the order of the members; read-only afterwards.
struct CallWaits {
    static constexpr uint8_t kCount = 3;
    static constexpr uint8_t kReceives = 4;

    SpanTable<uint8_t> completed;
    SpanTable<int64_t> late_sender_ns;
};

void CompletedMessages(CallWaits* waits, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> spans(input, 0);
    auto* out = static_cast<uint8_t*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        out[row] = waits->completed.Get(spans.Get(row)) & CallWaits::kCount;
    }
}

void CompletesReceive(CallWaits* waits, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> spans(input, 0);
    auto* out = static_cast<bool*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        out[row] = (waits->completed.Get(spans.Get(row)) & CallWaits::kReceives) != 0;
    }
}

void LateSenderNs(CallWaits* waits, duckdb_data_chunk input, duckdb_vector output) {
    const Argument<uint64_t> spans(input, 0);
    auto* out = static_cast<int64_t*>(duckdb_vector_get_data(output));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
        out[row] = waits->late_sender_ns.Get(spans.Get(row));
        if (out[row] == 0) SetNull(output, row);
    }
}

const std::vector<std::string> kFunctions = {"point_to_point_wait", "completed_messages",
                                             "completes_receive", "late_sender_ns"};

bool CountCompleted(Database* database, CallWaits* waits, std::string* error) {
    Query query;
    if (!query.Run(database, "SELECT send_done_span, recv_done_span FROM message", error))
        return false;
    const auto add = [&](size_t column, uint8_t also) {
        const uint64_t span = query.Unsigned(column);
        if (span == 0) return;  // Not known.
        uint8_t& value = waits->completed.At(span);
        const int count = std::min((value & CallWaits::kCount) + 1, 2);
        value = static_cast<uint8_t>((value & ~CallWaits::kCount) | count | also);
    };
    while (query.Next()) {
        add(0, 0);
        add(1, CallWaits::kReceives);
    }
    *error = query.error();
    return error->empty();
}

bool SumLateSenders(Database* database, CallWaits* waits, std::string* error) {
    Query query;
    if (!query.Run(database,
                   "SELECT span_id, w.until_ns - w.enter_ns FROM point_to_point_wait() "
                   "WHERE w.kind = 'late sender'",
                   error)) {
        return false;
    }
    while (query.Next()) waits->late_sender_ns.At(query.Unsigned(0)) = query.Integer(1);
    *error = query.error();
    return error->empty();
}

}  // namespace

void AddCallWaits(Database* database, bool for_wait_state) {
    const auto waits = std::make_shared<CallWaits>();
    database->MakeOnMention(kFunctions, [=](std::string* error) {
        const duckdb_connection connection = database->connection();
        if (RegisterScalar(connection, waits, "completed_messages", {DUCKDB_TYPE_UBIGINT},
                           DUCKDB_TYPE_UTINYINT, CallScalar<CompletedMessages>) &&
            RegisterScalar(connection, waits, "completes_receive", {DUCKDB_TYPE_UBIGINT},
                           DUCKDB_TYPE_BOOLEAN, CallScalar<CompletesReceive>) &&
            RegisterScalar(connection, waits, "late_sender_ns", {DUCKDB_TYPE_UBIGINT},
                           DUCKDB_TYPE_BIGINT, CallScalar<LateSenderNs>)) {
            return database->Execute(kPointToPointWaitSql, error);
        }
        *error = "DuckDB refuses a function about waiting";
        return false;
    });
    std::vector<std::string> users = kFunctions;
    if (for_wait_state) users.push_back("wait_state");
    database->MakeOnMention(
        users, [=](std::string* error) { return CountCompleted(database, waits.get(), error); },
        Database::Need::kRows);
    database->MakeOnMention(
        {"late_sender_ns"},
        [=](std::string* error) { return SumLateSenders(database, waits.get(), error); },
        Database::Need::kRows);
}

}  // namespace comshu::read
