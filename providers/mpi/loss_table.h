// What was sent, received and joined by calls that could not be recorded, so that the reader can still
// pair the k-th send with the k-th receive behind a loss.
//
// A message counts where it enters the matching order: a send in the call that starts it, a receive in
// the call that posts it (with the posted source and tag, -1 for the wildcards; a blocking one with what
// it got), a message of MPI_Mprobe there, a persistent request at each start. A wildcard receive tells its
// place only when it completes, a cancelled one gives it up then: such completions count too, each
// with its request as long as there are few. Slow path of a loss alone: one lock.
#ifndef COMSHU_PROVIDERS_MPI_LOSS_TABLE_H_
#define COMSHU_PROVIDERS_MPI_LOSS_TABLE_H_

#include <cstdint>

#include "comshu/schema/mpi_generated.h"
#include "mpi/handle_table.h"
#include "mpi/lock.h"

namespace comshu::provider::mpi {

struct LossKey {
    uint64_t comm = 0;
    uint32_t thread = 0;
    int32_t peer = INT32_MIN;
    int32_t tag = INT32_MIN;
    schema::MpiDirection direction = schema::MpiDirection::send;
    uint64_t request = 0;  // Of a completion; 0: any.
};

class LossTable {
public:
    void Count(LossKey key);

    // Gives each count of the thread to `report(key, count)` and starts anew.
    template <typename Report>
    void Take(uint32_t thread, Report report) {
        Guard guard(mutex_);
        bool others = false;
        table_.ForEach([&](uint64_t, Counted& counted) {
            if (counted.key.thread != thread) {
                others |= counted.count != 0;
            } else if (counted.count != 0) {
                report(counted.key, counted.count);
                counted.count = 0;
            }
        });
        if (!others) table_.Release();
    }

    // In a forked child: what the parent lost is not the child's to report.
    void Reset();
    void Release() { table_.Release(); }

private:
    // From here on completions are counted without their requests.
    static constexpr size_t kMostNamed = 1 << 14;

    struct Counted {
        LossKey key;
        uint64_t count = 0;
    };
    Mutex mutex_;
    HandleTable<Counted> table_;
};

extern LossTable losses;

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_LOSS_TABLE_H_
