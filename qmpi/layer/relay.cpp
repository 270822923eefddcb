#include "layer/relay.h"

#include <cstdlib>

#include "layer/tables.h"

namespace qmpi {

namespace {

constexpr int kMaxIds = 64;

template <typename T>
void Store(T& at, T value) {
    __atomic_store_n(&at, value, __ATOMIC_RELEASE);
}

}  // namespace

QMPI_Link Relayed(int row, QMPI_Function own, QMPI_Link next) {
    QmpiRelay& relay = qmpi_relays[row];
    if (qmpi_relay_entries[row] == nullptr || own == nullptr || next.tool_id >= kMaxIds ||
        (relay.usual != nullptr && relay.usual != own)) {
        return next;
    }
    if (relay.by_id == nullptr) {
        auto* by_id = static_cast<QMPI_Function*>(calloc(kMaxIds, sizeof(QMPI_Function)));
        if (by_id == nullptr) {
            return next;
        }
        relay.by_id = by_id;
        relay.usual = own;
    }
    Store(relay.by_id[next.tool_id], next.function);
    if (next.function == own) {
        Store(relay.usual_ids, relay.usual_ids | uint64_t{1} << next.tool_id);
    }
    return {qmpi_relay_entries[row], next.tool_id};
}

void RenewRelay(int row, int tool_id, QMPI_Function function) {
    QmpiRelay& relay = qmpi_relays[row];
    if (relay.by_id == nullptr || tool_id >= kMaxIds || relay.by_id[tool_id] == nullptr) {
        return;
    }
    Store(relay.by_id[tool_id], function);
    const uint64_t bit = uint64_t{1} << tool_id;
    Store(relay.usual_ids,
          function == relay.usual ? relay.usual_ids | bit : relay.usual_ids & ~bit);
}

}  // namespace qmpi
