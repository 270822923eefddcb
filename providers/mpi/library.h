// Where the MPI library stands in its life, and what is recorded when it begins and ends.
#ifndef COMSHU_PROVIDERS_MPI_LIBRARY_H_
#define COMSHU_PROVIDERS_MPI_LIBRARY_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace comshu::provider::mpi {

enum class Phase : uint32_t { kBefore, kRunning, kEnded };
extern std::atomic<Phase> phase;

// The provider's own calls of MPI are legal.
inline bool MayCallMpi() {
    return phase.load(std::memory_order_relaxed) == Phase::kRunning;
}

// Which process of the job that spawned this world called MPI_Comm_spawn as its root; kNoRank: the
// launcher does not tell.
int32_t SpawnerRank();

// When MPI_Init or MPI_Init_thread has returned success, in the time of that call.
void Initialized();
// Where the time of MPI_Finalize has begun, and after it returned success.
void Finalizing();
void Finalized();
#if MPI_VERSION >= 4
// After MPI_Session_init returned success, before MPI_Session_finalize and after it did: programs may
// never call MPI_Init.
void SessionOpened(MPI_Session session);
void SessionClosing();
void SessionClosed();
#endif

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_LIBRARY_H_
