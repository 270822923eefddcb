#include "comshu/analysis/links.h"

#include "overtaken.h"

namespace comshu::analysis {

const std::vector<LinkList>& LinkLists() {
    static const std::vector<LinkList> lists = {
        {"unmatched", "sends and receives without a partner",
         "SELECT * FROM unmatched ORDER BY begin_ns, rank, span_id"},
        {"backward", "messages that arrive before they are sent: an error of the clocks",
         R"(SELECT send_begin_ns - recv_end_ns AS early_ns, * FROM message
WHERE recv_end_ns < send_begin_ns ORDER BY early_ns DESC, send_begin_ns, send_span)"},
        {"self", "messages of a rank to itself",
         "SELECT * FROM message WHERE send_rank = recv_rank ORDER BY send_begin_ns, send_span"},
        {"truncated", "messages of which less was received than sent",
         "SELECT * FROM message WHERE recv_bytes < bytes ORDER BY send_begin_ns, send_span"},
        {"grown", "messages of which more was received than sent: an error",
         "SELECT * FROM message WHERE recv_bytes > bytes ORDER BY send_begin_ns, send_span"},
        {"crossing", "messages that a later one of the same two ranks overtook",
         R"(SELECT m.* FROM message m SEMI JOIN overtaken
    USING (send_rank, recv_rank, send_begin_ns, recv_end_ns) ORDER BY send_begin_ns, send_span)",
         MakeOvertakenTable},
        {"incomplete", "collectives to which not all members that were recorded came",
         R"(SELECT c.* FROM collective c JOIN (
    SELECT instance, comm, count(*) AS ranks FROM collective GROUP BY ALL) i USING (instance)
JOIN (SELECT comm, count(DISTINCT rank) AS members FROM mpi_comm WHERE remote_members IS NULL
    GROUP BY comm) m ON m.comm = c.comm
WHERE i.ranks < m.members ORDER BY instance, rank)"},
        {"partial", "collectives that have members that were not recorded",
         R"(SELECT * FROM collective WHERE comm IN (SELECT comm FROM mpi_comm
    WHERE remote_members IS NULL GROUP BY comm HAVING count(DISTINCT rank) < max(size))
ORDER BY instance, rank)"},
        {"unclosed", "epochs of one-sided communication that nothing closed",
         R"(SELECT * FROM rma_epoch WHERE open_span IS NOT NULL AND close_span IS NULL
ORDER BY begin_ns, rank, open_span, target)"},
        {"outside", "transfers of one-sided communication outside of any epoch",
         "SELECT * FROM rma_epoch WHERE open_span IS NULL ORDER BY begin_ns, rank, target"},
        {"unfinished", "reads and writes of files that nothing completed",
         R"(SELECT * FROM file_access WHERE access IS NOT NULL AND done_span IS NULL
ORDER BY begin_ns, rank, span_id)"},
    };
    return lists;
}

const char* const kLinkCountsSql = R"(SELECT 'messages' AS what, count(*) AS rows,
    coalesce(sum(bytes), 0)::UBIGINT AS bytes FROM message
UNION ALL SELECT 'collective calls', count(*), sum(bytes_in)::UBIGINT FROM collective
UNION ALL SELECT 'collective instances', count(DISTINCT instance), NULL FROM collective
UNION ALL SELECT 'epochs', count(DISTINCT open_span),
    coalesce(sum(put_bytes + get_bytes + accumulate_bytes), 0)::UBIGINT FROM rma_epoch
UNION ALL SELECT 'file reads and writes', count(*), coalesce(sum(bytes), 0)::UBIGINT
    FROM file_access WHERE access IS NOT NULL
UNION ALL (SELECT 'unmatched ' || side || ': ' || why, count(*), sum(bytes)::UBIGINT FROM unmatched
    GROUP BY ALL ORDER BY ALL))";

}  // namespace comshu::analysis
