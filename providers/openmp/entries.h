// The functions of the table: one per DBG entry, named after its field.
#ifndef COMSHU_PROVIDERS_OPENMP_ENTRIES_H_
#define COMSHU_PROVIDERS_OPENMP_ENTRIES_H_

#include "comshu/fortran/dbg_table.h"

namespace comshu::provider::openmp {

#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    void On_##field parameters;
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY

}  // namespace comshu::provider::openmp

#endif  // COMSHU_PROVIDERS_OPENMP_ENTRIES_H_
