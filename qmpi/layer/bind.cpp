#include "layer/bind.h"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "layer/call.h"
#include "layer/caller.h"
#include "layer/chain.h"
#include "layer/fortran.h"
#include "layer/library.h"
#include "layer/members.h"
#include "layer/note.h"
#include "layer/tables.h"
#include "layer/tools.h"

namespace qmpi {

namespace {

enum class State {
    kUnknown,   // no MPI call yet, or no MPI
    kStarting,  // one thread initialises the tools
    kOff,       // another MPI, or switched off
    kNoTool,
    kActive,
};

std::atomic<State> state{State::kUnknown};
std::atomic<pthread_t> starter{};

bool IsDisabled() {
    return IsSwitchedOn("QMPI_DISABLE");
}

// Tools run user code, so only the thread that started may pass, and threads of the tools, since it may
// wait for them; the others wait. The limit is for what could hang all the same: a constructor under
// the loader's lock waiting here for a tool that waits for the loader. That call then goes on unseen.
State WaitForStart(const void* caller) {
    const bool passes =
        pthread_equal(starter.load(), pthread_self()) != 0 || Classify(caller) == Caller::kTool;
    State now = state.load(std::memory_order_acquire);
    for (int i = 0; !passes && now == State::kStarting && i < 50000; i++) {
        const timespec pause = {0, 100000};
        nanosleep(&pause, nullptr);
        now = state.load(std::memory_order_acquire);
    }
    return now;
}

void Store(void*& slot, void* target) {
    __atomic_store_n(&slot, target, __ATOMIC_RELEASE);
}

// Slots that were bound before the tool came lead past it.
void BindIntercepted() {
    for (int row = 0; row < qmpi_row_count; row++) {
        if (IsIntercepted(row)) {
            Store(qmpi_slots[row], reinterpret_cast<void*>(qmpi_wrappers[row]));
        }
    }
}

void Start() {
    StartCallers();
    const bool has_tools = StartTools();
    if (has_tools) {
        RedirectFortranBindings();
    }
    state.store(has_tools ? State::kActive : State::kNoTool, std::memory_order_release);
    ForgetCallers();  // whoever was looked up before all tools were there
    BindIntercepted();
}

// False if another thread was quicker.
bool TryStart() {
    State expected = State::kUnknown;
    if (!state.compare_exchange_strong(expected, State::kStarting)) {
        return false;
    }
    starter.store(pthread_self());
    Start();
    return true;
}

State Decide(const void* caller) {
    const State now = state.load(std::memory_order_acquire);
    if (now == State::kStarting) {
        return WaitForStart(caller);
    }
    if (now != State::kUnknown) {
        return now;
    }
    if (!IsDisabled()) {
        const MpiFound found = FindMpi();
        if (found.mpi == Mpi::kNone) {
            return State::kUnknown;
        }
        if (found.mpi == Mpi::kOurs) {
            return TryStart() ? state.load() : WaitForStart(caller);
        }
        State expected = State::kUnknown;
        if (state.compare_exchange_strong(expected, State::kOff)) {
            Note(
                "libqmpi-%s was loaded into a process whose MPI is another one (%s): its calls go "
                "on "
                "untouched and nothing is recorded; load the libqmpi of that MPI",
                qmpi_name, found.path);
        }
        return state.load();
    }
    State expected = State::kUnknown;
    state.compare_exchange_strong(expected, State::kOff);
    return state.load();
}

extern "C" int ReturnError() {
    return qmpi_error_other;
}
extern "C" double ReturnZero() {
    return 0;
}
extern "C" void* ReturnNull() {
    return nullptr;
}
extern "C" int ReturnFlag(int* flag) {
    *flag = 0;
    return 0;
}

// What a call does in a process without MPI: fail softly, so that a program which only asks
// whether MPI is there gets its answer.
void* Missing(int row) {
    switch (qmpi_functions[row].result) {
        case kQmpiDouble:
            return reinterpret_cast<void*>(&ReturnZero);
        case kQmpiHandle:
            return reinterpret_cast<void*>(&ReturnNull);
        case kQmpiFlag:
            return reinterpret_cast<void*>(&ReturnFlag);
        default:
            return reinterpret_cast<void*>(&ReturnError);
    }
}

void* BindReal(int row) {
    const auto& function = qmpi_functions[row];
    void* target = FindNext(function.name);
    if (target == nullptr) {
        target = FindNext(function.profiling_name);
    }
    if (target == nullptr) {
        return Missing(row);
    }
    Store(qmpi_real[row], target);
    return target;
}

void* BindSlot(int row, const void* caller) {
    const State now = Decide(caller);
    if (now == State::kActive && IsIntercepted(row)) {
        void* wrapper = reinterpret_cast<void*>(qmpi_wrappers[row]);
        Store(qmpi_slots[row], wrapper);
        return wrapper;
    }
    void* real = BindReal(row);
    if ((now == State::kOff || now == State::kNoTool || now == State::kActive) &&
        real != Missing(row)) {
        Store(qmpi_slots[row], real);
        // A tool may have intercepted the function while we looked.
        if (IsActive() && IsIntercepted(row)) {
            Store(qmpi_slots[row], reinterpret_cast<void*>(qmpi_wrappers[row]));
        }
    }
    return real;
}

void* BindFortran(int at, const void* caller) {
    const State now = Decide(caller);
    const auto& routine = qmpi_routines[at];
    const bool ours = now == State::kActive || now == State::kNoTool;
    void* target = ours ? FindNext(routine.twin) : nullptr;
    if (target == nullptr) {
        target = FindNext(routine.name);
    }
    if (target == nullptr) {
        return reinterpret_cast<void*>(&ReturnError);
    }
    if (now == State::kActive) {
        RedirectFortranBindings();
    }
    if (ours && qmpi_fortran_direct[at] != nullptr) {
        __atomic_store_n(&qmpi_fortran_twins[at], reinterpret_cast<QMPI_Function>(target),
                         __ATOMIC_RELEASE);
        target = reinterpret_cast<void*>(qmpi_fortran_direct[at]);
    }
    if (now != State::kUnknown && now != State::kStarting) {
        Store(qmpi_fortran_slots[at], target);
    }
    return target;
}

bool in_front = false;

// A tool in front of this library calls PMPI_Init before the first call comes by here.
__attribute__((constructor)) void RedirectInFront(int argc, char** argv) {
    KeepArguments(argc, argv);
    if (IsDisabled()) {
        return;
    }
    ForEachPmpiToolInFront([](const ElfObject&) { in_front = true; });
    if (in_front && FindMpi().mpi == Mpi::kOurs) {
        RedirectPmpiToolsInFront();
    }
}

}  // namespace

bool IsOff() {
    return IsDisabled() || state.load(std::memory_order_acquire) == State::kOff;
}

bool IsActive() {
    return state.load(std::memory_order_acquire) == State::kActive;
}

void OnToolRegistered() {
    const State now = state.load(std::memory_order_acquire);
    if ((now != State::kNoTool && now != State::kActive) || !ExtendTools()) {
        return;
    }
    ForgetCallers();
    RedirectFortranBindings();
    State expected = State::kNoTool;
    state.compare_exchange_strong(expected, State::kActive);
    BindIntercepted();
}

void OnFunctionRegistered(int row) {
    if (!IsActive()) {
        return;
    }
    Store(qmpi_slots[row], reinterpret_cast<void*>(qmpi_wrappers[row]));
}

void* ProfilingFunction(int row) {
    static void* found[2000];
    void* function = __atomic_load_n(&found[row], __ATOMIC_ACQUIRE);
    if (function == nullptr && (function = FindNext(qmpi_functions[row].profiling_name))) {
        Store(found[row], function);
    }
    return function;
}

}  // namespace qmpi

// From the lazy entries in stubs.S: binds one slot and says where the call goes on.
extern "C" __attribute__((visibility("hidden"))) void* QmpiBind(long entry, void* caller) {
    if (entry < qmpi_row_count) {
        return qmpi::BindSlot(static_cast<int>(entry), caller);
    }
    entry -= qmpi_row_count;
    if (entry < qmpi_row_count) {
        return qmpi::BindReal(static_cast<int>(entry));
    }
    return qmpi::BindFortran(static_cast<int>(entry - qmpi_row_count), caller);
}
