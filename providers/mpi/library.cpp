#include "mpi/library.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "comshu/core/clock.h"
#include "comshu/schema/mpi_generated.h"
#include "mpi/clocks.h"
#include "mpi/comm_table.h"
#include "mpi/definitions.h"
#include "mpi/dialect.h"
#include "mpi/lock.h"
#include "mpi/real_mpi.h"

namespace comshu::provider::mpi {

std::atomic<Phase> phase{Phase::kBefore};
std::atomic<bool> thread_multiple{false};

namespace {

// What all ranks of a world call their job. Worlds that are spawned have a name of their own where the
// launcher speaks PMIx.
const char* JobName() {
    for (const char* variable : {"PMIX_NAMESPACE", "COMSHU_JOB"}) {
        const char* value = std::getenv(variable);
        if (value != nullptr && value[0] != '\0') return value;
    }
    return "";
}

uint64_t InternLibraryVersion() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    if (real.Get_library_version(text, &length) != MPI_SUCCESS) return 0;
    text[MPI_MAX_LIBRARY_VERSION_STRING] = '\0';
    size_t end = std::strlen(text);
    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' ')) --end;
    text[end] = '\0';
    return InternText(text);
}

// ORTE tells a spawned process where its parent listens: "<namespace>.<rank>;<address>..."; hydra
// tells nothing. Returns the length of the namespace; 0: not told.
size_t SpawnerName(const char** name) {
    *name = std::getenv("OMPI_PARENT_PORT");
    const size_t length = *name == nullptr ? 0 : std::strcspn(*name, ".");
    return length == 0 || (*name)[length] == '\0' ? 0 : length;
}

// The job that spawned this one.
uint64_t InternParentJob() {
    MPI_Comm parent;
    if (real.Comm_get_parent(&parent) != MPI_SUCCESS || IsNull(parent)) return 0;
    const char* told;
    const size_t length = SpawnerName(&told);
    char name[64];
    if (length == 0 || length >= sizeof name) return 0;
    std::memcpy(name, told, length);
    name[length] = '\0';
    return InternText(name);
}

}  // namespace

int32_t SpawnerRank() {
    const char* told;
    const size_t length = SpawnerName(&told);
    if (length == 0) return kNoRank;
    char* end = nullptr;
    const long rank = std::strtol(told + length + 1, &end, 10);
    return end == told + length + 1 || rank < 0 || rank > INT32_MAX ? kNoRank
                                                                    : static_cast<int32_t>(rank);
}

void Initialized() {
    int rank = 0;
    int size = 0;
    int level = MPI_THREAD_SINGLE;
    if (real.Comm_rank(CommWorld(), &rank) != MPI_SUCCESS ||
        real.Comm_size(CommWorld(), &size) != MPI_SUCCESS ||
        real.Query_thread(&level) != MPI_SUCCESS) {
        return;
    }
    if (level == MPI_THREAD_MULTIPLE) thread_multiple.store(true, std::memory_order_relaxed);
    phase.store(Phase::kRunning, std::memory_order_release);
    const char* job = JobName();
    const CommInfo* world = comms.AddWorld(HashText(job), rank, size);
    if (world == nullptr) return;
    Define(schema::MpiRank(core::ReadCounter(), world->id, job[0] == '\0' ? 0 : InternText(job),
                           InternLibraryVersion(), rank, size, level, 0, InternParentJob()));
    CompareClocksAtInit(rank, size);
}

void Finalizing() {
    CompareClocksAtFinalize();
    phase.store(Phase::kEnded, std::memory_order_release);
}

void Finalized() {
    Define(schema::MpiFinalized(core::ReadCounter()));
    comshu_engine_finished();
}

#if MPI_VERSION >= 4

namespace {
std::atomic<int> open_sessions{0};
std::atomic<bool> session_rank_defined{false};
}  // namespace

void SessionOpened(MPI_Session session) {
    open_sessions.fetch_add(1, std::memory_order_relaxed);
    if (phase.load(std::memory_order_relaxed) != Phase::kRunning) {
        // The level of a session is in its info; more locks than needed do no harm.
        thread_multiple.store(true, std::memory_order_relaxed);
        phase.store(Phase::kRunning, std::memory_order_release);
    }
    if (session_rank_defined.exchange(true)) return;
    MPI_Group group;
    int rank = 0;
    int size = 0;
    if (real.Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS) return;
    if (real.Group_rank(group, &rank) != MPI_SUCCESS ||
        real.Group_size(group, &size) != MPI_SUCCESS) {
        real.Group_free(&group);
        return;
    }
    const char* job = JobName();
    comms.SetWorldGroup(group, HashText(job));
    Define(schema::MpiRank(core::ReadCounter(), comms.world_id(),
                           job[0] == '\0' ? 0 : InternText(job), InternLibraryVersion(), rank, size,
                           MPI_THREAD_MULTIPLE, 0, 0));
}

// The last session ends MPI for this process unless the program called MPI_Init as well.
void SessionClosing() {
    if (open_sessions.load(std::memory_order_relaxed) == 1 && !comms.HasWorldCommunicator()) {
        Finalizing();
    }
}

void SessionClosed() {
    if (open_sessions.fetch_sub(1, std::memory_order_relaxed) == 1 &&
        !comms.HasWorldCommunicator()) {
        Finalized();
    }
}

#endif

}  // namespace comshu::provider::mpi
