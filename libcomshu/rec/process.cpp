// From the first traced call of a process to its end: what the inlined code and providers call.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "clock_source.h"
#include "comshu/rec/engine.h"
#include "comshu/rec/options.h"
#include "engine_impl.h"
#include "process.h"
#include "process_info.h"
#include "ring.h"

namespace comshu::rec {

extern "C" {
constinit __thread ThreadState* comshu_thread = nullptr;
constinit std::atomic<uint32_t> comshu_recording{kRecordingOn};
// There where the program was built with ThreadSanitizer.
__attribute__((weak)) void __tsan_init();
}

namespace {

enum class State { kAsleep, kOn, kOff, kEnded };

// Of this process; a forked child resets it. Plain globals without constructors or destructors.
struct Process {
    Mutex lock;  // Of start and end.
    State state = State::kAsleep;
    std::atomic<Engine*> engine{nullptr};
    bool has_options = false;
    bool has_started = false;
    bool registered = false;
    bool has_key = false;
    pthread_key_t key = 0;
    int exit_rounds = PTHREAD_DESTRUCTOR_ITERATIONS;  // In which of them a thread is retired.
    int32_t exit_code = 0;
    bool has_exit_code = false;
    sigset_t fork_signals{};
    Options options;
};
constinit Process process;

// Bits by PauseReason: those that hold.
constinit std::atomic<uint32_t> pauses{0};
constexpr uint32_t kAlive = kRecordingOn | kPaused;

constexpr uint32_t kGivenUp = 1u << 31;
constexpr uint32_t PauseBit(schema::PauseReason reason) {
    return 1u << static_cast<uint32_t>(reason);
}

// Makes the state what `pauses` says, in a process that records.
void ApplyPauses(Engine* engine) {
    uint32_t state = comshu_recording.load(std::memory_order_seq_cst);
    uint32_t wanted;
    uint32_t bits;
    do {
        bits = pauses.load(std::memory_order_seq_cst);
        wanted = (state & ~kAlive) | (bits == 0 ? kRecordingOn : kPaused);
        if ((state & kAlive) == 0) return;
    } while (!comshu_recording.compare_exchange_weak(state, wanted, std::memory_order_seq_cst) ||
             pauses.load(std::memory_order_seq_cst) != bits);
    engine->live().header()->pauses.store(bits, std::memory_order_relaxed);
}

// What a thread is to the engine when it has no ThreadState.
enum class Unattached : uint8_t { kNew, kInside, kNoSpace, kGone };
constinit __thread Unattached unattached __attribute__((tls_model("initial-exec"))) =
    Unattached::kNew;
struct Unslotted {
    uint32_t thread;
    uint64_t lost;
};
constinit __thread Unslotted unslotted __attribute__((tls_model("initial-exec"))) = {0, 0};

bool IsOwnProcess(const Engine* engine) {
    return engine->pid() == static_cast<uint32_t>(getpid());
}

// Destructors of other keys may record: ours comes again and goes last.
void OnThreadExit(void* value) {
    if (value == &unslotted) {
        Engine* engine = process.engine.load(std::memory_order_acquire);
        if (engine != nullptr && IsOwnProcess(engine)) {
            const SlowPath slow;
            engine->DefineThreadEnd(unslotted.thread, ReadTicks(), 0, unslotted.lost);
        }
        unattached = Unattached::kGone;
        return;
    }
    auto* slot = static_cast<Slot*>(value);
    if (comshu_thread == nullptr || SlotOf(comshu_thread) != slot) return;
    if (++slot->exit_rounds < process.exit_rounds && pthread_setspecific(process.key, slot) == 0) {
        return;
    }
    const SlowPath slow;
    unattached = Unattached::kGone;
    Retire(slot);
    comshu_thread = nullptr;
}

void BeforeFork() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process.lock.Lock();
    process.fork_signals = before;
    if (Engine* engine = process.engine.load(std::memory_order_relaxed)) {
        engine->slots_lock().Lock();
        engine->definitions().lock().Lock();
        engine->drain().lock().Lock();
    }
}

void Unlock() {
    if (Engine* engine = process.engine.load(std::memory_order_relaxed)) {
        engine->drain().lock().Unlock();
        engine->definitions().lock().Unlock();
        engine->slots_lock().Unlock();
    }
    const sigset_t before = process.fork_signals;
    process.lock.Unlock();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void AfterForkInParent() {
    const int saved = errno;
    Unlock();
    errno = saved;
}

void AfterForkInChild() {
    const int saved = errno;
    Engine* engine = process.engine.load(std::memory_order_relaxed);
    if (engine != nullptr) {
        engine->LeaveToParent(comshu_thread == nullptr ? nullptr : SlotOf(comshu_thread));
        // ThreadSanitizer ends a child of a process with threads that starts one.
        if (&__tsan_init != nullptr) process.options.drain_thread = false;
        // The parent's engine stays behind, locked: nobody will look at it again.
        process.engine.store(nullptr, std::memory_order_relaxed);
        comshu_thread = nullptr;
        unattached = Unattached::kNew;
        unslotted = {0, 0};
        if (process.has_key) pthread_setspecific(process.key, nullptr);
        if (process.state == State::kOn) {
            process.state = State::kAsleep;
            pauses.fetch_and(~(PauseBit(schema::PauseReason::max_size) | kGivenUp),
                             std::memory_order_relaxed);
            comshu_recording.store(
                kRecordingOn | (comshu_recording.load(std::memory_order_relaxed) & ~kAlive),
                std::memory_order_relaxed);
        }
    }
    process.has_exit_code = false;
    const sigset_t before = process.fork_signals;
    process.lock.Unlock();
    Providers::OfProcess().Forked();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = saved;
}

// While the object is loaded: a thread may fork while another one is in its first call, and the child
// would have the lock of that one for ever.
__attribute__((constructor)) void WatchForks() {
    pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
}

void OnExit(int code, void*) {
    process.exit_code = code;
    process.has_exit_code = true;
}

void Register() {
    if (process.registered) return;
    process.registered = true;
    process.has_key = pthread_key_create(&process.key, &OnThreadExit) == 0;
    // ThreadSanitizer forgets the thread in the last round; what it intercepts fails behind that.
    if (&__tsan_init != nullptr) --process.exit_rounds;
    on_exit(&OnExit, nullptr);
}

void SwitchOff() {
    process.state = State::kOff;
    comshu_recording.store(0, std::memory_order_relaxed);
}

// The caller is in a SlowPath and holds process.lock.
Engine* StartLocked() {
    if (process.state == State::kOn) return process.engine.load(std::memory_order_relaxed);
    if (process.state != State::kAsleep) return nullptr;
    if (!process.has_options) process.options = OptionsFromEnvironment();
    const bool first = !process.has_started;
    process.has_options = true;
    if (process.options.folder[0] == '\0') {
        SwitchOff();
        return nullptr;
    }
    process.options.monotonic = process.options.monotonic || !CounterIsConstant();
    comshu_recording.store(kRecordingOn | (process.options.monotonic ? kMonotonicTicks : 0) |
                               (process.options.stacks > 0 ? kStacks : 0),
                           std::memory_order_relaxed);
    Register();
    Engine* engine = Engine::Make(process.options);
    if (engine == nullptr) {
        SwitchOff();
        return nullptr;
    }
    // A forked child goes on as its parent was.
    if (first && process.options.start_paused)
        pauses.fetch_or(PauseBit(schema::PauseReason::asked));
    process.has_started = true;
    process.engine.store(engine, std::memory_order_seq_cst);
    process.state = State::kOn;
    ApplyPauses(engine);
    return engine;
}

Engine* EnsureStarted() {
    Engine* engine = process.engine.load(std::memory_order_acquire);
    if (engine != nullptr) return engine;
    if ((comshu_recording.load(std::memory_order_relaxed) & kAlive) == 0) return nullptr;
    const Locked locked(&process.lock);
    return StartLocked();
}

// The engine, for calls that do not start it.
Engine* Running() {
    if ((comshu_recording.load(std::memory_order_relaxed) & kAlive) == 0) return nullptr;
    return process.engine.load(std::memory_order_acquire);
}

}  // namespace

bool Start(const Options& options) {
    const SlowPath slow;
    const Locked locked(&process.lock);
    if (process.state != State::kAsleep) return false;
    process.options = options;
    process.has_options = true;
    return StartLocked() != nullptr;
}

void Flush() {
    comshu_engine_flush();
}

void End(uint8_t reason, int32_t exit_code) {
    Engine* engine = Running();
    // A child made by vfork() runs in its parent's memory and must leave it alone.
    if (engine == nullptr || !IsOwnProcess(engine)) return;
    Providers::OfProcess().Ending();
    const SlowPath slow;
    const Locked locked(&process.lock);
    if (process.state != State::kOn) return;
    process.state = State::kEnded;
    comshu_recording.fetch_and(~kAlive, std::memory_order_relaxed);
    // As a parent sees it: 253 of exit(-3).
    if (exit_code != INT32_MIN) exit_code &= 0xff;
    engine->Finish(static_cast<schema::EndReason>(reason), exit_code);
}

void EndProcess(bool quick, int32_t exit_code) {
    auto reason = quick ? schema::EndReason::quick_exit : schema::EndReason::exited;
    if (Providers::OfProcess().IsFinished()) reason = schema::EndReason::finished;
    if (!quick) {
        exit_code = process.has_exit_code ? process.exit_code : INT32_MIN;
        // A quick exit may come from a signal handler that has interrupted the loader.
        RefreshModules();
    }
    End(static_cast<uint8_t>(reason), exit_code);
}

void ResetAfterEnd() {
    const SlowPath slow;
    const Locked locked(&process.lock);
    if (process.state == State::kOn) return;
    delete process.engine.exchange(nullptr);
    if (process.has_key) pthread_setspecific(process.key, nullptr);
    comshu_thread = nullptr;
    unattached = Unattached::kNew;
    unslotted = {0, 0};
    process.state = State::kAsleep;
    process.has_options = process.has_started = false;
    pauses.store(0, std::memory_order_relaxed);
    Providers::OfProcess().Forget();
    comshu_recording.store(kRecordingOn, std::memory_order_relaxed);
}

void Pause(schema::PauseReason reason) {
    pauses.fetch_or(PauseBit(reason), std::memory_order_seq_cst);
    Engine* engine = process.engine.load(std::memory_order_seq_cst);
    if (engine != nullptr && IsOwnProcess(engine)) ApplyPauses(engine);
}

void Resume(schema::PauseReason reason) {
    pauses.fetch_and(~PauseBit(reason), std::memory_order_seq_cst);
    Engine* engine = process.engine.load(std::memory_order_seq_cst);
    if (engine != nullptr && IsOwnProcess(engine)) ApplyPauses(engine);
}

void GiveUp() {
    if ((pauses.fetch_or(kGivenUp, std::memory_order_seq_cst) & kGivenUp) != 0) return;
    Engine* engine = process.engine.load(std::memory_order_seq_cst);
    if (engine == nullptr || !IsOwnProcess(engine) || engine->has_ended()) return;
    ApplyPauses(engine);
    comshu_engine_note("records_lost",
                       "A record was lost where none may be, and recording ended there: checks of "
                       "data on this capture are void. Make room on the disk, record with "
                       "--on-full wait, or set a larger --ring.");
}

schema::PauseReason ReasonOfPause() {
    return (pauses.load(std::memory_order_relaxed) & PauseBit(schema::PauseReason::max_size)) != 0
               ? schema::PauseReason::max_size
               : schema::PauseReason::asked;
}

void BeforeExec() {
    Engine* engine = Running();
    if (engine == nullptr || !IsOwnProcess(engine)) return;
    const SlowPath slow;
    engine->BeforeExec();
}

Engine* RunningEngine() {
    return Running();
}

void RefreshModules() {
    if (Engine* engine = Running(); engine != nullptr && IsOwnProcess(engine)) {
        const SlowPath slow;
        engine->RefreshModules();
    }
}

extern "C" {

ThreadState* comshu_rec_attach(void) {
    switch (unattached) {
        case Unattached::kNew:
            break;
        case Unattached::kInside:  // A signal handler: the interrupted code holds our locks.
        case Unattached::kNoSpace:
        case Unattached::kGone:
            if (Engine* engine = Running()) {
                engine->CountUnslotted(1);
                if (unattached == Unattached::kNoSpace) {
                    ++unslotted.lost;
                    if (engine->keeps_all()) GiveUp();
                }
            }
            return nullptr;
    }
    unattached = Unattached::kInside;
    const SlowPath slow;
    Engine* engine = EnsureStarted();
    if (engine == nullptr) {
        unattached = Unattached::kNew;
        return nullptr;
    }
    uint32_t thread;
    Slot* slot = engine->Attach(&thread);
    if (slot == nullptr) {
        unslotted = {thread, 1};
        engine->CountUnslotted(1);
        unattached = Unattached::kNoSpace;
        if (process.has_key) pthread_setspecific(process.key, &unslotted);
        if (engine->keeps_all()) GiveUp();
        return nullptr;
    }
    if (process.has_key) pthread_setspecific(process.key, slot);
    unattached = Unattached::kNew;
    comshu_thread = &slot->thread;
    return comshu_thread;
}
}

}  // namespace comshu::rec

using namespace comshu::rec;

extern "C" {

int comshu_engine_declare_provider(const comshu_provider* provider) {
    const SlowPath slow;
    const int answer = Providers::OfProcess().Declare(provider);
    if (Engine* engine = Running()) {
        if (answer == 0)
            engine->Welcome(*provider);
        else
            Providers::OfProcess().NoteRefused(&engine->definitions());
    }
    return answer;
}

void comshu_engine_define(uint16_t type, const void* record_struct, size_t bytes) {
    const SlowPath slow;
    if (Engine* engine = EnsureStarted()) engine->definitions().Define(type, record_struct, bytes);
}

uint64_t comshu_engine_intern(uint8_t artifact_kind, const void* content, size_t bytes) {
    const auto kind = static_cast<comshu::schema::ArtifactKind>(artifact_kind);
    const SlowPath slow;
    Engine* engine = EnsureStarted();
    return engine == nullptr ? Definitions::Id(kind, content, bytes)
                             : engine->definitions().Intern(kind, content, bytes);
}

void comshu_engine_note(const char* kind, const char* text) {
    const SlowPath slow;
    if (Engine* engine = EnsureStarted()) engine->definitions().Note(kind, text);
}

void comshu_engine_pause(void) {
    Pause(comshu::schema::PauseReason::asked);
}

void comshu_engine_resume(void) {
    Resume(comshu::schema::PauseReason::asked);
}

void comshu_engine_keep_all(void) {
    const SlowPath slow;
    Engine* engine = EnsureStarted();
    if (engine == nullptr) return;
    engine->KeepAll();
    if (engine->has_unslotted()) GiveUp();
}

void comshu_engine_flush(void) {
    if (Engine* engine = Running(); engine != nullptr && IsOwnProcess(engine)) {
        const SlowPath slow;
        engine->Flush();
    }
}

uint64_t comshu_engine_host(void) {
    const SlowPath slow;
    char boot[kBootIdBytes];
    const size_t bytes = BootId(OtherHostFromEnvironment(), boot);
    const uint64_t id = Definitions::Id(comshu::schema::ArtifactKind::text, boot, bytes);
    return id == 0 ? 1 : id;
}

void comshu_engine_finished(void) {
    Providers::OfProcess().SetFinished();
}
}
