#include "openmp/constructs.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/rec/engine.h"
#include "comshu/schema/openmp_traits.h"
#include "runtime/context_string.h"

namespace comshu::provider::openmp {
namespace {

class Locked {
public:
    explicit Locked(pthread_mutex_t* lock) : lock_(lock) { pthread_mutex_lock(lock_); }
    ~Locked() { pthread_mutex_unlock(lock_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    pthread_mutex_t* lock_;
};

uint64_t Intern(std::string_view text) {
    if (text.empty()) return 0;
    return comshu_engine_intern(static_cast<uint8_t>(schema::ArtifactKind::text), text.data(),
                                text.size());
}

uint32_t Number(std::string_view text) {
    uint32_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

schema::OmpConstructKind KindOf(std::string_view type) {
    for (const schema::OmpConstructKind kind : schema::EnumValuesOmpConstructKind()) {
        if (type == schema::EnumNameOmpConstructKind(kind)) return kind;
    }
    return schema::OmpConstructKind::other;
}

void DefineOne(int64_t handle, std::string_view text) {
    fortran::Context context;
    // A string that cannot be read is shown as it is.
    if (!fortran::ReadContext(text, &context).message.empty()) context.pairs.clear();
    const schema::OmpConstruct record(static_cast<uint64_t>(handle), Intern(text),
                                      Intern(context.Get("file")), Intern(context.Get("name1")),
                                      Number(context.Get("line1")), Number(context.Get("line2")),
                                      KindOf(context.Get("type")));
    comshu_engine_define(schema::RecordTraits<schema::OmpConstruct>::kType, &record, sizeof record);
}

void DefineUnit(const comshu_dbg_unit& unit) {
    for (uint32_t i = 0; i < unit.count; ++i)
        DefineOne(unit.first_handle + i, {unit.strings[i].text, unit.strings[i].length});
}

}  // namespace

void Constructs::Add(const comshu_dbg_unit* unit) {
    const Locked locked(&lock_);
    if (unit_count_ == unit_room_) {
        const size_t room = unit_room_ == 0 ? 64 : unit_room_ * 2;
        auto* units = static_cast<const comshu_dbg_unit**>(
            std::realloc(static_cast<void*>(units_), room * sizeof(*units_)));
        if (units == nullptr) return;
        units_ = units;
        unit_room_ = room;
    }
    units_[unit_count_++] = unit;
    if (is_defined_) DefineUnit(*unit);
}

void Constructs::Remove(const comshu_dbg_unit* unit) {
    const Locked locked(&lock_);
    for (size_t i = 0; i < unit_count_; ++i) {
        if (units_[i] != unit) continue;
        units_[i] = units_[--unit_count_];
        return;
    }
}

int64_t Constructs::Add(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.remove_suffix(1);
    auto handle = static_cast<int64_t>(XXH64(text.data(), text.size(), 0) >> 1);
    // 0 and -1 have meanings of their own.
    if (handle < 2) handle = 2;
    const Locked locked(&lock_);
    for (const Single* single = singles_; single != nullptr; single = single->next) {
        if (single->handle == handle) return handle;
    }
    auto* single = static_cast<Single*>(std::malloc(sizeof(Single) + text.size()));
    if (single == nullptr) return handle;
    single->handle = handle;
    single->next = singles_;
    single->bytes = text.size();
    std::memcpy(single->text, text.data(), text.size());
    singles_ = single;
    if (is_defined_) DefineOne(handle, text);
    return handle;
}

void Constructs::Define() {
    const Locked locked(&lock_);
    if (is_defined_) return;
    is_defined_ = true;
    for (size_t i = 0; i < unit_count_; ++i) DefineUnit(*units_[i]);
    for (const Single* single = singles_; single != nullptr; single = single->next)
        DefineOne(single->handle, {single->text, single->bytes});
}

void Constructs::Forget() {
    pthread_mutex_init(&lock_, nullptr);
    is_defined_ = false;
}

std::string_view Constructs::TextOf(int64_t handle) const {
    for (size_t i = 0; i < unit_count_; ++i) {
        const comshu_dbg_unit& unit = *units_[i];
        const int64_t index = handle - unit.first_handle;
        if (index >= 0 && index < unit.count)
            return {unit.strings[index].text, unit.strings[index].length};
    }
    for (const Single* single = singles_; single != nullptr; single = single->next) {
        if (single->handle == handle) return {single->text, single->bytes};
    }
    return {};
}

uint32_t Constructs::Facts(int64_t handle) {
    Known& known = known_[static_cast<uint64_t>(handle) % known_.size()];
    // The facts are those of the handle only if it is the same before and after.
    if (known.handle.load(std::memory_order_acquire) == handle) {
        const uint32_t facts = known.facts.load(std::memory_order_acquire);
        if (known.handle.load(std::memory_order_relaxed) == handle) return facts;
    }
    const Locked locked(&lock_);
    fortran::Context context;
    if (!fortran::ReadContext(TextOf(handle), &context).message.empty()) return 0;
    const uint32_t facts =
        (Number(context.Get("rank")) & kRank) | (context.Get("noend") == "1" ? kNoEnd : 0);
    known.handle.store(0, std::memory_order_release);
    known.facts.store(facts, std::memory_order_release);
    known.handle.store(handle, std::memory_order_release);
    return facts;
}

}  // namespace comshu::provider::openmp
