// What a program tells of itself through include/comshu/comshu.h. Asleep until it asks for the table.
#include "comshu/comshu.h"

#include <algorithm>
#include <limits>

#include "comshu/provider/provider.h"
#include "comshu/rec/thread_state.h"
#include "comshu/schema/openmp_traits.h"
#include "comshu/schema/user_generated.h"
#include "user/message_numbers.h"
#include "user/names.h"

namespace comshu::provider::user {
namespace {

using schema::UserRegion;

Names names;
MessageNumbers numbers;

class UserProvider final : public IProvider {
public:
    static constexpr const char* kName = "user";
    static constexpr uint16_t kFirstType = 400;
    static constexpr uint16_t kLastType = 499;

    void Forked() override {
        names.Forget();
        numbers.ResetLock();
    }
};

// The call returns to the program.
uint64_t Caller(void* address, int no_source) {
    return no_source != 0 ? 0 : reinterpret_cast<uint64_t>(address);
}

// A region may begin in one function and end in another: no frame that goes takes it along.
constexpr uint64_t kNoFrame = std::numeric_limits<uint64_t>::max();

void RegionBegin(const char* name, int no_source) {
    auto* region = rec::Open<UserRegion>(__builtin_frame_address(0));
    if (region == nullptr) return;
    region->mutate_name(names.Store(name));
    region->mutate_caller(Caller(__builtin_return_address(0), no_source));
    rec::PutStack(region, reinterpret_cast<uint64_t>(__builtin_return_address(0)));
    rec::EntryOf(region)->frame = kNoFrame;
    rec::Begin(region);
}

template <typename Record>
Record* RecordIn(core::SpanEntry& entry) {
    if (core::ReadPrefix(entry.image).type != schema::RecordTraits<Record>::kType) return nullptr;
    return reinterpret_cast<Record*>(entry.image + sizeof(core::RecordPrefix));
}

// A procedure of an instrumented source closes the region for its caller: the region ends where the outermost
// such began, and that hangs on what is around the region.
void EndBefore(rec::ThreadState* thread, core::SpanEntry* own, core::SpanEntry* top) {
    rec::Enter(thread);
    schema::SpanHead& region = RecordIn<UserRegion>(*own)->mutable_head();
    schema::SpanHead& procedure = RecordIn<schema::OmpProcedure>(own[1])->mutable_head();
    region.mutate_end(procedure.begin());
    const uint64_t distance = procedure.span() - region.span() + region.parent_distance();
    procedure.mutate_parent_distance(
        region.parent_distance() == 0 ? 0 : static_cast<uint32_t>(distance));
    std::rotate(own, own + 1, top);
    rec::Leave(thread);
    rec::End(RecordIn<UserRegion>(top[-1]));
}

void RegionEnd(const char* name) {
    rec::ThreadState* thread = rec::Current();
    if (thread == nullptr || thread->busy) return;
    const size_t bytes = std::strlen(name);
    const uint64_t id = bytes == 0 ? 0 : Names::Id(name, bytes);
    core::SpanEntry* stack = thread->slot->stack();
    for (uint32_t i = thread->slot->stack_depth.load(std::memory_order_relaxed); i > 0; --i) {
        auto* region = RecordIn<UserRegion>(stack[i - 1]);
        if (region == nullptr || region->name() != id) continue;
        core::SpanEntry* const top =
            stack + thread->slot->stack_depth.load(std::memory_order_relaxed);
        const auto is_procedure = [](core::SpanEntry& entry) {
            return RecordIn<schema::OmpProcedure>(entry) != nullptr;
        };
        if (stack + i != top && std::all_of(stack + i, top, is_procedure)) {
            EndBefore(thread, stack + i - 1, top);
            return;
        }
        rec::Stop(region);
        rec::End(region);
        return;
    }
}

void Mark(const char* name, double value) {
    if (rec::Current() == nullptr) return;
    rec::Instant(schema::Mark(schema::EventHead(), names.Store(name), value));
}

void Counter(const char* name, double value) {
    if (rec::Current() == nullptr) return;
    rec::Instant(schema::Counter(schema::EventHead(), names.Store(name), value));
}

void Message(int received, const char* transport, int peer, int tag, uint64_t bytes,
             int no_source) {
    if (rec::Current() == nullptr) return;
    const uint64_t id = names.Store(transport);
    const bool is_received = received != 0;
    const uint64_t number = numbers.Next({id, peer, tag, is_received ? 1u : 0u});
    rec::Instant(schema::UserMessage(
        schema::EventHead(), id, bytes, number, Caller(__builtin_return_address(0), no_source),
        peer, tag, is_received ? schema::UserDirection::receive : schema::UserDirection::send));
}

void Rank(int rank, int size) {
    const schema::UserRank record(rec::ReadTicks(), rank, size);
    comshu_engine_define(schema::RecordTraits<schema::UserRank>::kType, &record, sizeof record);
}

constexpr comshu_api kApi = {sizeof(comshu_api),
                             COMSHU_API_VERSION,
                             RegionBegin,
                             RegionEnd,
                             Mark,
                             Counter,
                             Message,
                             Rank,
                             comshu_engine_pause,
                             comshu_engine_resume,
                             comshu_engine_flush};

}  // namespace
}  // namespace comshu::provider::user

extern "C" __attribute__((visibility("default"))) const comshu_api* comshu_user_api(
    uint32_t version) {
    using namespace comshu::provider;
    if (version != COMSHU_API_VERSION) return nullptr;
    if (comshu_engine_declare_provider(TableOf<user::UserProvider>()) != 0) return nullptr;
    return &user::kApi;
}

COMSHU_EXPORT_PROVIDER(comshu::provider::user::UserProvider)
