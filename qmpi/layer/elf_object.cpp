#include "layer/elf_object.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace qmpi {

ElfObject::ElfObject(const dl_phdr_info& info)
    : base_(info.dlpi_addr), path_(info.dlpi_name != nullptr ? info.dlpi_name : "") {
    for (int i = 0; i < info.dlpi_phnum; i++) {
        const auto& segment = info.dlpi_phdr[i];
        const uintptr_t begin = base_ + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            code_begin_ = code_begin_ == 0 || begin < code_begin_ ? begin : code_begin_;
            code_end_ = begin + segment.p_memsz > code_end_ ? begin + segment.p_memsz : code_end_;
        } else if (segment.p_type == PT_GNU_RELRO) {
            relro_begin_ = begin;
            relro_end_ = begin + segment.p_memsz;
        } else if (segment.p_type == PT_DYNAMIC) {
            ReadDynamic(reinterpret_cast<const ElfW(Dyn)*>(begin));
        }
    }
}

void ElfObject::ReadDynamic(const ElfW(Dyn) * dynamic) {
    // glibc relocates these pointers in place, but not in objects whose dynamic section is
    // read-only (the vDSO).
    auto pointer = [this](ElfW(Addr) value) {
        return value < base_ ? base_ + value : static_cast<uintptr_t>(value);
    };
    for (const auto* entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        const uintptr_t at = pointer(entry->d_un.d_ptr);
        switch (entry->d_tag) {
            case DT_SYMTAB:
                symbols_ = reinterpret_cast<const ElfW(Sym)*>(at);
                break;
            case DT_STRTAB:
                strings_ = reinterpret_cast<const char*>(at);
                break;
            case DT_GNU_HASH:
                gnu_hash_ = reinterpret_cast<const uint32_t*>(at);
                break;
            case DT_HASH:
                sysv_hash_ = reinterpret_cast<const uint32_t*>(at);
                break;
            case DT_JMPREL:
                plt_ = reinterpret_cast<const ElfW(Rela)*>(at);
                break;
            case DT_PLTRELSZ:
                plt_size_ = entry->d_un.d_val;
                break;
            case DT_RELA:
                rela_ = reinterpret_cast<const ElfW(Rela)*>(at);
                break;
            case DT_RELASZ:
                rela_size_ = entry->d_un.d_val;
                break;
            default:
                break;
        }
    }
}

void* ElfObject::Find(const char* name) const {
    if (symbols_ == nullptr || strings_ == nullptr) {
        return nullptr;
    }
    const auto* symbol = gnu_hash_ != nullptr ? FindGnu(name) : FindSysv(name);
    return symbol != nullptr ? reinterpret_cast<void*>(base_ + symbol->st_value) : nullptr;
}

const ElfW(Sym) * ElfObject::FindGnu(const char* name) const {
    uint32_t hash = 5381;
    for (const char* c = name; *c != '\0'; c++) {
        hash = hash * 33 + static_cast<unsigned char>(*c);
    }
    const uint32_t bucket_count = gnu_hash_[0];
    const uint32_t first_symbol = gnu_hash_[1];
    const uint32_t bloom_words = gnu_hash_[2];
    const uint32_t bloom_shift = gnu_hash_[3];
    const auto* bloom = reinterpret_cast<const uint64_t*>(gnu_hash_ + 4);
    const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + bloom_words);
    const auto* chain = buckets + bucket_count;
    if (bucket_count == 0 || bloom_words == 0) {
        return nullptr;
    }
    const uint64_t word = bloom[(hash / 64) % bloom_words];
    if (((word >> (hash % 64)) & (word >> ((hash >> bloom_shift) % 64)) & 1) == 0) {
        return nullptr;
    }
    for (uint32_t i = buckets[hash % bucket_count]; i >= first_symbol; i++) {
        const uint32_t entry = chain[i - first_symbol];
        const auto& symbol = symbols_[i];
        if ((entry | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
            strcmp(strings_ + symbol.st_name, name) == 0) {
            return &symbol;
        }
        if ((entry & 1) != 0) {
            break;
        }
    }
    return nullptr;
}

const ElfW(Sym) * ElfObject::FindSysv(const char* name) const {
    if (sysv_hash_ == nullptr) {
        return nullptr;
    }
    uint32_t hash = 0;
    for (const char* c = name; *c != '\0'; c++) {
        hash = (hash << 4) + static_cast<unsigned char>(*c);
        hash = (hash ^ ((hash & 0xf0000000) >> 24)) & 0x0fffffff;
    }
    const uint32_t bucket_count = sysv_hash_[0];
    const uint32_t* buckets = sysv_hash_ + 2;
    const uint32_t* chain = buckets + bucket_count;
    if (bucket_count == 0) {
        return nullptr;
    }
    for (uint32_t i = buckets[hash % bucket_count]; i != 0; i = chain[i]) {
        const auto& symbol = symbols_[i];
        if (symbol.st_shndx != SHN_UNDEF && strcmp(strings_ + symbol.st_name, name) == 0) {
            return &symbol;
        }
    }
    return nullptr;
}

bool ElfObject::Patch(void** slot, void* value) const {
    const auto at = reinterpret_cast<uintptr_t>(slot);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const bool read_only = at >= (relro_begin_ & ~(page - 1)) && at < (relro_end_ & ~(page - 1));
    auto* start = reinterpret_cast<void*>(at & ~(page - 1));
    if (read_only && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (read_only) {
        mprotect(start, page, PROT_READ);
    }
    return true;
}

}  // namespace qmpi
