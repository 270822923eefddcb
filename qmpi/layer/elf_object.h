#ifndef QMPI_LAYER_ELF_OBJECT_H
#define QMPI_LAYER_ELF_OBJECT_H

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace qmpi {

// A loaded object, read from its own tables in memory.
//
// dlsym answers for search scopes, but the layer asks about single objects, some of which are in no
// scope that it can name (RTLD_LOCAL), and it asks from inside dl_iterate_phdr, where dlopen and
// dlsym may deadlock. So the few things it needs are read here: exported names, relocations, and
// where the code lies. Valid only while the object stays mapped.
class ElfObject {
public:
    explicit ElfObject(const dl_phdr_info& info);

    // Code of the object: from the first to the last executable segment.
    uintptr_t code_begin() const { return code_begin_; }
    uintptr_t code_end() const { return code_end_; }
    bool HasCode(const void* address) const {
        const auto at = reinterpret_cast<uintptr_t>(address);
        return at >= code_begin_ && at < code_end_;
    }
    const char* path() const { return path_; }
    uintptr_t base() const { return base_; }

    // Address of an exported function or variable, or null.
    void* Find(const char* name) const;

    // Calls visit(symbol name, slot) for each slot that the loader fills with a function's address.
    template <typename Visit>
    void ForEachSlot(Visit visit) const {
        EachSlot(plt_, plt_size_, visit);
        EachSlot(rela_, rela_size_, visit);
    }

    // The same for pointers in data that the loader fills with the address of another object's function.
    template <typename Visit>
    void ForEachPointer(Visit visit) const {
        for (size_t i = 0; rela_ != nullptr && i < rela_size_ / sizeof(*rela_); i++) {
            const auto& symbol = symbols_[ELF64_R_SYM(rela_[i].r_info)];
            if (ELF64_R_TYPE(rela_[i].r_info) == R_X86_64_64 && rela_[i].r_addend == 0 &&
                symbol.st_shndx == SHN_UNDEF) {
                visit(strings_ + symbol.st_name,
                      reinterpret_cast<void**>(base_ + rela_[i].r_offset));
            }
        }
    }

    // Stores a function's address into a slot, which may lie in a page made read-only after
    // relocation. False if the page could not be made writable.
    bool Patch(void** slot, void* value) const;

private:
    template <typename Visit>
    void EachSlot(const ElfW(Rela) * table, size_t bytes, Visit visit) const {
        if (table == nullptr || symbols_ == nullptr) {
            return;
        }
        for (size_t i = 0; i < bytes / sizeof(*table); i++) {
            const auto type = ELF64_R_TYPE(table[i].r_info);
            if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) {
                const auto& symbol = symbols_[ELF64_R_SYM(table[i].r_info)];
                visit(strings_ + symbol.st_name,
                      reinterpret_cast<void**>(base_ + table[i].r_offset));
            }
        }
    }
    const ElfW(Sym) * FindGnu(const char* name) const;
    const ElfW(Sym) * FindSysv(const char* name) const;
    void ReadDynamic(const ElfW(Dyn) * dynamic);

    uintptr_t base_;
    const char* path_;
    uintptr_t code_begin_ = 0;
    uintptr_t code_end_ = 0;
    uintptr_t relro_begin_ = 0;
    uintptr_t relro_end_ = 0;
    const ElfW(Sym) * symbols_ = nullptr;
    const char* strings_ = nullptr;
    const uint32_t* gnu_hash_ = nullptr;
    const uint32_t* sysv_hash_ = nullptr;
    const ElfW(Rela) * plt_ = nullptr;
    size_t plt_size_ = 0;
    const ElfW(Rela) * rela_ = nullptr;
    size_t rela_size_ = 0;
};

// Calls visit(const ElfObject&, index) for each loaded object until it returns true. The loader is
// locked meanwhile: no dlopen, dlsym or dlclose in visit. Returns how many objects were ever loaded
// in this process, by which a change is seen.
template <typename Visit>
unsigned long long ForEachObject(Visit visit) {
    struct State {
        Visit* visit;
        int index = 0;
        unsigned long long loads = 0;
    } state{&visit};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto* state = static_cast<State*>(data);
            state->loads = info->dlpi_adds;
            return (*state->visit)(ElfObject(*info), state->index++) ? 1 : 0;
        },
        &state);
    return state.loads;
}

}  // namespace qmpi

#endif
