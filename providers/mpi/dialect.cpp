#include "mpi/dialect.h"

#include <dlfcn.h>

namespace comshu::provider::mpi {

#if defined(OPEN_MPI)

Handles handles;

namespace {

// The program may hold the library's objects itself (copy relocation), so the global scope comes
// first; a library that was opened with RTLD_LOCAL is asked by its own handle.
void* FindObject(void* library, const char* name) {
    void* object = dlsym(RTLD_DEFAULT, name);
    return object != nullptr || library == nullptr ? object : dlsym(library, name);
}

}  // namespace

bool LoadHandles(void* symbol) {
    Dl_info info;
    void* library = nullptr;
    if (symbol != nullptr && dladdr(symbol, &info) != 0) {
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    bool found = true;
    const auto load = [&](auto* handle, const char* name) {
        void* object = FindObject(library, name);
        found = found && object != nullptr;
        *reinterpret_cast<void**>(handle) = object;
    };
    load(&handles.comm_world, "ompi_mpi_comm_world");
    load(&handles.comm_self, "ompi_mpi_comm_self");
    load(&handles.comm_null, "ompi_mpi_comm_null");
    load(&handles.request_null, "ompi_request_null");
    load(&handles.request_empty, "ompi_request_empty");
    load(&handles.message_null, "ompi_message_null");
    load(&handles.message_no_proc, "ompi_message_no_proc");
    load(&handles.datatype_null, "ompi_mpi_datatype_null");
    load(&handles.byte, "ompi_mpi_byte");
    load(&handles.errors_return, "ompi_mpi_errors_return");
    load(&handles.win_null, "ompi_mpi_win_null");
    load(&handles.file_null, "ompi_mpi_file_null");
    load(&handles.group_null, "ompi_mpi_group_null");
    const char* const operations[] = {
        "ompi_mpi_op_max",     "ompi_mpi_op_min",  "ompi_mpi_op_sum",    "ompi_mpi_op_prod",
        "ompi_mpi_op_land",    "ompi_mpi_op_band", "ompi_mpi_op_lor",    "ompi_mpi_op_bor",
        "ompi_mpi_op_lxor",    "ompi_mpi_op_bxor", "ompi_mpi_op_minloc", "ompi_mpi_op_maxloc",
        "ompi_mpi_op_replace", "ompi_mpi_op_no_op"};
    static_assert(sizeof operations / sizeof *operations ==
                  sizeof handles.operations / sizeof *handles.operations);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
        load(&handles.operations[i], operations[i]);
    }
    if (library != nullptr) dlclose(library);
    return found;
}

schema::MpiOperation Operation(MPI_Op op) {
    // MPI_SUM, the third, is most of what programs reduce with.
    if (op == handles.operations[2]) return schema::MpiOperation::sum;
    for (uint8_t i = 0; i < sizeof handles.operations / sizeof *handles.operations; ++i) {
        if (op == handles.operations[i]) return static_cast<schema::MpiOperation>(i + 1);
    }
    return schema::MpiOperation::user;
}

#else

bool LoadHandles(void*) {
    return true;
}

schema::MpiOperation Operation(MPI_Op op) {
    switch (op) {
        case MPI_MAX:
            return schema::MpiOperation::max;
        case MPI_MIN:
            return schema::MpiOperation::min;
        case MPI_SUM:
            return schema::MpiOperation::sum;
        case MPI_PROD:
            return schema::MpiOperation::prod;
        case MPI_LAND:
            return schema::MpiOperation::land;
        case MPI_BAND:
            return schema::MpiOperation::band;
        case MPI_LOR:
            return schema::MpiOperation::lor;
        case MPI_BOR:
            return schema::MpiOperation::bor;
        case MPI_LXOR:
            return schema::MpiOperation::lxor;
        case MPI_BXOR:
            return schema::MpiOperation::bxor;
        case MPI_MINLOC:
            return schema::MpiOperation::minloc;
        case MPI_MAXLOC:
            return schema::MpiOperation::maxloc;
        case MPI_REPLACE:
            return schema::MpiOperation::replace;
        case MPI_NO_OP:
            return schema::MpiOperation::no_op;
        case MPI_OP_NULL:
            return schema::MpiOperation::none;
        default:
            return schema::MpiOperation::user;
    }
}

#endif

}  // namespace comshu::provider::mpi
