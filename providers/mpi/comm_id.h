// The number of a communicator: the same on all its members, different from every other's, and known
// without a message.
//
// All members of a communicator take part in making every communicator that has the same parent and
// the same members, and in the same order. So (parent's number, members, how many-th such) is the same
// on all of them, and a 64-bit hash of it will do. What plays the parent of MPI_COMM_WORLD is the name
// of the job. The two sides of an intercommunicator know different parents; there the pair of groups,
// ordered by their hashes, stands for the members, and no parent is asked.
#ifndef COMSHU_PROVIDERS_MPI_COMM_ID_H_
#define COMSHU_PROVIDERS_MPI_COMM_ID_H_

#include <cstddef>
#include <cstdint>

#include "mpi/handle_table.h"

namespace comshu::provider::mpi {

// Hash of world ranks in order of rank; null: 0, 1, ... size - 1.
uint64_t HashMembers(const int32_t* world_ranks, size_t size);

// Hash of a job's name or of another text that members agree on.
uint64_t HashText(const char* text);

// Of the two groups of an intercommunicator, whichever of them is the local one.
uint64_t HashGroupPair(uint64_t one, uint64_t other);

// Not 0: that means "no communicator".
uint64_t CommId(uint64_t parent, uint64_t members, uint64_t ordinal);

// Counts the communicators of each (parent, members). Not thread-safe.
class CommOrdinals {
public:
    constexpr CommOrdinals() = default;
    // 0 for the first, then 1, 2, ...
    uint64_t Next(uint64_t parent, uint64_t members);
    void Release() { counts_.Release(); }

private:
    HandleTable<uint64_t> counts_;
};

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_COMM_ID_H_
