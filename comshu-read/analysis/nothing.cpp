#include <algorithm>
#include <string_view>

#include "comshu/analysis/sections.h"
#include "comshu/read/query.h"

namespace comshu::analysis {
namespace {

struct Recorded {
    bool mpi = false;
    bool openmp = false;
};

bool LookForLayers(read::Database* database, Recorded* recorded, std::string* error) {
    read::Query query;
    if (!query.Run(database,
                   "SELECT EXISTS (SELECT 1 FROM span WHERE layer = 'mpi'), "
                   "EXISTS (SELECT 1 FROM span WHERE layer = 'openmp')",
                   error)) {
        return false;
    }
    if (query.Next()) *recorded = {query.Integer(0) != 0, query.Integer(1) != 0};
    *error = query.error();
    return error->empty();
}

constexpr const char* kMpiIsRecorded =
    " Nothing of MPI was recorded; `comshu run -p mpi` records its calls.";
constexpr const char* kOpenmpIsRecorded =
    " Nothing of OpenMP was recorded; `comshu run -p openmp` records it of a Fortran program that "
    "`comshu fc` built, `-p ompt` of any that runs on LLVM's OpenMP.";
constexpr const char* kOpenmpHasMore =
    " There is OpenMP in it: `--section openmp` has its times and the efficiency of intervals.";

}  // namespace

bool WhyNothing(read::Database* database, const Section& section, const Filter& filter,
                std::string* why, std::string* error) {
    *why = section.none;
    if (filter.t0_ns || filter.t1_ns || !filter.ranks.empty() || !filter.where.empty())
        *why += " That is of what --window, --rank and --where leave.";
    Recorded recorded;
    if (!LookForLayers(database, &recorded, error)) return false;
    const auto reads = [&](std::string_view layer) {
        return std::find(section.layers.begin(), section.layers.end(), layer) !=
               section.layers.end();
    };
    if ((reads("mpi") && recorded.mpi) || (reads("openmp") && recorded.openmp)) return true;
    if (reads("mpi")) *why += kMpiIsRecorded;
    if (reads("openmp"))
        *why += kOpenmpIsRecorded;
    else if (reads("mpi") && recorded.openmp)
        *why += kOpenmpHasMore;
    return true;
}

}  // namespace comshu::analysis
