#include "layer/fortran.h"

#include <atomic>
#include <cstring>

#include "layer/caller.h"
#include "layer/elf_object.h"
#include "layer/tables.h"

namespace qmpi {

namespace {

bool IsConversion(const char* name) {
    const char* end = name + strlen(name);
    return end - name > 4 && (strcmp(end - 4, "_f2c") == 0 || strcmp(end - 4, "_c2f") == 0);
}

bool IsFortranBinding(const ElfObject& object) {
    for (const char* twin : {"pmpi_init_", "pmpi_init_f08_", "pmpir_init_f08_"}) {
        if (object.Find(twin) != nullptr) {
            return true;
        }
    }
    return false;
}

void* StubOf(const char* profiling_name) {
    for (int row = 0; row < qmpi_row_count; row++) {
        const auto& function = qmpi_functions[row];
        if (function.name != nullptr && strcmp(function.profiling_name, profiling_name) == 0) {
            return qmpi_stubs[row];
        }
    }
    return nullptr;
}

void Lead(const ElfObject& object, const char* name, void** slot) {
    if (strncmp(name, "PMPI", 4) == 0 && !IsConversion(name)) {
        void* stub = StubOf(name);
        if (stub != nullptr && *slot != stub) {
            object.Patch(slot, stub);
        }
    }
}

void Redirect(const ElfObject& object) {
    object.ForEachSlot([&](const char* name, void** slot) { Lead(object, name, slot); });
}

// Tools keep PMPI_X in tables of their own, too.
void RedirectTool(const ElfObject& object) {
    Redirect(object);
    object.ForEachPointer([&](const char* name, void** slot) { Lead(object, name, slot); });
}

}  // namespace

void RedirectPmpiToolsInFront() {
    ForEachPmpiToolInFront(RedirectTool);
}

void RedirectFortranBindings() {
    static std::atomic<unsigned long long> done_at{0};
    const auto loads = ForEachObject([](const ElfObject&, int) { return true; });
    if (done_at.load(std::memory_order_acquire) == loads) {
        return;
    }
    // The loader's lock, held during the walk, serialises two threads that come here at once.
    const auto seen = ForEachObject([](const ElfObject& object, int index) {
        if (index != 0 && IsFortranBinding(object)) {
            Redirect(object);
        }
        return false;
    });
    done_at.store(seen, std::memory_order_release);
}

}  // namespace qmpi
