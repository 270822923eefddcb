#include "waits/wait_function.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "comshu/read/query.h"
#include "waits/call_facts.h"
#include "waits/wait_finder.h"

namespace comshu::read {
namespace {

constexpr const char* kOrderedMessages =
    "SELECT send_rank, recv_rank, send_span, recv_span, send_done_span, recv_done_span, "
    "send_begin_ns, send_done_ns, recv_begin_ns, recv_end_ns, send_done_begin_ns, "
    "recv_done_begin_ns FROM ordered_message()";
constexpr const char* kOrderedCollectives =
    "SELECT instance, name, root, rank, span_id, begin_ns, end_ns, comm_rank, done_span, "
    "done_begin_ns FROM ordered_collective()";

bool IsSynchronousSend(const std::string& name) {
    static constexpr std::string_view kNames[] = {"MPI_Ssend", "MPI_Issend", "MPI_Ssend_init",
                                                  "MPI_Ssend_c", "MPI_Issend_c"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

class Connection {
public:
    explicit Connection(const Database& database) : connection_(database.Connect()) {
        if (connection_ == nullptr) throw std::runtime_error("DuckDB refuses a connection");
    }
    ~Connection() { duckdb_disconnect(&connection_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    duckdb_connection get() const { return connection_; }

private:
    duckdb_connection connection_;
};

// The rows of one table, as they come. A connection has one result at a time.
class Input {
public:
    Input(const Database& database, const char* sql) : connection_(database) {
        std::string error;
        if (!query_.RunOn(connection_.get(), sql, &error)) throw std::runtime_error(error);
    }
    bool Next() {
        if (query_.Next()) return true;
        if (!query_.error().empty()) throw std::runtime_error(query_.error());
        return false;
    }

protected:
    int64_t Time(size_t column) const {
        return query_.IsNull(column) ? kNoTime : query_.Integer(column);
    }
    int32_t Number(size_t column) const {
        return query_.IsNull(column) ? kNoNumber : static_cast<int32_t>(query_.Integer(column));
    }

    Connection connection_;  // Outlives its result.
    Query query_;
};

class MessageInput : public Input {
public:
    explicit MessageInput(const Database& database) : Input(database, kOrderedMessages) {}
    MessageRow Row() const {
        MessageRow row;
        row.send_rank = static_cast<int32_t>(query_.Integer(0));
        row.recv_rank = static_cast<int32_t>(query_.Integer(1));
        row.send_span = query_.Unsigned(2);
        row.recv_span = query_.Unsigned(3);
        row.send_done_span = query_.Unsigned(4);
        row.recv_done_span = query_.Unsigned(5);
        row.send_begin = Time(6);
        row.send_done = Time(7);
        row.recv_begin = Time(8);
        row.recv_end = Time(9);
        row.send_done_begin = Time(10);
        row.recv_done_begin = Time(11);
        return row;
    }
};

class CollectiveInput : public Input {
public:
    explicit CollectiveInput(const Database& database) : Input(database, kOrderedCollectives) {
        for (uint16_t function = 0; function < kMpiFunctions; ++function)
            numbers_.emplace(MpiFunctionName(function), function);
    }
    CollectiveRow Row() const {
        CollectiveRow row;
        row.instance = query_.Unsigned(0);
        const auto function = numbers_.find(query_.Text(1));
        row.function = function == numbers_.end() ? kMpiFunctions : function->second;
        row.root = Number(2);
        row.rank = static_cast<int32_t>(query_.Integer(3));
        row.span = query_.Unsigned(4);
        row.begin = Time(5);
        row.end = Time(6);
        row.comm_rank = Number(7);
        row.done_span = query_.Unsigned(8);
        row.done_begin = Time(9);
        return row;
    }

private:
    std::unordered_map<std::string, uint16_t> numbers_;
};

// Rows with the facts of their calls, a bundle at a time.
class WaitStream {
public:
    struct Row {
        WaitRow wait;
        const CallFacts* call;
    };

    explicit WaitStream(const Database& database)
        : calls_(*database.capture()),
          finder_([this](const WaitRow& row) { found_.push_back(row); }) {
        Connection counting(database);
        Query members;
        std::string error;
        if (!members.RunOn(counting.get(), "SELECT instance FROM linked_collective()", &error))
            throw std::runtime_error(error);
        while (members.Next()) finder_.CountMember(members.Unsigned(0));
        if (!members.error().empty()) throw std::runtime_error(members.error());
        calls_.ForEachNamed(IsSynchronousSend,
                            [this](uint64_t span) { finder_.AddSynchronousSend(span); });
        messages_ = std::make_unique<MessageInput>(database);
        collectives_ = std::make_unique<CollectiveInput>(database);
        NextMessage();
        NextCollective();
    }

    // At most `most` of them; none: there are no more.
    const std::vector<Row>& Next(size_t most) {
        out_.clear();
        while (out_.empty() && (next_ < rows_.size() || Fill())) {
            for (; next_ < rows_.size() && out_.size() < most; ++next_) {
                if (rows_[next_].call->layer != nullptr) out_.push_back(rows_[next_]);
            }
        }
        return out_;
    }

private:
    static constexpr size_t kBundle = size_t{1} << 18;

    void NextMessage() {
        has_message_ = messages_->Next();
        if (has_message_) message_ = messages_->Row();
    }
    void NextCollective() {
        has_collective_ = collectives_->Next();
        if (has_collective_) collective_ = collectives_->Row();
    }
    static int64_t Begin(const MessageRow& row) {
        return row.send_begin == kNoTime   ? row.recv_begin
               : row.recv_begin == kNoTime ? row.send_begin
                                           : std::min(row.send_begin, row.recv_begin);
    }

    bool Fill() {
        found_.clear();
        rows_.clear();
        next_ = 0;
        while (found_.size() < kBundle && (has_message_ || has_collective_)) {
            if (has_message_ && (!has_collective_ || Begin(message_) <= collective_.begin)) {
                finder_.AddMessage(message_);
                NextMessage();
            } else {
                finder_.AddCollective(collective_);
                NextCollective();
            }
        }
        if (!has_message_ && !has_collective_ && !finished_) {
            finished_ = true;
            finder_.Finish();
        }
        if (found_.empty()) return false;
        int64_t t0_ns = std::numeric_limits<int64_t>::max();
        int64_t t1_ns = std::numeric_limits<int64_t>::min();
        std::vector<uint64_t> spans;
        for (const WaitRow& row : found_) {
            spans.push_back(row.span);
            t0_ns = std::min(t0_ns, row.enter_ns);
            t1_ns = std::max(t1_ns, row.until_ns);
        }
        std::sort(spans.begin(), spans.end());
        spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
        facts_ = calls_.Find(spans, t0_ns, t1_ns);
        for (const WaitRow& row : found_) {
            const auto at = std::lower_bound(spans.begin(), spans.end(), row.span);
            rows_.push_back({row, &facts_[static_cast<size_t>(at - spans.begin())]});
        }
        return true;
    }

    CallLookup calls_;
    WaitFinder finder_;
    std::unique_ptr<MessageInput> messages_;
    std::unique_ptr<CollectiveInput> collectives_;
    MessageRow message_;
    CollectiveRow collective_;
    bool has_message_ = false;
    bool has_collective_ = false;
    bool finished_ = false;
    std::vector<WaitRow> found_;
    std::vector<CallFacts> facts_;
    std::vector<Row> rows_;
    std::vector<Row> out_;
    size_t next_ = 0;
};

// A column: `write` puts the value of a row at `index` of a vector's data; false: null.
struct WaitColumn {
    const char* name;
    duckdb_type type;
    bool (*write)(const WaitStream::Row& row, duckdb_vector vector, void* data, idx_t index);
};

template <typename Value>
bool PutValue(void* data, idx_t index, Value value) {
    static_cast<Value*>(data)[index] = value;
    return true;
}
bool PutString(duckdb_vector vector, idx_t index, std::string_view text) {
    duckdb_vector_assign_string_element_len(vector, index, text.data(), text.size());
    return true;
}

constexpr WaitColumn kWaitColumns[] = {
    {"kind", DUCKDB_TYPE_VARCHAR,
     [](const WaitStream::Row& row, duckdb_vector vector, void*, idx_t index) {
         return PutString(vector, index, WaitKindText(row.wait.kind));
     }},
    {"rank", DUCKDB_TYPE_INTEGER,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.wait.rank);
     }},
    {"process_id", DUCKDB_TYPE_UINTEGER,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.call->process);
     }},
    {"thread", DUCKDB_TYPE_UINTEGER,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.call->thread);
     }},
    {"layer", DUCKDB_TYPE_VARCHAR,
     [](const WaitStream::Row& row, duckdb_vector vector, void*, idx_t index) {
         return PutString(vector, index, *row.call->layer);
     }},
    {"name", DUCKDB_TYPE_VARCHAR,
     [](const WaitStream::Row& row, duckdb_vector vector, void*, idx_t index) {
         return row.call->name != nullptr && PutString(vector, index, *row.call->name);
     }},
    {"caller", DUCKDB_TYPE_UBIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return row.call->has_caller && PutValue(data, index, row.call->caller);
     }},
    {"span_id", DUCKDB_TYPE_UBIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.wait.span);
     }},
    {"begin_ns", DUCKDB_TYPE_BIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.wait.enter_ns);
     }},
    {"wait_ns", DUCKDB_TYPE_BIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.wait.until_ns - row.wait.enter_ns);
     }},
    {"cause_rank", DUCKDB_TYPE_INTEGER,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return PutValue(data, index, row.wait.cause_rank);
     }},
    {"cause_span", DUCKDB_TYPE_UBIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return row.wait.cause_span != 0 && PutValue(data, index, row.wait.cause_span);
     }},
    {"instance", DUCKDB_TYPE_UBIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return row.wait.instance != 0 && PutValue(data, index, row.wait.instance);
     }},
    {"wrong_order", DUCKDB_TYPE_VARCHAR,
     [](const WaitStream::Row& row, duckdb_vector vector, void*, idx_t index) {
         return row.wait.wrong != WrongOrder::kNo &&
                PutString(
                    vector, index,
                    row.wait.wrong == WrongOrder::kSameSource ? "same source" : "other source");
     }},
    {"call_ns", DUCKDB_TYPE_BIGINT,
     [](const WaitStream::Row& row, duckdb_vector, void* data, idx_t index) {
         return row.call->duration_ns != kNoTime && PutValue(data, index, row.call->duration_ns);
     }},
};
constexpr size_t kWaitColumnCount = std::size(kWaitColumns);

// Of one query.
struct WaitScan {
    const Database* database;
    std::vector<idx_t> columns;
    std::unique_ptr<WaitStream> stream;
};

void BindWaits(duckdb_bind_info info) {
    for (const WaitColumn& column : kWaitColumns) {
        duckdb_logical_type type = duckdb_create_logical_type(column.type);
        duckdb_bind_add_result_column(info, column.name, type);
        duckdb_destroy_logical_type(&type);
    }
}

void InitWaits(duckdb_init_info info) {
    auto* scan =
        new WaitScan{static_cast<const Database*>(duckdb_init_get_extra_info(info)), {}, {}};
    for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i)
        scan->columns.push_back(duckdb_init_get_column_index(info, i));
    duckdb_init_set_init_data(info, scan, [](void* data) { delete static_cast<WaitScan*>(data); });
    duckdb_init_set_max_threads(info, 1);
}

void WriteWaits(const std::vector<WaitStream::Row>& rows, const WaitColumn& column,
                duckdb_vector vector) {
    void* data = duckdb_vector_get_data(vector);
    uint64_t* validity = nullptr;
    for (size_t row = 0; row < rows.size(); ++row) {
        if (column.write(rows[row], vector, data, row)) continue;
        if (validity == nullptr) {
            duckdb_vector_ensure_validity_writable(vector);
            validity = duckdb_vector_get_validity(vector);
        }
        duckdb_validity_set_row_invalid(validity, row);
    }
}

void NextWaits(duckdb_function_info info, duckdb_data_chunk out) {
    auto& scan = *static_cast<WaitScan*>(duckdb_function_get_init_data(info));
    try {
        if (scan.stream == nullptr) scan.stream = std::make_unique<WaitStream>(*scan.database);
        const std::vector<WaitStream::Row>& rows = scan.stream->Next(duckdb_vector_size());
        for (size_t i = 0; i < scan.columns.size(); ++i) {
            if (scan.columns[i] >= kWaitColumnCount) continue;
            WriteWaits(rows, kWaitColumns[scan.columns[i]], duckdb_data_chunk_get_vector(out, i));
        }
        duckdb_data_chunk_set_size(out, rows.size());
    } catch (const std::exception& failure) {
        duckdb_function_set_error(info, (std::string("waiting: ") + failure.what()).c_str());
    }
}

}  // namespace

bool RegisterWaitFunction(Database* database) {
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_table_function_set_name(function, "found_wait");
    duckdb_table_function_set_extra_info(function, database, nullptr);
    duckdb_table_function_set_bind(function, BindWaits);
    duckdb_table_function_set_init(function, InitWaits);
    duckdb_table_function_set_function(function, NextWaits);
    duckdb_table_function_supports_projection_pushdown(function, true);
    const bool registered =
        duckdb_register_table_function(database->connection(), function) == DuckDBSuccess;
    duckdb_destroy_table_function(&function);
    return registered;
}

}  // namespace comshu::read
