#include "layer/members.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "layer/chain.h"
#include "layer/elf_file.h"
#include "layer/elf_object.h"
#include "layer/foreign.h"
#include "layer/member_call.h"
#include "layer/tables.h"

extern "C" {
__thread int qmpi_member_index;
// Where dlsym and dlvsym thunks go on with the names that are none of MPI's.
void* (*qmpi_real_dlsym)(void*, const char*)__attribute__((visibility("hidden"))) = dlsym;
void* (*qmpi_real_dlvsym)(void*, const char*,
                          const char*)__attribute__((visibility("hidden"))) = dlvsym;
}

namespace qmpi {

namespace {

static_assert(kMaxMembers == kQmpiMaxMembers);
constexpr size_t kThunkSize = 16;

const Instance* members[kMaxMembers];
int member_count = 0;

int argument_count = 0;
char** arguments = nullptr;

int RowOfName(const char* name) {
    const char* plain = name[0] == 'P' ? name + 1 : name;
    if (strncmp(plain, "MPI", 3) != 0) {
        return -1;
    }
    for (int row = 0; row < qmpi_row_count; row++) {
        if (qmpi_functions[row].name != nullptr && strcmp(qmpi_functions[row].name, plain) == 0) {
            return row;
        }
    }
    return -1;
}

void* Thunk(int member, int row) {
    const size_t at = static_cast<size_t>(member) * static_cast<size_t>(qmpi_row_count) +
                      static_cast<size_t>(row);
    return const_cast<char*>(qmpi_member_thunks + at * kThunkSize);
}

// The value for a slot of this name, or null if it stays as it is.
void* Redirection(int member, const char* name) {
    const int row = RowOfName(name);
    if (row >= 0) {
        return Thunk(member, row);
    }
    const size_t offset = static_cast<size_t>(member) * kThunkSize;
    if (strcmp(name, "dlsym") == 0) {
        return const_cast<char*>(qmpi_dlsym_thunks + offset);
    }
    return strcmp(name, "dlvsym") == 0 ? const_cast<char*>(qmpi_dlvsym_thunks + offset) : nullptr;
}

struct Constructors {
    uintptr_t init = 0;
    uintptr_t array = 0;
    size_t array_size = 0;
};

// A copy of the file in memory that lists no constructors. Its file descriptor, or -1.
int CopyWithoutConstructors(const ElfFile& file, Constructors* found) {
    const int copy = memfd_create("pmpi-tool", MFD_CLOEXEC);
    if (copy < 0 || ftruncate(copy, static_cast<off_t>(file.size())) != 0) {
        return -1;
    }
    void* memory = mmap(nullptr, file.size(), PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
    if (memory == MAP_FAILED) {
        return -1;
    }
    memcpy(memory, file.data(), file.size());
    auto* entry = reinterpret_cast<ElfW(Dyn)*>(static_cast<char*>(memory) + file.dynamic_offset());
    for (size_t i = 0; i < file.dynamic_count() && entry[i].d_tag != DT_NULL; i++) {
        constexpr ElfW(Sxword) kUnknownTag = DT_LOOS + 0xc0de;  // the loader passes it over
        if (entry[i].d_tag == DT_INIT) {
            found->init = entry[i].d_un.d_ptr;
            entry[i].d_tag = kUnknownTag;
        } else if (entry[i].d_tag == DT_INIT_ARRAY) {
            found->array = entry[i].d_un.d_ptr;
        } else if (entry[i].d_tag == DT_INIT_ARRAYSZ) {
            found->array_size = entry[i].d_un.d_val / sizeof(uintptr_t);
            entry[i].d_un.d_val = 0;
        }
    }
    munmap(memory, file.size());
    return copy;
}

// A path that the loader has not seen yet, since it takes equal paths for one library.
void* Load(int file, int member) {
    char path[128];
    int length = snprintf(path, sizeof(path), "/proc/self/fd");
    for (int i = 0; i < member; i++) {
        length += snprintf(path + length, sizeof(path) - static_cast<size_t>(length), "/.");
    }
    snprintf(path + length, sizeof(path) - static_cast<size_t>(length), "/%d", file);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// The libraries that it needs and finds relative to its own place, which the copy has not.
void LoadNeighbours(const ElfFile& file, const char* path) {
    const char* slash = strrchr(path, '/');
    if (slash == nullptr) {
        return;
    }
    file.ForEachRunPath([&](const char* folders) {
        const char* origin = strstr(folders, "$ORIGIN");
        const size_t skip = origin == nullptr ? 0 : strlen("$ORIGIN");
        if (origin == nullptr) {
            return;
        }
        const int rest = static_cast<int>(strcspn(origin + skip, ":"));
        file.ForEachNeeded([&](const char* library) {
            char full[4096];
            snprintf(full, sizeof(full), "%.*s%.*s/%s", static_cast<int>(slash - path), path, rest,
                     origin + skip, library);
            dlopen(full, RTLD_NOW | RTLD_LOCAL);
            dlerror();
            return false;
        });
    });
}

void CallConstructors(const Constructors& found, uintptr_t base) {
    using Constructor = void (*)(int, char**, char**);
    char* alone[] = {program_invocation_name, nullptr};
    const int count = arguments != nullptr ? argument_count : 1;
    char** values = arguments != nullptr ? arguments : alone;
    if (found.init != 0) {
        reinterpret_cast<Constructor>(base + found.init)(count, values, environ);
    }
    const auto* array = reinterpret_cast<const uintptr_t*>(base + found.array);
    for (size_t i = 0; i < found.array_size; i++) {
        if (array[i] != 0 && array[i] != UINTPTR_MAX) {
            reinterpret_cast<Constructor>(array[i])(count, values, environ);
        }
    }
}

struct Loaded {
    int exported = 0;
    bool has_mpi = false;
    bool is_protected = false;  // a slot could not be changed
};

Loaded Redirect(uintptr_t base, int member, Instance& instance) {
    Loaded loaded;
    ForEachObject([&](const ElfObject& object, int) {
        if (object.base() != base) {
            return false;
        }
        instance.code_begin = object.code_begin();
        instance.code_end = object.code_end();
        loaded.has_mpi = object.Find("PMPI_Init") != nullptr;
        for (int row = 0; row < qmpi_row_count; row++) {
            const char* name = qmpi_functions[row].name;
            void* exported = name != nullptr ? object.Find(name) : nullptr;
            if (exported != nullptr) {
                instance.inner[row] = reinterpret_cast<QMPI_Function>(exported);
                instance.functions[row] = qmpi_member_adapters[row];
                loaded.exported++;
            }
        }
        const auto change = [&](const char* name, void** slot) {
            void* value = Redirection(member, name);
            if (value != nullptr && !object.Patch(slot, value)) {
                loaded.is_protected = true;
            }
        };
        object.ForEachSlot(change);
        object.ForEachPointer([&](const char* name, void** slot) {
            if (name[0] == 'P') {
                change(name, slot);
            }
        });
        return true;
    });
    return loaded;
}

bool Refuse(char* why, size_t size, const char* path, const char* reason) {
    snprintf(why, size, "%s: %s", path, reason);
    return false;
}

}  // namespace

void KeepArguments(int argc, char** argv) {
    argument_count = argc;
    arguments = argv;
}

bool AddMember(const char* path, long place, char* why, size_t size) {
    if (member_count == kMaxMembers) {
        return Refuse(why, size, path, "16 PMPI tools are there already, and more do not fit");
    }
    if (!CanBeOpened(path, why, size)) {
        return false;
    }
    const ElfFile file(path);
    if (file.error() != nullptr) {
        return Refuse(why, size, path, file.error());
    }
    LoadNeighbours(file, path);
    Constructors constructors;
    const int copy = CopyWithoutConstructors(file, &constructors);
    if (copy < 0) {
        return Refuse(why, size, path, strerror(errno));
    }
    const int index = member_count;
    void* handle = Load(copy, index);
    const char* error = handle == nullptr ? dlerror() : nullptr;
    close(copy);
    if (handle == nullptr) {
        return Refuse(why, size, path, error != nullptr ? error : "it cannot be loaded");
    }
    struct link_map* map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    const char* name = strrchr(path, '/');
    Instance* instance = AddInstance(strdup(name != nullptr ? name + 1 : path), place, nullptr);
    if (map == nullptr || instance == nullptr) {
        return Refuse(why, size, path, "no memory");
    }
    const Loaded loaded = Redirect(map->l_addr, index, *instance);
    if (loaded.has_mpi || loaded.exported == 0 || loaded.is_protected) {
        RemoveInstance(instance);
        dlclose(handle);
        return Refuse(why, size, path,
                      loaded.has_mpi ? "it contains an MPI library of its own"
                      : loaded.exported == 0
                          ? "it wraps no MPI function"
                          : "its calls of MPI lie in memory that stays read-only");
    }
    members[index] = instance;
    member_count++;
    CallConstructors(constructors, map->l_addr);
    return true;
}

}  // namespace qmpi

// From the dlsym thunks: the next member's function for a name of MPI, else null.
extern "C" __attribute__((visibility("hidden"))) void* QmpiMemberSymbol(int member,
                                                                        const char* name) {
    const int row = name != nullptr ? qmpi::RowOfName(name) : -1;
    return row >= 0 ? qmpi::Thunk(member, row) : nullptr;
}

QMPI_Link QmpiMemberNext(int row) {
    const QmpiChainBlock* block = qmpi::Chain();
    const int id = qmpi::members[qmpi_member_index]->id;
    if (block == nullptr || id > block->chain->tool_count) {
        return {qmpi_ends[row], 0};  // it calls MPI while the chain is being made
    }
    return qmpi_chain_tool(block->chain, id)->next[row];
}
