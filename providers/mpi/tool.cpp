// The QMPI tool named "comshu": announces itself, and registers a wrapper per MPI function when the
// layer calls it, before the first MPI call goes on. Until then this object does nothing.
#include <qmpi.h>

#include <algorithm>

#include "comshu/core/option.h"
#include "comshu/provider/options.h"
#include "comshu/provider/provider.h"
#include "comshu/rec/engine.h"
#include "mpi/clocks.h"
#include "mpi/comm_table.h"
#include "mpi/datatype_sizes.h"
#include "mpi/definitions.h"
#include "mpi/library.h"
#include "mpi/loss_table.h"
#include "mpi/objects.h"
#include "mpi/pcontrol.h"
#include "mpi/real_mpi.h"
#include "mpi/requests.h"
#include "mpi/span.h"
#include "mpi/wrappers.h"

namespace comshu::provider::mpi {

namespace {

int own_tool_id = 0;

class MpiProvider final : public IProvider {
public:
    static constexpr const char* kName = "mpi";
    static constexpr uint16_t kFirstType = 300;
    static constexpr uint16_t kLastType = 399;

    void ReportLoss(uint32_t thread, uint64_t begin, uint64_t end) override {
        losses.Take(thread, [&](const LossKey& key, uint64_t count) {
            Define(schema::MpiLoss(begin, end, key.comm, count, key.request, thread, key.peer,
                                   key.tag, key.direction));
        });
    }

    void Overwriting(uint32_t thread, const void* records, size_t bytes) override {
        CountOverwritten(thread, records, bytes);
    }

    // Threads of the parent may have held locks; what the parent lost is its own to report.
    void Forked() override {
        comms.ResetLocks();
        requests.ResetLocks();
        datatype_sizes.ResetLocks();
        messages.ResetLocks();
        windows.ResetLocks();
        files.ResetLocks();
        datatypes.ResetLocks();
        losses.Reset();
    }
};

constexpr core::OptionInfo kCallsOption = {
    "calls",
    "COMSHU_MPI_CALLS",
    core::OptionType::kChoice,
    "all|communication",
    "all",
    "communication: leave out calls that move no data and complete nothing (MPI_Comm_rank ...)"};
constexpr core::OptionInfo kOptions[] = {kCallsOption, kClocksOption};

bool IsPlain(int function) {
    const int* end = kPlainFunctions + kPlainFunctionCount;
    return std::find(kPlainFunctions, end, function) != end;
}

// Once per place of "comshu" in the chain; a second one would record each call twice.
void Init(int tool_id) {
    if (own_tool_id != 0) return;
    own_tool_id = tool_id;
    if (!LoadRealMpi()) {
        comshu_engine_note("mpi",
                           "this MPI library lacks functions that recording needs: MPI is not "
                           "recorded; use the libcomshu_mpi built for it");
        return;
    }
    if (comshu_engine_declare_provider(TableOf<MpiProvider>()) != 0) return;
    const bool communication_only = core::ValueOf(kCallsOption) == "communication";
    for (size_t part = 0; part < kWrapperPartCount; ++part) {
        for (size_t i = 0; i < kWrapperParts[part].count; ++i) {
            const Wrapper& wrapper = kWrapperParts[part].wrappers[i];
            if (communication_only && IsPlain(wrapper.number)) continue;
            QMPI_Register_function(tool_id, static_cast<QMPI_Functions_enum>(wrapper.number),
                                   wrapper.function);
        }
    }
    RegisterPcontrol(tool_id);
}

__attribute__((constructor)) void Announce() {
    QMPI_Register_tool_name("comshu", Init);
}

}  // namespace

void FindNext(Next& next) {
    QMPI_Function function = nullptr;
    QMPI_Get_function(own_tool_id, static_cast<QMPI_Functions_enum>(next.number), &function,
                      &next.tool_id);
    __atomic_store_n(&next.function, function, __ATOMIC_RELEASE);
}

}  // namespace comshu::provider::mpi

COMSHU_EXPORT_PROVIDER(comshu::provider::mpi::MpiProvider)
COMSHU_EXPORT_OPTIONS(comshu::provider::mpi::kOptions)
