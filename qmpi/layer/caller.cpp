#include "layer/caller.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "layer/call.h"
#include "layer/chain.h"
#include "layer/elf_object.h"
#include "layer/tables.h"

QmpiRange qmpi_application = {0, 0};
extern "C" {
__attribute__((visibility("hidden"))) std::atomic<uint64_t> qmpi_caller_generation{1};
__attribute__((visibility("hidden"))) std::atomic<uint64_t> qmpi_caller_cache[512];
}
__thread QmpiOpenCall qmpi_open_call;
__thread QmpiCallersFrame qmpi_callers_frames[kQmpiCallersFrames];

namespace qmpi {

namespace {

struct Owner {
    Caller caller;
    int tool;  // its id, else 0
};

struct CodeRange {
    uintptr_t begin;
    uintptr_t end;
    Owner owner;
};

struct RangeTable {
    RangeTable* retired_before;
    unsigned long long loads;
    unsigned long generation;
    size_t size;
    CodeRange ranges[];
};

// The cache: an entry is, from above, the generation, what of the address the index does not say, and
// the answer. The wrappers look into it as well: generate/emit_wrappers.py has these numbers, too.
constexpr int kIndexBits = 9;
constexpr size_t kCacheSize = std::size(qmpi_caller_cache);
constexpr int kTagBits = 47 - kIndexBits;
constexpr int kToolBits = 10;
constexpr int kAnswerBits = 3 + kToolBits;
constexpr int kMaxCachedTool = (1 << kToolBits) - 1;
static_assert(kCacheSize == 1 << kIndexBits && kIndexBits == 9 && kTagBits == 38 &&
              kAnswerBits == 13 && kToolBits == 10 && static_cast<int>(Caller::kApplication) == 1);

std::atomic<RangeTable*> table{nullptr};
std::atomic<RangeTable*> retired{nullptr};
std::atomic<int> readers{0};

bool StartsWith(const char* text, const char* prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Plug-ins and helper libraries of MPIs, which are recognised by nothing but their names.
bool IsMpiHelper(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* file = slash != nullptr ? slash + 1 : path;
    for (const char* prefix :
         {"mca_", "libmca_", "libopen-rte.", "libopen-pal.", "libpmix.", "libprrte."}) {
        if (StartsWith(file, prefix)) {
            return true;
        }
    }
    return false;
}

// A library that wraps MPI functions in the manner of PMPI. One of them is nearly always there.
bool IsPmpiTool(const ElfObject& object) {
    for (const char* name :
         {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Send", "MPI_Recv", "MPI_Isend",
          "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce",
          "MPI_Allreduce", "MPI_Alltoall", "MPI_Comm_rank", "MPI_Comm_size", "MPI_File_open",
          "MPI_Put", "MPI_Pcontrol"}) {
        if (object.Find(name) != nullptr) {
            return object.Find("qmpi_mpi_name") == nullptr;  // the layer of another MPI
        }
    }
    return false;
}

bool IsLayer(const ElfObject& object) {
    return object.HasCode(reinterpret_cast<const void*>(&ForgetCallers));
}

Owner OwnerOf(const ElfObject& object, bool is_executable, bool is_in_front) {
    if (IsLayer(object)) {
        return {Caller::kLayer, 0};
    }
    if (is_executable) {
        return {Caller::kApplication, 0};
    }
    const int tool = ToolWithCode(object.code_begin(), object.code_end());
    if (tool != 0) {
        return {Caller::kTool, tool};
    }
    if (object.Find("PMPI_Init") != nullptr || IsMpiHelper(object.path())) {
        return {Caller::kMpi, 0};
    }
    // Tools may define mpi_init_ as well, but only the bindings define its profiling twin.
    for (const char* twin : {"pmpi_init_", "pmpi_init_f08_", "pmpir_init_f08_"}) {
        if (object.Find(twin) != nullptr) {
            return {Caller::kFortran, 0};
        }
    }
    if (IsPmpiTool(object)) {
        return {is_in_front ? Caller::kPmpiToolInFront : Caller::kPmpiToolBehind, 0};
    }
    return {Caller::kApplication, 0};
}

void Retire(RangeTable* last, RangeTable* first) {
    RangeTable* head = retired.load(std::memory_order_relaxed);
    do {
        last->retired_before = head;
    } while (!retired.compare_exchange_weak(head, first, std::memory_order_acq_rel));
}

// While a Reader lives, no table that it saw is freed. The one that leaves last frees those that
// were retired before it left: whoever came later reads a newer one.
class Reader {
public:
    Reader() { readers.fetch_add(1, std::memory_order_acq_rel); }
    ~Reader() {
        RangeTable* old = retired.exchange(nullptr, std::memory_order_acq_rel);
        if (readers.fetch_sub(1, std::memory_order_acq_rel) > 1) {
            if (old != nullptr) {
                RangeTable* last = old;
                while (last->retired_before != nullptr) {
                    last = last->retired_before;
                }
                Retire(last, old);
            }
            return;
        }
        while (old != nullptr) {
            RangeTable* next = old->retired_before;
            free(old);
            old = next;
        }
    }
};

RangeTable* BuildTable() {
    const unsigned long built_at = qmpi_caller_generation.load(std::memory_order_acquire);
    size_t capacity = 0;
    ForEachObject([&](const ElfObject&, int) {
        capacity++;
        return false;
    });
    capacity += 16;  // objects that another thread loads meanwhile
    auto* built =
        static_cast<RangeTable*>(malloc(sizeof(RangeTable) + capacity * sizeof(CodeRange)));
    if (built == nullptr) {
        return nullptr;
    }
    built->size = 0;
    built->generation = built_at;
    bool is_in_front = true;
    built->loads = ForEachObject([&](const ElfObject& object, int index) {
        is_in_front = is_in_front && !IsLayer(object);
        if (object.code_end() != 0 && built->size < capacity) {
            built->ranges[built->size++] = {object.code_begin(), object.code_end(),
                                            OwnerOf(object, index == 0, is_in_front)};
        }
        return false;
    });
    std::sort(built->ranges, built->ranges + built->size,
              [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
    RangeTable* before = table.exchange(built, std::memory_order_acq_rel);
    if (before != nullptr) {
        Retire(before, before);
    }
    return built;
}

const CodeRange* FindRange(const RangeTable* in, uintptr_t at) {
    const auto* end = in->ranges + in->size;
    const auto* after = std::upper_bound(
        in->ranges, end, at, [](uintptr_t value, const CodeRange& r) { return value < r.begin; });
    return after != in->ranges && at < after[-1].end ? after - 1 : nullptr;
}

unsigned long long Loads() {
    return ForEachObject([](const ElfObject&, int) { return true; });
}

Owner Search(uintptr_t at) {
    const Reader reader;
    const RangeTable* in = table.load(std::memory_order_acquire);
    if (in == nullptr || in->generation != qmpi_caller_generation.load(std::memory_order_acquire)) {
        in = BuildTable();
    }
    const CodeRange* range = in != nullptr ? FindRange(in, at) : nullptr;
    if (range == nullptr && in != nullptr && in->loads != Loads()) {
        in = BuildTable();
        range = in != nullptr ? FindRange(in, at) : nullptr;
    }
    // Code that belongs to no object was made at run time, by the application.
    return range != nullptr ? range->owner : Owner{Caller::kNoObject, 0};
}

uint64_t CacheKey(const void* return_address) {
    return (qmpi_caller_generation.load(std::memory_order_acquire) << kTagBits |
            reinterpret_cast<uintptr_t>(return_address) >> kIndexBits)
           << kAnswerBits;
}

// The tag and the index give the address back.
std::atomic<uint64_t>& CacheEntry(const void* return_address) {
    const auto at = reinterpret_cast<uintptr_t>(return_address);
    return qmpi_caller_cache[(at ^ at >> kIndexBits ^ at >> 2 * kIndexBits) % kCacheSize];
}

uint64_t AnswerOf(const Owner& owner) {
    return static_cast<uint64_t>(owner.caller) << kToolBits | static_cast<unsigned>(owner.tool);
}

Owner OwnerOfAnswer(uint64_t answer) {
    return {static_cast<Caller>(answer >> kToolBits), static_cast<int>(answer % (1 << kToolBits))};
}

[[gnu::noinline]] Owner SearchAndCache(const void* return_address, uint64_t key) {
    const Owner owner = Search(reinterpret_cast<uintptr_t>(return_address));
    if (owner.tool <= kMaxCachedTool) {
        CacheEntry(return_address).store(key | AnswerOf(owner), std::memory_order_relaxed);
    }
    return owner;
}

inline Owner Find(const void* return_address) {
    const uint64_t key = CacheKey(return_address);
    const uint64_t answer = CacheEntry(return_address).load(std::memory_order_relaxed) ^ key;
    return answer < 1u << kAnswerBits ? OwnerOfAnswer(answer) : SearchAndCache(return_address, key);
}

[[gnu::noinline]] QMPI_Link StartFor(const QmpiChainBlock* block, QmpiRecord* record, int row) {
    const Owner owner = Find(record->call.calling_address);
    switch (owner.caller) {
        case Caller::kApplication:
        case Caller::kNoObject:
        case Caller::kPmpiToolInFront:
            return block->first[row];
        case Caller::kTool:
            // Its own calls begin below it.
            return owner.tool <= block->chain->tool_count
                       ? qmpi_chain_tool(block->chain, owner.tool)->next[row]
                       : block->first[row];
        case Caller::kFortran: {
            void* address = QmpiFortranCaller(row);
            if (address != nullptr) {
                *record = {{address}, qmpi_fortran_call.frame};
                return block->first[row];
            }
            break;
        }
        default:
            break;
    }
    return {qmpi_ends[row], 0};
}

}  // namespace

Caller Classify(const void* return_address) {
    return Find(return_address).caller;
}

void ForgetCallers() {
    qmpi_caller_generation.fetch_add(1, std::memory_order_acq_rel);
}

void ForEachPmpiToolInFront(void (*visit)(const ElfObject& object)) {
    ForEachObject([&](const ElfObject& object, int index) {
        if (index > 0 && !IsLayer(object) &&
            OwnerOf(object, false, true).caller == Caller::kPmpiToolInFront) {
            visit(object);
        }
        return IsLayer(object);
    });
}

void StartCallers() {
    ForEachObject([](const ElfObject& object, int) {
        qmpi_application.begin = object.code_begin();
        qmpi_application.size = object.code_end() - object.code_begin();
        return true;
    });
}

}  // namespace qmpi

// The binding may call helpers (MPI_Comm_size to learn the length of an array) before or after the
// function that stands for the routine; only the latter is the application's call.
void* QmpiFortranCaller(int row) {
    if (qmpi_fortran_call.row_plus_one != row + 1) {
        return nullptr;
    }
    qmpi_fortran_call.row_plus_one = 0;
    void* address = qmpi_fortran_call.address;
    if (QMPI_FROM_APPLICATION(address)) {
        return address;
    }
    return qmpi::IsByApplication(qmpi::Classify(address)) ? address : nullptr;
}

QMPI_Link QmpiStart(const QmpiChainBlock* block, QmpiRecord* record, int row) {
    void* return_address = record->call.calling_address;
    const uint64_t cached = qmpi::CacheEntry(return_address).load(std::memory_order_relaxed);
    if (QMPI_FROM_APPLICATION(return_address) ||
        __builtin_expect((cached ^ qmpi::CacheKey(return_address)) >> qmpi::kToolBits ==
                             static_cast<uint64_t>(qmpi::Caller::kApplication),
                         1)) {
        return block->first[row];
    }
    return qmpi::StartFor(block, record, row);
}

extern "C" __attribute__((visibility("default"))) int qmpi_classify_address(const void* address,
                                                                            int* tool_id) {
    // As in qmpi.h, by Caller.
    enum CodeOwner : uint8_t { kApplication, kMpi, kTool, kOther };
    static constexpr CodeOwner kOwners[] = {kOther, kApplication, kMpi,  kMpi,
                                            kTool,  kOther,       kTool, kTool};
    const qmpi::Owner owner = qmpi::Find(address);
    if (tool_id != nullptr) {
        *tool_id = owner.tool;
    }
    return kOwners[static_cast<int>(owner.caller)];
}
