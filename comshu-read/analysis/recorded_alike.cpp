#include <array>

#include <fmt/format.h>

#include "comshu/analysis/compare.h"
#include "comshu/read/query.h"
#include "comshu/schema/openmp_traits.h"
#include "unrecorded.h"

namespace comshu::analysis {
namespace {

// In the query.
static_assert(static_cast<int>(schema::OmpConstructKind::var_name) == 13 &&
              static_cast<int>(schema::OmpConstructKind::arr_name) == 14 &&
              static_cast<int>(schema::OmpConstructKind::common_name) == 15 &&
              static_cast<int>(schema::OmpConstructKind::seqloop) == 17);

// The level that sources were instrumented at is told by what they tell: of several the highest.
constexpr const char* kRecorded = R"(SELECT
    EXISTS (SELECT 1 FROM span WHERE layer = 'mpi'),
    EXISTS (SELECT 1 FROM span WHERE layer = 'openmp') OR EXISTS (SELECT 1 FROM omp_point),
    CASE WHEN EXISTS (SELECT 1 FROM omp_construct WHERE kind IN (13, 14, 15)) THEN 'at -d3 or -d4, with data'
        WHEN EXISTS (SELECT 1 FROM omp_construct WHERE kind = 17) OR EXISTS (SELECT 1 FROM omp_iteration)
            THEN 'at -d2, with iterations'
        WHEN EXISTS (SELECT 1 FROM omp_construct WHERE contains(context, '*noend=1*')) THEN 'at -d1, procedures alone'
        WHEN EXISTS (SELECT 1 FROM omp_construct) THEN 'at -dperf' ELSE 'by provider ompt' END)";

// Empty: an export of single tables does not tell.
bool RecordedOf(read::Database* database, std::string* recorded, std::string* error) {
    read::Query query;
    if (!query.Run(database, kRecorded, error, read::RowCount::kFew)) {
        if (!IsNotThere(*error)) return false;
        error->clear();
        return true;
    }
    if (query.Next()) {
        const bool mpi = query.Integer(0) != 0, openmp = query.Integer(1) != 0;
        if (mpi) *recorded = "MPI";
        if (openmp) *recorded += (mpi ? " and OpenMP " : "OpenMP ") + query.Text(2);
        if (!mpi && !openmp) *recorded = "neither MPI nor OpenMP";
    }
    *error = query.error();
    return error->empty();
}

}  // namespace

bool WhatDiffersInRecording(read::Database* before, read::Database* after, std::string* remark,
                            std::string* error) {
    std::array<std::string, 2> recorded;
    if (!RecordedOf(before, &recorded[0], error) || !RecordedOf(after, &recorded[1], error))
        return false;
    remark->clear();
    if (recorded[0].empty() || recorded[1].empty() || recorded[0] == recorded[1]) return true;
    *remark = fmt::format(
        "The captures were not recorded alike: before {}, after {}. What tells more takes time of "
        "its own, "
        "and calls that one of them cannot tell are new or gone: times are compared fairly at one "
        "level alone.",
        recorded[0], recorded[1]);
    return true;
}

}  // namespace comshu::analysis
