#include "openmp/library.h"

#include "comshu/provider/options.h"
#include "comshu/provider/provider.h"
#include "openmp/entries.h"

namespace comshu::provider::openmp {

constinit Library library;

namespace {

class OpenmpProvider final : public IProvider {
public:
    static constexpr const char* kName = "openmp";
    static constexpr uint16_t kFirstType = 100;
    static constexpr uint16_t kLastType = 199;

    void Forked() override {
        library.constructs.Forget();
        State ready = State::kReady;
        library.state.compare_exchange_strong(ready, State::kAsleep, std::memory_order_relaxed);
    }
};

pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

constexpr core::OptionInfo kIterationsOption = {
    "iterations",
    "COMSHU_OPENMP_ITERATIONS",
    core::OptionType::kChoice,
    "ends|all",
    "ends",
    "data of programs built with -dbif1 or -dbif2: of the first and last iterations of loops, or "
    "of all"};
constexpr core::OptionInfo kOptions[] = {kIterationsOption};

constexpr comshu_dbg_table kTable = {
    sizeof(comshu_dbg_table),
    COMSHU_DBG_VERSION,
    [](const comshu_dbg_unit* unit) { library.constructs.Add(unit); },
    [](const comshu_dbg_unit* unit) { library.constructs.Remove(unit); },
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) On_##field,
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
};

}  // namespace

bool Library::Start() {
    if (state.load(std::memory_order_acquire) == State::kRefused) return false;
    pthread_mutex_lock(&start_lock);
    if (state.load(std::memory_order_relaxed) == State::kAsleep) {
        const bool accepted = comshu_engine_declare_provider(TableOf<OpenmpProvider>()) == 0;
        if (accepted) {
            omp.Find();
            wants_all_iterations = core::ValueOf(kIterationsOption) == "all";
            constructs.Define();
        }
        state.store(accepted ? State::kReady : State::kRefused, std::memory_order_release);
    }
    pthread_mutex_unlock(&start_lock);
    return state.load(std::memory_order_relaxed) == State::kReady;
}

}  // namespace comshu::provider::openmp

// What libcomshu_dbg.so asks for when it is loaded.
extern "C" __attribute__((visibility("default"))) const comshu_dbg_table* comshu_openmp_dbg_table(
    void) {
    return &comshu::provider::openmp::kTable;
}

COMSHU_EXPORT_OPTIONS(comshu::provider::openmp::kOptions)
COMSHU_EXPORT_PROVIDER(comshu::provider::openmp::OpenmpProvider)
