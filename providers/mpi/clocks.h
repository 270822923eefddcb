// How the clocks of the hosts stand to each other, measured while MPI begins and ends.
//
// Ranks of one host read the same counter; those of several hosts need the distance of their clocks, and
// its growth. So at the end of MPI_Init and again where MPI_Finalize begins one rank per host sends
// messages to rank 0 and back, on a communicator of comshu's own: half way between sending and answer is
// when rank 0 read its counter, and half of the shortest round trip is the most that this can be wrong.
//
// Nothing is sent where all ranks are known to run on one host. Everything is given up after 2 s, with a
// note. Who is not recorded does not take part, and whoever waits for it would wait in vain: so this is
// done only if comshu run started the whole job, or --mpi.clocks on says that all ranks are recorded.
// These calls go to the library itself: no tool sees them, and they are part of the time of MPI_Init and
// MPI_Finalize. Threads: those of these two calls.
#ifndef COMSHU_PROVIDERS_MPI_CLOCKS_H_
#define COMSHU_PROVIDERS_MPI_CLOCKS_H_

#include "comshu/core/option.h"

namespace comshu::provider::mpi {

constexpr core::OptionInfo kClocksOption = {
    "clocks",
    "COMSHU_MPI_CLOCKS",
    core::OptionType::kChoice,
    "auto|on|off",
    "auto",
    "compare the clocks of hosts; on: also under mpirun ... comshu run, if all ranks are recorded"};

// After MPI_Init, on every rank of MPI_COMM_WORLD.
void CompareClocksAtInit(int rank, int size);
// Before MPI_Finalize, on every rank; nothing happens if the first comparison was given up.
void CompareClocksAtFinalize();

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_CLOCKS_H_
