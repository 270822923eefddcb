#include "matching/mpi_functions.h"

#include <vector>

#include "comshu/schema/mpi_function_generated.h"

namespace comshu::read {

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
            made[i].partitioned = name == "MPI_Psend_init" || name == "MPI_Precv_init";
        }
        return made;
    }();
    static const MpiFunctionTraits unknown;
    return function < traits.size() ? traits[function] : unknown;
}

}  // namespace comshu::read
