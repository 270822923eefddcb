#include "mpi/clocks.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "comshu/core/clock.h"
#include "comshu/rec/engine.h"
#include "comshu/rec/thread_state.h"
#include "comshu/schema/mpi_clock_traits.h"
#include "mpi/comm_table.h"
#include "mpi/dialect.h"
#include "mpi/handle_table.h"
#include "mpi/real_mpi.h"

namespace comshu::provider::mpi {
namespace {

constexpr int64_t kGiveUpMs = 2000;
constexpr uint32_t kRounds = 32;
constexpr int kPingTag = 1;
constexpr int kPongTag = 2;
constexpr int kRoot = 0;

struct Pong {
    uint64_t number;  // Of the ping.
    uint64_t ticks;   // When the ping came; 0: rank 0 has given up.
};

// Everything that a request may still refer to when it is given up outlives it.
struct State {
    bool is_ready = false;  // The communicator is there, and the other hosts are known.
    MPI_Comm comm{};
    int* leaders = nullptr;  // On rank 0: the first rank of each other host that answers.
    int leader_count = 0;
    bool asks = false;  // This rank is the first one of another host.
    uint64_t host = 0;
    uint64_t ping = 0;
    uint64_t ping_in = 0;
    Pong pong{};
    Pong pong_in{};
};
State state;
const Pong kGivenUp{0, 0};

std::optional<uint64_t> NumberIn(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::nullopt : core::ParseNumber(value);
}

class Deadline {
public:
    Deadline() {
        const auto ms = static_cast<int64_t>(NumberIn("COMSHU_TEST_CLOCKS_MS").value_or(kGiveUpMs));
        at_ns_ = core::ReadClockNs(CLOCK_MONOTONIC) + ms * 1'000'000;
    }
    bool HasPassed() const { return core::ReadClockNs(CLOCK_MONOTONIC) > at_ns_; }

private:
    int64_t at_ns_ = 0;
};

// False: it failed, or was not complete in time.
bool Wait(MPI_Request* request, const Deadline& deadline) {
    constexpr uint32_t kTestsPerLook = 64;
    for (uint32_t tests = 1;; ++tests) {
        int done = 0;
        if (real.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) return true;
        if (tests % kTestsPerLook != 0) continue;
        if (deadline.HasPassed()) return false;
        sched_yield();
    }
}

template <typename Message>
bool Send(const Message& message, int to, int tag, const Deadline& deadline) {
    MPI_Request request;
    return real.Isend(&message, sizeof message, ByteType(), to, tag, state.comm, &request) ==
               MPI_SUCCESS &&
           Wait(&request, deadline);
}

void Drop(MPI_Request* request) {
    real.Cancel(request);
    real.Request_free(request);
}

template <typename Message>
bool Receive(Message* message, int from, int tag, const Deadline& deadline) {
    MPI_Request request;
    if (real.Irecv(message, sizeof *message, ByteType(), from, tag, state.comm, &request) !=
        MPI_SUCCESS) {
        return false;
    }
    if (Wait(&request, deadline)) return true;
    Drop(&request);
    return false;
}

void NoteGivenUp(const char* what) {
    char text[300];
    snprintf(
        text, sizeof text,
        "The clocks of the hosts were not compared: %s within 2 s. Times of ranks on different "
        "hosts are as far apart as these clocks.",
        what);
    comshu_engine_note("clocks", text);
}

// Whether there is more than one host, by what launchers tell; nothing: they do not.
std::optional<bool> HasHosts(int size) {
    if (std::getenv("COMSHU_TEST_HOSTS") != nullptr) return true;
    if (const auto local = NumberIn(kLocalRanksVariable)) {
        return *local != static_cast<uint64_t>(size);
    }
    if (const auto nodes = NumberIn("SLURM_STEP_NUM_NODES")) return *nodes > 1;
    return std::nullopt;
}

// The same on all ranks: by what they all were told.
bool IsWanted(int size) {
    const std::string_view choice = core::ValueOf(kClocksOption);
    if (size < 2 || choice == "off") return false;
    const std::optional<bool> has_hosts = HasHosts(size);
    if (has_hosts == false) return false;
    if (choice == "on" || std::getenv("COMSHU_WHOLE_JOB") != nullptr) return true;
    if (has_hosts) {
        comshu_engine_note("clocks",
                           "The ranks run on several hosts, whose clocks were not compared, since "
                           "some ranks might not be recorded. If all are, say --mpi.clocks on.");
    }
    return false;
}

bool MakeComm(const Deadline& deadline) {
    // Should it fail, the program must not.
    MPI_Errhandler handler;
    if (real.Comm_get_errhandler(CommWorld(), &handler) != MPI_SUCCESS) return false;
    real.Comm_set_errhandler(CommWorld(), ErrorsReturn());
    MPI_Request request;
    const bool made = real.Comm_idup(CommWorld(), &state.comm, &request) == MPI_SUCCESS &&
                      Wait(&request, deadline);
    real.Comm_set_errhandler(CommWorld(), handler);
    real.Errhandler_free(&handler);
    return made && real.Comm_set_errhandler(state.comm, ErrorsReturn()) == MPI_SUCCESS;
}

// Who is the first rank of its host.
bool FindLeaders(int rank, int size, const Deadline& deadline) {
    state.host = comshu_engine_host();
    auto* hosts = static_cast<uint64_t*>(std::malloc(sizeof(uint64_t) * static_cast<size_t>(size)));
    if (hosts == nullptr) return false;
    MPI_Request request;
    if (real.Iallgather(&state.host, sizeof state.host, ByteType(), hosts, sizeof *hosts,
                        ByteType(), state.comm, &request) != MPI_SUCCESS ||
        !Wait(&request, deadline)) {
        return false;  // The request may still write there.
    }
    HandleTable<int> known;
    known.Insert(hosts[kRoot], kRoot);
    state.leaders = static_cast<int*>(std::malloc(sizeof(int) * static_cast<size_t>(size)));
    for (int other = 1; other < size && state.leaders != nullptr; ++other) {
        if (known.Find(hosts[other]) != nullptr) continue;
        known.Insert(hosts[other], other);
        state.leaders[state.leader_count++] = other;
    }
    state.asks = std::find(state.leaders, state.leaders + state.leader_count, rank) !=
                 state.leaders + state.leader_count;
    if (rank != kRoot) state.leader_count = 0;
    known.Release();
    std::free(hosts);
    return state.leaders != nullptr;
}

bool Answer(int leader, const Deadline& deadline) {
    for (uint32_t round = 0; round < kRounds; ++round) {
        if (!Receive(&state.ping_in, leader, kPingTag, deadline)) return false;
        state.pong = {state.ping_in, rec::ReadTicks()};
        if (!Send(state.pong, leader, kPongTag, deadline)) return false;
    }
    return true;
}

// Who was not answered in time is told so, and is left out from now on.
void AnswerAll(const Deadline& deadline) {
    int answered = 0;
    for (int i = 0; i < state.leader_count; ++i) {
        const int leader = state.leaders[i];
        if (Answer(leader, deadline)) {
            state.leaders[answered++] = leader;
            continue;
        }
        MPI_Request request;
        if (real.Isend(&kGivenUp, sizeof kGivenUp, ByteType(), leader, kPongTag, state.comm,
                       &request) == MPI_SUCCESS) {
            real.Request_free(&request);
        }
    }
    if (answered < state.leader_count) NoteGivenUp("a rank of another host did not come");
    state.leader_count = answered;
}

// An answer to an earlier ping, that was given up, is read over.
bool Exchange(schema::MpiClockSync* best, const Deadline& deadline) {
    ++state.ping;
    MPI_Request request;
    const uint64_t sent = rec::ReadTicks();
    if (real.Isend(&state.ping, sizeof state.ping, ByteType(), kRoot, kPingTag, state.comm,
                   &request) != MPI_SUCCESS) {
        return false;
    }
    do {
        if (!Receive(&state.pong_in, kRoot, kPongTag, deadline) || state.pong_in.ticks == 0) {
            Drop(&request);
            return false;
        }
    } while (state.pong_in.number != state.ping);
    const uint64_t received = rec::ReadTicks();
    if (best->rounds() == 0 || received - sent < best->end() - best->begin()) {
        best->mutate_begin(sent);
        best->mutate_end(received);
        best->mutate_peer_ticks(state.pong_in.ticks);
    }
    best->mutate_rounds(best->rounds() + 1);
    return Wait(&request, deadline);
}

void Ask(schema::MpiClockMoment moment, const Deadline& deadline) {
    schema::MpiClockSync best(0, 0, 0, comms.world_id(), kRoot, 0, moment);
    while (best.rounds() < kRounds && Exchange(&best, deadline)) continue;
    if (best.rounds() < kRounds) {
        state.asks = false;
        NoteGivenUp("rank 0 did not answer");
        return;
    }
    comshu_engine_define(schema::RecordTraits<schema::MpiClockSync>::kType, &best, sizeof best);
}

void Compare(schema::MpiClockMoment moment, const Deadline& deadline) {
    if (state.asks) Ask(moment, deadline);
    if (state.leader_count > 0) AnswerAll(deadline);
}

}  // namespace

void CompareClocksAtInit(int rank, int size) {
    if (!IsWanted(size)) return;
    const Deadline deadline;
    state.is_ready = MakeComm(deadline) && FindLeaders(rank, size, deadline);
    if (!state.is_ready) {
        NoteGivenUp("not all ranks came");
        return;
    }
    Compare(schema::MpiClockMoment::init, deadline);
}

void CompareClocksAtFinalize() {
    if (!state.is_ready) return;
    state.is_ready = false;
    Compare(schema::MpiClockMoment::finalize, Deadline());
}

}  // namespace comshu::provider::mpi
