// The layer under MPI_THREAD_MULTIPLE, with the MPI that it was built for. Linked into the program, so
// that ThreadSanitizer sees all of it: eight threads make calls whose slots are not bound yet, through a
// chain of three, while a ninth one registers more.
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>

#include <atomic>
#include <thread>
#include <vector>

#include "qmpi.h"

#ifdef __SANITIZE_THREAD__
// The MPI's own locks and lock-free queues are not instrumented. The loader's data is guarded by the
// loader's lock, which ThreadSanitizer does not see.
extern "C" const char* __tsan_default_options() {
    return "ignore_noninstrumented_modules=1";
}
extern "C" const char* __tsan_default_suppressions() {
    return "race:dl_iterate_phdr\n";
}
#endif

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 100;

struct Counts {
    std::atomic<int> irecv, isend, waitall, size, rank;
};
Counts counts;
std::atomic<int> wrong{0};

// Counts, asks the layer what a tool asks, and goes on.
template <typename Function, typename... Arguments>
int PassOn(std::atomic<int>& count, int number, QMPI_Context context, int tool_id,
           Arguments... arguments) {
    count++;
    QMPI_Function next = nullptr;
    int next_id = -1, owner = -1;
    void* storage = nullptr;
    QMPI_Get_function(tool_id, static_cast<QMPI_Functions_enum>(number), &next, &next_id);
    QMPI_Get_tool_storage(context, tool_id, &storage);
    // Here the layer is part of the executable, so the answer says nothing.
    qmpi_classify_address(qmpi_calling_address(context), &owner);
    wrong += storage != &counts || qmpi_tool_storage(context, tool_id) != storage;
    return reinterpret_cast<Function*>(next)(context, next_id, arguments...);
}

int Irecv(QMPI_Context context, int tool_id, void* buffer, int count, MPI_Datatype type, int source,
          int tag, MPI_Comm comm, MPI_Request* request) {
    return PassOn<QMPI_Irecv_t>(counts.irecv, MPI_IRECV_T, context, tool_id, buffer, count, type,
                                source, tag, comm, request);
}
int Isend(QMPI_Context context, int tool_id, const void* buffer, int count, MPI_Datatype type,
          int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    return PassOn<QMPI_Isend_t>(counts.isend, MPI_ISEND_T, context, tool_id, buffer, count, type,
                                dest, tag, comm, request);
}
int Waitall(QMPI_Context context, int tool_id, int count, MPI_Request* requests,
            MPI_Status* statuses) {
    return PassOn<QMPI_Waitall_t>(counts.waitall, MPI_WAITALL_T, context, tool_id, count, requests,
                                  statuses);
}
int Size(QMPI_Context context, int tool_id, MPI_Comm comm, int* size) {
    return PassOn<QMPI_Comm_size_t>(counts.size, MPI_COMM_SIZE_T, context, tool_id, comm, size);
}
int Rank(QMPI_Context context, int tool_id, MPI_Comm comm, int* rank) {
    return PassOn<QMPI_Comm_rank_t>(counts.rank, MPI_COMM_RANK_T, context, tool_id, comm, rank);
}

template <typename Function>
void Register(int tool_id, QMPI_Functions_enum number, Function* function) {
    EXPECT_EQ(QMPI_Register_function(tool_id, number, reinterpret_cast<QMPI_Function>(function)),
              MPI_SUCCESS);
}

void Init(int tool_id) {
    EXPECT_EQ(QMPI_Register_tool_storage(tool_id, &counts), MPI_SUCCESS);
    Register<QMPI_Irecv_t>(tool_id, MPI_IRECV_T, Irecv);
    Register<QMPI_Isend_t>(tool_id, MPI_ISEND_T, Isend);
    Register<QMPI_Waitall_t>(tool_id, MPI_WAITALL_T, Waitall);
    Register<QMPI_Comm_size_t>(tool_id, MPI_COMM_SIZE_T, Size);
}

void SendToOneself(int tag) {
    for (int round = 0; round < kRounds; round++) {
        int received = -1, rank = -1, size = -1;
        const int sent = tag * kRounds + round;
        MPI_Request requests[2];
        MPI_Irecv(&received, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&sent, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Comm_size(MPI_COMM_SELF, &size);
        MPI_Comm_rank(MPI_COMM_SELF, &rank);
        wrong += received != sent || rank != 0 || size != 1;
    }
}

void RegisterMore() {
    int ids[4];
    EXPECT_EQ(QMPI_Get_tool_ids(4, ids), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        Register<QMPI_Comm_rank_t>(ids[i], MPI_COMM_RANK_T, Rank);
        EXPECT_EQ(QMPI_Register_tool_storage(ids[i], &counts), MPI_SUCCESS);
    }
}

TEST(Threads, EveryCallOnceInEachToolWhileMoreIsRegistered) {
    setenv("QMPI_TOOLS", "one:two:one", 1);
    ASSERT_EQ(QMPI_Register_tool_name("one", Init), MPI_SUCCESS);
    ASSERT_EQ(QMPI_Register_tool_name("two", Init), MPI_SUCCESS);
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    ASSERT_EQ(provided, MPI_THREAD_MULTIPLE);
    pthread_barrier_t start;
    pthread_barrier_init(&start, nullptr, kThreads + 1);
    std::vector<std::thread> threads;
    for (int tag = 0; tag < kThreads; tag++) {
        threads.emplace_back([&start, tag] {
            pthread_barrier_wait(&start);
            SendToOneself(tag);
        });
    }
    pthread_barrier_wait(&start);
    RegisterMore();
    for (auto& thread : threads) {
        thread.join();
    }
    pthread_barrier_destroy(&start);
    constexpr int kCalls = 3 * kThreads * kRounds;
    EXPECT_EQ(counts.irecv, kCalls);
    EXPECT_EQ(counts.isend, kCalls);
    EXPECT_EQ(counts.waitall, kCalls);
    EXPECT_EQ(counts.size, kCalls);
    EXPECT_LE(counts.rank, kCalls) << "from some call on";
    const int before = counts.rank;
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    EXPECT_EQ(counts.rank, before + 3);
    EXPECT_EQ(wrong, 0);
    MPI_Finalize();
}

}  // namespace
