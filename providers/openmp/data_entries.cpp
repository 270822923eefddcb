// Data: variables, reads, writes, arguments (levels 3 and 4).
#include "comshu/rec/engine.h"
#include "openmp/entries.h"
#include "openmp/library.h"
#include "openmp/spans.h"

namespace comshu::provider::openmp {
namespace {

using Handle = const int64_t*;
using Id = int64_t*;
using schema::OmpAccessKind;
using schema::OmpVariableKind;

uint64_t AddressOf(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

// What is worked out from data is wrong if a single record is missing.
rec::ThreadState* EnterData(Id t) {
    rec::ThreadState* thread = Enter(t);
    if (thread != nullptr && !library.keeps_all.load(std::memory_order_relaxed)) [[unlikely]] {
        library.keeps_all.store(true, std::memory_order_relaxed);
        comshu_engine_keep_all();
    }
    return thread;
}

void Access(Handle h, Id t, const void* address, const int64_t* variable, OmpAccessKind kind) {
    if (EnterData(t) == nullptr) return;
    rec::Instant(schema::OmpAccess(schema::EventHead(), AddressOf(address), ConstructOf(variable),
                                   ConstructOf(h), kind));
}

void Variable(Handle h, Id t, const void* address, int32_t position, OmpVariableKind kind) {
    if (EnterData(t) == nullptr) return;
    rec::Instant(schema::OmpVariable(schema::EventHead(), AddressOf(address), ConstructOf(h),
                                     position, kind));
}

void Array(Handle h, Id t, const int64_t* bounds, const void* address, int32_t position,
           OmpVariableKind kind) {
    if (EnterData(t) == nullptr) return;
    Variable(h, t, address, position, kind);
    const uint32_t rank = library.constructs.Rank(*h);
    for (uint32_t i = 0; i < rank; ++i)
        rec::Instant(schema::OmpBound(schema::EventHead(), bounds[2 * i], bounds[2 * i + 1]));
}

void Argument(Id t, const int32_t* position, const void* address, const int64_t* variable,
              const void* base, const int32_t* is_read) {
    if (EnterData(t) == nullptr) return;
    rec::Instant(schema::OmpArgument(schema::EventHead(), AddressOf(address), ConstructOf(variable),
                                     AddressOf(base), *position, *is_read));
}

}  // namespace

void On_reg_var(Handle h, Id t, void* address) {
    Variable(h, t, address, 0, OmpVariableKind::variable);
}
void On_reg_arr(Handle h, Id t, const int64_t* bounds, void* address) {
    Array(h, t, bounds, address, 0, OmpVariableKind::array);
}
void On_unreg_arr(Handle h, Id t, void* address) {
    Variable(h, t, address, 0, OmpVariableKind::gone);
}
void On_reg_par_var(Handle h, Id t, void* address, const int32_t* position) {
    Variable(h, t, address, *position, OmpVariableKind::formal_variable);
}
void On_reg_par_arr(Handle h, Id t, const int64_t* bounds, void* address, const int32_t* position) {
    Array(h, t, bounds, address, *position, OmpVariableKind::formal_array);
}
void On_reg_common(Handle h, Id t) {
    Variable(h, t, nullptr, 0, OmpVariableKind::common);
}

void On_read_var(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::read);
}
void On_read_arr(Handle h, Id t, void* address, const int64_t* v, void*) {
    Access(h, t, address, v, OmpAccessKind::read);
}
void On_write_var_begin(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::write_begin);
}
void On_write_var_end(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::write_end);
}
void On_write_arr_begin(Handle h, Id t, void* address, const int64_t* v, void*) {
    Access(h, t, address, v, OmpAccessKind::write_begin);
}
void On_write_arr_end(Handle h, Id t, void* address, const int64_t* v, void*) {
    Access(h, t, address, v, OmpAccessKind::write_end);
}
void On_write_end(Handle h, Id t, void* address, const int64_t* v) {
    Access(h, t, address, v, OmpAccessKind::write_end);
}

void On_func_par_var(Handle, Id t, const int32_t* position, void* address, const int64_t* v,
                     const int32_t* is_read) {
    Argument(t, position, address, v, nullptr, is_read);
}
void On_func_par_arr(Handle, Id t, const int32_t* position, void* address, const int64_t* v,
                     void* base, const int32_t* is_read) {
    Argument(t, position, address, v, base, is_read);
}

}  // namespace comshu::provider::openmp
