#include "matching/mpi_functions.h"

#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "comshu/schema/mpi_function_generated.h"

namespace comshu::read {

namespace {

// `name` without MPI_, in its blocking form with int counts.
std::string PlainName(std::string_view name) {
    constexpr std::string_view kPrefix = "MPI_";
    if (!name.starts_with(kPrefix)) return "";
    name.remove_prefix(kPrefix.size());
    for (const std::string_view suffix : {"_c", "_init"}) {
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    }
    std::string plain(name);
    if (plain.size() > 1 && plain[0] == 'I' && std::islower(plain[1]) != 0) {
        plain.erase(0, 1);
        plain[0] = static_cast<char>(std::toupper(plain[0]));
    }
    return plain;
}

CollectiveShape ShapeOf(std::string_view name) {
    static const std::map<std::string, CollectiveShape, std::less<>> shapes = {
        {"Barrier", CollectiveShape::kBarrier},
        {"Allgather", CollectiveShape::kAll},
        {"Allgatherv", CollectiveShape::kAll},
        {"Allreduce", CollectiveShape::kAll},
        {"Alltoall", CollectiveShape::kAll},
        {"Alltoallv", CollectiveShape::kAll},
        {"Alltoallw", CollectiveShape::kAll},
        {"Reduce_scatter", CollectiveShape::kAll},
        {"Reduce_scatter_block", CollectiveShape::kAll},
        {"Gather", CollectiveShape::kToRoot},
        {"Gatherv", CollectiveShape::kToRoot},
        {"Reduce", CollectiveShape::kToRoot},
        {"Bcast", CollectiveShape::kFromRoot},
        {"Scatter", CollectiveShape::kFromRoot},
        {"Scatterv", CollectiveShape::kFromRoot},
        {"Exscan", CollectiveShape::kScan},
        {"Scan", CollectiveShape::kScan},
    };
    const auto found = shapes.find(PlainName(name));
    return found == shapes.end() ? CollectiveShape::kNone : found->second;
}

}  // namespace

const char* ShapeText(CollectiveShape shape) {
    switch (shape) {
        case CollectiveShape::kNone:
            return "";
        case CollectiveShape::kBarrier:
            return "barrier";
        case CollectiveShape::kAll:
            return "NxN";
        case CollectiveShape::kToRoot:
            return "to root";
        case CollectiveShape::kFromRoot:
            return "from root";
        case CollectiveShape::kScan:
            return "scan";
    }
    return "";
}

const uint16_t kMpiFunctions = static_cast<uint16_t>(schema::MpiFunction::MAX) + 1;

std::string_view MpiFunctionName(uint16_t function) {
    if (function > static_cast<uint16_t>(schema::MpiFunction::MAX)) return {};
    return schema::EnumNameMpiFunction(static_cast<schema::MpiFunction>(function));
}

const MpiFunctionTraits& TraitsOf(uint16_t function) {
    static const std::vector<MpiFunctionTraits> traits = [] {
        std::vector<MpiFunctionTraits> made(static_cast<size_t>(schema::MpiFunction::MAX) + 1);
        for (size_t i = 0; i < made.size(); ++i) {
            const std::string_view name = MpiFunctionName(static_cast<uint16_t>(i));
            made[i].receives = name.find("recv") != name.npos || name.find("Recv") != name.npos;
            made[i].persistent = name.ends_with("_init") || name.ends_with("_init_c");
            made[i].matched = name.starts_with("MPI_Imrecv");
            made[i].shape = ShapeOf(name);
            made[i].partitioned = name == "MPI_Psend_init" || name == "MPI_Precv_init";
        }
        return made;
    }();
    static const MpiFunctionTraits unknown;
    return function < traits.size() ? traits[function] : unknown;
}

}  // namespace comshu::read
