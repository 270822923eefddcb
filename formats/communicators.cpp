#include "communicators.h"

#include "each_row.h"

namespace comshu::format {
namespace {

constexpr const char* kMembersSql = R"(WITH whole AS (
    SELECT comm, row_number() OVER (ORDER BY min(time_ns), comm) - 1 AS number
    FROM mpi_comm WHERE remote_members IS NULL
    GROUP BY comm HAVING count(DISTINCT comm_rank) = max(size))
SELECT w.number, w.comm, min(c.rank) FROM whole w JOIN mpi_comm c USING (comm)
GROUP BY w.number, w.comm, c.comm_rank ORDER BY w.number, c.comm_rank)";
constexpr const char* kNamesSql = "SELECT comm, coalesce(name, '') FROM communicator";
constexpr const char* kRanksSql =
    "SELECT DISTINCT rank FROM rank WHERE rank IS NOT NULL ORDER BY rank";

}  // namespace

bool Communicators::Load(read::Database* database, std::string* error) {
    std::vector<int32_t> ranks;
    const bool loaded =
        EachRow(database, kMembersSql, error,
                [&](const read::Query& row) {
                    if (row.Unsigned(0) >= all_.size()) all_.push_back({row.Unsigned(1), "", {}});
                    all_.back().members.push_back(static_cast<int32_t>(row.Integer(2)));
                }) &&
        EachRow(database, kNamesSql, error,
                [&](const read::Query& row) { names_[row.Unsigned(0)] = row.Text(1); }) &&
        EachRow(database, kRanksSql, error, [&](const read::Query& row) {
            ranks.push_back(static_cast<int32_t>(row.Integer(0)));
        });
    for (size_t i = 0; i < all_.size(); ++i) {
        all_[i].name = NameOf(all_[i].id);
        numbers_[all_[i].id] = static_cast<int64_t>(i);
    }
    FindWorld(ranks);
    return loaded;
}

void Communicators::FindWorld(const std::vector<int32_t>& ranks) {
    for (size_t i = all_.size(); i-- > 0;) {
        if (all_[i].members != ranks) continue;
        world_ = static_cast<int64_t>(i);
        if (all_[i].name == "MPI_COMM_WORLD") return;
    }
}

}  // namespace comshu::format
