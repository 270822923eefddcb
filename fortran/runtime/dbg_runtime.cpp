#include "comshu/fortran/dbg_table.h"

#include <pthread.h>
#include <stddef.h>

// The DBG entries. Each exists once, under its C name, with the name that gfortran and ifx make of
// the Fortran one as an alias, and another that no procedure of a program has.

namespace {

const comshu_dbg_table* g_table = nullptr;
comshu_dbg_unit* g_units = nullptr;
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

const comshu_dbg_table* Table() {
    return __atomic_load_n(&g_table, __ATOMIC_ACQUIRE);
}

void Show(const comshu_dbg_unit* unit, const comshu_dbg_table* table) {
    if (unit->here) {
        __atomic_store_n(unit->here, table, __ATOMIC_RELEASE);
    }
}

}  // namespace

// A provider that is preloaded.
extern "C" const comshu_dbg_table* comshu_openmp_dbg_table(void)
    __attribute__((weak, visibility("default")));
// Registers the handles of a program of the documented scheme.
extern "C" void dbg_init_handles_(void) __attribute__((weak, visibility("default")));

#pragma GCC visibility push(default)
extern "C" {

#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    void c_name parameters {                                                 \
        const comshu_dbg_table* table = Table();                             \
        if (__builtin_expect(table != nullptr, 0)) {                         \
            table->field arguments;                                          \
        }                                                                    \
    }                                                                        \
    void fortran_name parameters __attribute__((alias(#c_name)));            \
    void comshu_##fortran_name parameters __attribute__((alias(#c_name)));
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY

// The spelling of the document.
void DBG_Get_handle(int64_t* h, const char* text, int64_t length)
    __attribute__((alias("DBG_Get_Handle")));

// The instrumentor makes the Fortran one, a part of the program.
void DBG_Init_Handles(void) {
    if (&dbg_init_handles_ != nullptr) dbg_init_handles_();
}

int64_t DBG_Get_Addr(const void* variable) {
    return reinterpret_cast<int64_t>(variable);
}
int64_t dbg_get_addr_(const void* variable) __attribute__((alias("DBG_Get_Addr")));

int comshu_dbg_set_table(const comshu_dbg_table* table) {
    if (table && (table->size < sizeof(comshu_dbg_table) || table->version != COMSHU_DBG_VERSION)) {
        return -1;
    }
    pthread_mutex_lock(&g_mutex);
    bool taken = table && Table();
    if (!taken) {
        for (comshu_dbg_unit* unit = table ? g_units : nullptr; unit; unit = unit->next) {
            table->register_unit(unit);
        }
        __atomic_store_n(&g_table, table, __ATOMIC_RELEASE);
        for (comshu_dbg_unit* unit = g_units; unit; unit = unit->next) {
            Show(unit, table);
        }
    }
    pthread_mutex_unlock(&g_mutex);
    return taken ? -1 : 0;
}

void comshu_dbg_register(comshu_dbg_unit* unit) {
    // The folder came later.
    if (unit->size < offsetof(comshu_dbg_unit, folder) || unit->version != COMSHU_DBG_VERSION) {
        return;
    }
    pthread_mutex_lock(&g_mutex);
    comshu_dbg_unit** last = &g_units;
    while (*last && *last != unit) {
        last = &(*last)->next;
    }
    if (!*last) {
        unit->next = nullptr;
        *last = unit;
        if (const comshu_dbg_table* table = Table()) {
            table->register_unit(unit);
            Show(unit, table);
        }
    }
    pthread_mutex_unlock(&g_mutex);
}

void comshu_dbg_unregister(comshu_dbg_unit* unit) {
    pthread_mutex_lock(&g_mutex);
    for (comshu_dbg_unit** link = &g_units; *link; link = &(*link)->next) {
        if (*link == unit) {
            *link = unit->next;
            if (const comshu_dbg_table* table = Table()) {
                table->unregister_unit(unit);
            }
            break;
        }
    }
    pthread_mutex_unlock(&g_mutex);
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

// Units that are registered before this comes are told of then.
__attribute__((constructor)) void TakeProvider() {
    if (&comshu_openmp_dbg_table != nullptr) comshu_dbg_set_table(comshu_openmp_dbg_table());
}

}  // namespace
