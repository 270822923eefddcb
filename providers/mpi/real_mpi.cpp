#include "mpi/real_mpi.h"

#include <qmpi.h>

#include "mpi/dialect.h"

namespace comshu::provider::mpi {

RealMpi real;

bool LoadRealMpi() {
    bool found = true;
    const auto load = [&](auto* function, int number) {
        *function =
            reinterpret_cast<std::remove_pointer_t<decltype(function)>>(qmpi_mpi_function(number));
        found = found && *function != nullptr;
    };
#define COMSHU_LOAD(name, number) load(&real.name, MPI_##number##_T);
    COMSHU_REAL_MPI_FUNCTIONS(COMSHU_LOAD)
#if MPI_VERSION >= 4
    COMSHU_LOAD(Group_from_session_pset, GROUP_FROM_SESSION_PSET)
#endif
#undef COMSHU_LOAD
    return found && LoadHandles(reinterpret_cast<void*>(real.Comm_size));
}

}  // namespace comshu::provider::mpi
