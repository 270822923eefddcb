#include "matching/match_result.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "matching/mpi_matcher.h"

namespace comshu::read {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kBlockBytes = 8 * kHugePage;

}  // namespace

RowSpace::~RowSpace() {
    for (void* block : blocks_) std::free(block);
}

void* RowSpace::Take(size_t bytes) {
    if (bytes > left_) {
        // Few rows are to take little: the first block is what is asked for.
        const bool first = blocks_.empty();
        left_ = first ? bytes : kBlockBytes;
        void* block = first ? std::malloc(left_) : std::aligned_alloc(kHugePage, left_);
        if (block == nullptr) throw std::bad_alloc();
        if (!first) madvise(block, left_, MADV_HUGEPAGE);
        blocks_.push_back(block);
        next_ = static_cast<std::byte*>(block);
    }
    void* taken = next_;
    next_ += bytes;
    left_ -= bytes;
    return taken;
}

MatchResult::MatchResult(const Capture& capture) {
    CollectiveTable table;
    MatchMpi(capture, this, &table);
    const InstanceNumbers numbers(table.lanes(), table.lanes());
    collectives_.ForEach([&](CollectiveRow& row) { row.instance = numbers.Of(row.instance); });
}

}  // namespace comshu::read
