#include "openmp/constructs.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
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

// Of types without a code in the interface comshu's instrumentor tells the size.
uint32_t BytesOf(const fortran::Context& context) {
    constexpr uint32_t kByCode[] = {0, 4, 8, 4, 8, 8, 16, 4};
    const uint32_t code = Number(context.Get("vtype"));
    const std::string_view type = context.Get("type");
    if (type != "var_name" && type != "arr_name") return 0;
    if (code > 0 && code < std::size(kByCode)) return kByCode[code];
    return code == 0 ? Number(context.Get("size")) : 0;
}

// As a compiler that notes lines writes it.
std::string FileIn(const char* folder, std::string_view file) {
    if (folder == nullptr || file.empty() || file.front() == '/') return std::string(file);
    return std::string(folder).append("/").append(file);
}

std::string Printable(std::string_view text) {
    constexpr size_t kHead = 60;
    std::string shown(text.substr(0, kHead));
    for (char& c : shown) {
        if (c < ' ' || c > '~') c = '?';
    }
    return text.size() > kHead ? shown + "..." : shown;
}

// A string that cannot be read is shown as it is; one whose length alone is wrong is read.
fortran::Context Read(std::string_view text) {
    fortran::Context context;
    const fortran::ContextError error = fortran::ReadContext(text, &context);
    if (error.message.empty()) return context;
    const std::string note = "a context string of the program is wrong at character " +
                             std::to_string(error.position + 1) + " (" + error.message +
                             "): " + Printable(text);
    comshu_engine_note("openmp_context", note.c_str());
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
    if (!fortran::ReadContext(text, &context).message.empty()) context.pairs.clear();
    return context;
}

Facts DefineOne(int64_t handle, std::string_view text, const char* folder) {
    const fortran::Context context = Read(text);
    const schema::OmpConstruct record(static_cast<uint64_t>(handle), Intern(text),
                                      Intern(FileIn(folder, context.Get("file"))),
                                      Intern(context.Get("name1")), Number(context.Get("line1")),
                                      Number(context.Get("line2")), KindOf(context.Get("type")));
    comshu_engine_define(schema::RecordTraits<schema::OmpConstruct>::kType, &record, sizeof record);
    Facts facts;
    facts.rank = Number(context.Get("rank")) & 31;
    facts.has_no_end = context.Get("noend") == "1";
    if (facts.has_no_end) {
        comshu_engine_note("openmp_level",
                           "sources instrumented at -d1 tell where procedures begin (table "
                           "omp_point), and no calls: `comshu fc -dperf` tells those");
    }
    facts.bytes = BytesOf(context) & 0x1ffffff;
    return facts;
}

}  // namespace

void Constructs::DefineUnit(const comshu_dbg_unit& unit) {
    const char* folder = unit.size > offsetof(comshu_dbg_unit, folder) ? unit.folder : nullptr;
    // Kept for good: entries look there without a lock.
    auto* facts = static_cast<Facts*>(std::calloc(unit.count + 1, sizeof(Facts)));
    for (uint32_t i = 0; i < unit.count; ++i) {
        const Facts found = DefineOne(unit.first_handle + i,
                                      {unit.strings[i].text, unit.strings[i].length}, folder);
        if (facts != nullptr) facts[i] = found;
    }
    if (facts != nullptr) facts_.Add(unit.first_handle, facts, unit.count);
}

void Constructs::DefineSingle(Single* single) {
    single->facts = DefineOne(single->handle, {single->text, single->bytes}, nullptr);
    single->facts.is_single = 1;
    facts_.Add(single->handle, &single->facts, 1);
}

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

bool Constructs::Has(int64_t single) const {
    if (is_defined_) return facts_.Get(single).is_single != 0;
    const Single* there = singles_;
    while (there != nullptr && there->handle != single) there = there->next;
    return there != nullptr;
}

int64_t Constructs::Add(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.remove_suffix(1);
    auto handle = static_cast<int64_t>(XXH64(text.data(), text.size(), 0) >> 1);
    // 0 and -1 have meanings of their own.
    if (handle < 2) handle = 2;
    const Locked locked(&lock_);
    if (Has(handle)) return handle;
    auto* single = static_cast<Single*>(std::malloc(sizeof(Single) + text.size()));
    if (single == nullptr) return handle;
    single->handle = handle;
    single->next = singles_;
    single->bytes = text.size();
    std::memcpy(single->text, text.data(), text.size());
    singles_ = single;
    if (is_defined_) DefineSingle(single);
    return handle;
}

void Constructs::Define() {
    const Locked locked(&lock_);
    if (is_defined_) return;
    is_defined_ = true;
    for (size_t i = 0; i < unit_count_; ++i) DefineUnit(*units_[i]);
    for (Single* single = singles_; single != nullptr; single = single->next) DefineSingle(single);
}

void Constructs::Forget() {
    pthread_mutex_init(&lock_, nullptr);
    is_defined_ = false;
}

}  // namespace comshu::provider::openmp
