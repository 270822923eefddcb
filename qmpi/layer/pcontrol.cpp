// What pcontrol.S asks before it goes on, and says afterwards.
#include "layer/pcontrol.h"

#include <cstddef>
#include <cstdlib>

#include "layer/chain.h"
#include "layer/member_call.h"
#include "layer/tables.h"

#define QMPI_HIDDEN extern "C" __attribute__((visibility("hidden")))

QMPI_HIDDEN void QmpiAround_MPI_Pcontrol();

namespace qmpi {

bool RegisterPcontrol(int tool_id, const PcontrolHooks& hooks) {
    auto* kept = static_cast<PcontrolHooks*>(malloc(sizeof(hooks)));
    if (kept == nullptr || hooks.begin == nullptr || hooks.end == nullptr) {
        free(kept);
        return false;
    }
    *kept = hooks;
    return RegisterFunction(tool_id, qmpi_pcontrol_row, reinterpret_cast<QMPI_Function>(kept),
                            &QmpiAround_MPI_Pcontrol);
}

namespace {

// pcontrol.S keeps 64 bytes for it and reads the tool id, which must be the first.
struct State {
    int tool_id;
    int level;
    const PcontrolHooks* hooks;
    QmpiOpenCall before;
    void* of_tool;
};
static_assert(sizeof(State) <= 64 && offsetof(State, tool_id) == 0);

}  // namespace

QMPI_HIDDEN const QMPI_Call* QmpiPcontrolStart(QmpiRecord* record, QMPI_Link* link) {
    *link = QmpiStart(Chain(), record, qmpi_pcontrol_row);
    return &record->call;
}

QMPI_HIDDEN const QMPI_Call* QmpiPcontrolNext(QmpiRecord* record, QMPI_Link* link) {
    *link = QmpiMemberNext(qmpi_pcontrol_row);
    return QMPI_CALL_OF_MEMBER(record);
}

QMPI_HIDDEN QMPI_Function QmpiPcontrolEnter(State* state, Context context, int tool_id, void*,
                                            int) {
    state->tool_id = tool_id;
    state->before = QmpiEnter(context.call);
    return QMPI_INNER(tool_id, qmpi_pcontrol_row);
}

QMPI_HIDDEN void QmpiPcontrolLeave(const State* state, int) {
    QmpiLeave(&state->before);
}

QMPI_HIDDEN QMPI_Function QmpiPcontrolBegin(State* state, Context context, int tool_id, void* frame,
                                            int level) {
    state->hooks = reinterpret_cast<const PcontrolHooks*>(QMPI_INNER(tool_id, qmpi_pcontrol_row));
    state->level = level;
    state->of_tool = state->hooks->begin(context, tool_id, level, frame);
    const QmpiChainBlock* block = Chain();
    const QMPI_Link& link = qmpi_chain_tool(block->chain, tool_id)->next[qmpi_pcontrol_row];
    state->tool_id = link.tool_id;
    return link.function;
}

QMPI_HIDDEN void QmpiPcontrolEnd(const State* state, int result) {
    state->hooks->end(state->of_tool, state->level, result);
}

}  // namespace qmpi
