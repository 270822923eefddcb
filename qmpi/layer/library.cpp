#include "layer/library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "layer/elf_object.h"
#include "layer/tables.h"

namespace qmpi {

namespace {

bool IsThisLibrary(const ElfObject& object) {
    return object.HasCode(reinterpret_cast<const void*>(&FindNext));
}

// Each MPI's mpi.h makes programs refer to these, so every library with the same binary interface
// exports them.
const char* MarkerOf(const char* mpi) {
    return strcmp(mpi, "openmpi") == 0 ? "ompi_mpi_comm_world" : "MPIR_Dup_fn";
}

struct Definition {
    void* address = nullptr;
    char path[256] = "";
};

Definition FindAmongObjects(const char* name) {
    Definition found;
    ForEachObject([&](const ElfObject& object, int) {
        if (IsThisLibrary(object) || (found.address = object.Find(name)) == nullptr) {
            return false;
        }
        snprintf(found.path, sizeof(found.path), "%s", object.path());
        return true;
    });
    return found;
}

}  // namespace

void Pin(const char* path) {
    if (path[0] != '\0' && dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == nullptr) {
        dlerror();
    }
}

void* FindNext(const char* name) {
    void* address = dlsym(RTLD_NEXT, name);
    if (address == nullptr) {
        dlerror();  // the program must not find our failure in its next dlerror()
        const Definition found = FindAmongObjects(name);
        if (found.address != nullptr) {
            Pin(found.path);
        }
        address = found.address;
    }
    return address;
}

MpiFound FindMpi() {
    MpiFound result{Mpi::kNone, ""};
    void* init = FindNext("PMPI_Init");
    const bool profiling = init != nullptr;
    if (!profiling && (init = FindNext("MPI_Init")) == nullptr) {
        return result;
    }
    result.mpi = Mpi::kOther;
    ForEachObject([&](const ElfObject& object, int) {
        if (!object.HasCode(init)) {
            return false;
        }
        snprintf(result.path, sizeof(result.path), "%s", object.path());
        if (profiling && object.Find(MarkerOf(qmpi_name)) != nullptr) {
            result.mpi = Mpi::kOurs;
        }
        return true;
    });
    if (result.mpi == Mpi::kOurs) {
        Pin(result.path);
    }
    return result;
}

}  // namespace qmpi
