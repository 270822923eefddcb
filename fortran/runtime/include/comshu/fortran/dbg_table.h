#ifndef COMSHU_FORTRAN_DBG_TABLE_H
#define COMSHU_FORTRAN_DBG_TABLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// What stands between an instrumented program and whoever records it.
//
// The program calls DBG_* entries in libcomshu_dbg.so. As long as no table is set an entry loads one
// pointer, finds it null and returns. A provider sets a table of functions, one per entry, all of
// them non-null, and keeps it valid until the process ends.
//
// Constructs are named by handles: in code of comshu's instrumentor 64-bit constants, unique in the
// program, whose context strings come in units, one per source file, before main; in code of the
// original instrumentor whatever get_handle stored. A provider learns of units already registered
// when it sets its table.
//
// The thread id variable (`t`) is -1 until the provider stores an id in it; with any other value it is
// not written to (untied tasks pass a constant 0). Entries may be called by
// any thread at any time, from inside parallel regions and tasks; registration is serialised.

#define COMSHU_DBG_VERSION 2

struct comshu_dbg_string {
    const char* text;  // with its length in front, not terminated
    uint32_t length;
};

struct comshu_dbg_table;

struct comshu_dbg_unit {
    uint32_t size;  // of this struct
    uint32_t version;
    const char* source;    // as it was given to the instrumentor
    int64_t first_handle;  // of strings[0]; the others follow
    uint32_t count;
    const struct comshu_dbg_string* strings;
    struct comshu_dbg_unit* next;  // used by the runtime
    // Kept by the runtime to be the table that is set, for entries of the unit's own; may be null.
    const struct comshu_dbg_table** here;
    // Folder that `source`, and the files that context strings name, are seen from; may be null.
    const char* folder;
};

struct comshu_dbg_table {
    uint32_t size;  // of this struct
    uint32_t version;
    void (*register_unit)(const struct comshu_dbg_unit* unit);
    void (*unregister_unit)(const struct comshu_dbg_unit* unit);
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    void(*field) parameters;
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
};

// 0, or -1: another version, or a table is set already. Null takes the table away.
int comshu_dbg_set_table(const struct comshu_dbg_table* table);

// Called by the constructor and the destructor of every registration unit.
void comshu_dbg_register(struct comshu_dbg_unit* unit);
void comshu_dbg_unregister(struct comshu_dbg_unit* unit);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
