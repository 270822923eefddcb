// What matching has to know of each MPI function.
#ifndef COMSHU_READ_MATCHING_MPI_FUNCTIONS_H_
#define COMSHU_READ_MATCHING_MPI_FUNCTIONS_H_

#include <cstdint>
#include <string_view>

namespace comshu::read {

// How data moves in a collective operation, blocking or not: who cannot leave before whom has come.
enum class CollectiveShape : uint8_t {
    kNone,  // No collective, or one whose members depend on few others (neighbourhoods).
    kBarrier,
    kAll,
    kToRoot,
    kFromRoot,
    kScan,
};

struct MpiFunctionTraits {
    bool receives = false;     // MPI_Irecv, MPI_Recv_init, MPI_Mrecv ...
    bool persistent = false;   // Makes a request that MPI_Start starts.
    bool matched = false;      // MPI_Imrecv: receives what MPI_Mprobe or MPI_Improbe has taken.
    bool partitioned = false;  // MPI_Psend_init, MPI_Precv_init
    CollectiveShape shape = CollectiveShape::kNone;
};
const MpiFunctionTraits& TraitsOf(uint16_t function);
// As views have it; empty: none.
const char* ShapeText(CollectiveShape shape);

// Numbers of functions are below it.
extern const uint16_t kMpiFunctions;
// Empty for a number that this build does not know.
std::string_view MpiFunctionName(uint16_t function);

}  // namespace comshu::read

#endif  // COMSHU_READ_MATCHING_MPI_FUNCTIONS_H_
