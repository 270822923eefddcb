#include "layer/foreign.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "layer/elf_file.h"
#include "layer/tables.h"

namespace qmpi {

namespace {

// By the names of their libraries. The libmpi.so.12 of MPICH's descendants is MPICH's; Open MPI
// counts from 20 on since its version 2.
const char* FamilyOf(const char* library) {
    if (strncmp(library, "libmpich.so", 11) == 0) {
        return "mpich";
    }
    if (strncmp(library, "libmpi.so", 9) != 0) {
        return nullptr;
    }
    const int version = library[9] == '.' ? atoi(library + 10) : 0;
    return version >= 20 ? "openmpi" : version == 12 ? "mpich" : nullptr;
}

const char* MpiOf(const ElfFile& file) {
    const char* family = nullptr;
    file.ForEachNeeded([&](const char* library) {
        family = FamilyOf(library);
        return family != nullptr;
    });
    return family;
}

}  // namespace

const char* MpiOfObject(const char* path) {
    const ElfFile file(path);
    return file.error() == nullptr ? MpiOf(file) : nullptr;
}

bool CanBeOpened(const char* path, char* why, size_t size) {
    if (strchr(path, '/') == nullptr) {
        return true;  // the loader looks for it
    }
    const ElfFile file(path);
    if (file.error() != nullptr) {
        snprintf(why, size, "%s: %s", path, file.error());
        return false;
    }
    const char* other = MpiOf(file);
    if (other != nullptr && strcmp(other, qmpi_name) != 0) {
        snprintf(why, size, "%s was built for %s, and the MPI of this process is %s", path, other,
                 qmpi_name);
        return false;
    }
    return true;
}

}  // namespace qmpi
