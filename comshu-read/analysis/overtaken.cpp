#include "overtaken.h"

#include <algorithm>

#include "comshu/read/query.h"
#include "table_appender.h"

namespace comshu::analysis {

void OvertakenFinder::Add(const SentMessage& message, int64_t first_ns) {
    while (!in_flight_.empty() && in_flight_.top().recv_end_ns < first_ns) {
        Receive(in_flight_.top());
        in_flight_.pop();
    }
    in_flight_.push(message);
}

void OvertakenFinder::Finish() {
    for (; !in_flight_.empty(); in_flight_.pop()) Receive(in_flight_.top());
}

void OvertakenFinder::Receive(const SentMessage& message) {
    const uint64_t pair = uint64_t{static_cast<uint32_t>(message.send_rank)} << 32 |
                          static_cast<uint32_t>(message.recv_rank);
    Latest& latest = *latest_.Insert(pair, Latest{});
    if (message.recv_end_ns > latest.end_ns) {
        latest.end_ns = message.recv_end_ns;
        latest.before_ns = std::max(latest.before_ns, latest.at_ns);
        latest.at_ns = kNever;
    }
    if (latest.before_ns > message.send_begin_ns) found_(message);
    latest.at_ns = std::max(latest.at_ns, message.send_begin_ns);
}

bool MakeOvertakenTable(read::Database* database, std::string* error) {
    // Kept aside: a result that is being read and a table that is being filled do not go together.
    std::vector<SentMessage> overtaken;
    OvertakenFinder finder([&](const SentMessage& message) { overtaken.push_back(message); });
    {
        read::Query query;
        if (!query.Run(database,
                       "SELECT send_rank, recv_rank, send_begin_ns, recv_end_ns, "
                       "least(send_begin_ns, recv_begin_ns, recv_end_ns) AS first_ns FROM message "
                       "WHERE send_begin_ns IS NOT NULL AND recv_end_ns IS NOT NULL "
                       "ORDER BY first_ns",
                       error))
            return false;
        while (query.Next()) {
            finder.Add({static_cast<int32_t>(query.Integer(0)),
                        static_cast<int32_t>(query.Integer(1)), query.Integer(2), query.Integer(3)},
                       query.Integer(4));
        }
        if (!query.error().empty()) {
            *error = query.error();
            return false;
        }
    }
    finder.Finish();
    if (!database->Execute("CREATE OR REPLACE TEMP TABLE overtaken (send_rank INTEGER, "
                           "recv_rank INTEGER, send_begin_ns BIGINT, recv_end_ns BIGINT)",
                           error))
        return false;
    read::TableAppender table(database->connection(), "overtaken");
    for (const SentMessage& message : overtaken) {
        table.Signed(message.send_rank).Signed(message.recv_rank);
        table.Signed(message.send_begin_ns).Signed(message.recv_end_ns).EndRow();
    }
    return table.Close(error);
}

}  // namespace comshu::analysis
