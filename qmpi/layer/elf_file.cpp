#include "layer/elf_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace qmpi {

ElfFile::ElfFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0) {
        error_ = strerror(errno);
    } else if (!S_ISREG(status.st_mode) || status.st_size < static_cast<long>(sizeof(ElfW(Ehdr)))) {
        error_ = "it is no shared object";
    } else {
        size_ = static_cast<size_t>(status.st_size);
        data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        error_ = data_ == MAP_FAILED ? strerror(errno) : Read();
    }
    if (file >= 0) {
        close(file);
    }
}

ElfFile::~ElfFile() {
    if (data_ != nullptr && data_ != MAP_FAILED) {
        munmap(data_, size_);
    }
}

size_t ElfFile::OffsetOf(uintptr_t address) const {
    for (size_t i = 0; i < segment_count_; i++) {
        const auto& segment = segments_[i];
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address < segment.p_vaddr + segment.p_filesz) {
            return segment.p_offset + (address - segment.p_vaddr);
        }
    }
    return size_;
}

const char* ElfFile::Read() {
    constexpr const char* kNone = "it is no shared object for this machine";
    const auto* bytes = static_cast<const char*>(data_);
    const auto* header = static_cast<const ElfW(Ehdr)*>(data_);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_machine != EM_X86_64 || header->e_type != ET_DYN) {
        return kNone;
    }
    if (header->e_phoff > size_ ||
        header->e_phnum > (size_ - header->e_phoff) / sizeof(*segments_)) {
        return kNone;
    }
    segments_ = reinterpret_cast<const ElfW(Phdr)*>(bytes + header->e_phoff);
    segment_count_ = header->e_phnum;
    for (size_t i = 0; i < segment_count_; i++) {
        const auto& segment = segments_[i];
        if (segment.p_type == PT_DYNAMIC && segment.p_offset <= size_ &&
            segment.p_filesz <= size_ - segment.p_offset) {
            dynamic_offset_ = segment.p_offset;
            dynamic_ = reinterpret_cast<const ElfW(Dyn)*>(bytes + segment.p_offset);
            dynamic_count_ = segment.p_filesz / sizeof(*dynamic_);
        }
    }
    for (size_t i = 0; i < dynamic_count_; i++) {
        if (dynamic_[i].d_tag == DT_STRTAB) {
            const size_t offset = OffsetOf(dynamic_[i].d_un.d_ptr);
            strings_ = bytes + offset;
            strings_size_ = size_ - offset;
        }
    }
    // The last byte of the file ends the last string at the latest.
    while (strings_size_ > 0 && strings_[strings_size_ - 1] != '\0') {
        strings_size_--;
    }
    return strings_size_ > 0 ? nullptr : kNone;
}

}  // namespace qmpi
