#ifndef QMPI_LAYER_ELF_FILE_H
#define QMPI_LAYER_ELF_FILE_H

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace qmpi {

// A shared object that is not loaded, read from its file: what must be known before dlopen() runs
// its constructors. Everything is checked against the size of the file.
class ElfFile {
public:
    explicit ElfFile(const char* path);
    ~ElfFile();
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // Null, or what is wrong with the file.
    const char* error() const { return error_; }

    // Calls visit(name) for each library that it needs, until that returns true.
    template <typename Visit>
    void ForEachNeeded(Visit visit) const {
        for (size_t i = 0; i < dynamic_count_ && dynamic_[i].d_tag != DT_NULL; i++) {
            if (dynamic_[i].d_tag == DT_NEEDED && dynamic_[i].d_un.d_val < strings_size_ &&
                visit(strings_ + dynamic_[i].d_un.d_val)) {
                return;
            }
        }
    }

    // Calls visit(folders) for its RUNPATH and RPATH.
    template <typename Visit>
    void ForEachRunPath(Visit visit) const {
        for (size_t i = 0; i < dynamic_count_ && dynamic_[i].d_tag != DT_NULL; i++) {
            const bool is_path = dynamic_[i].d_tag == DT_RUNPATH || dynamic_[i].d_tag == DT_RPATH;
            if (is_path && dynamic_[i].d_un.d_val < strings_size_) {
                visit(strings_ + dynamic_[i].d_un.d_val);
            }
        }
    }

    const void* data() const { return data_; }
    size_t size() const { return size_; }
    // Where the dynamic section stands in the file.
    size_t dynamic_offset() const { return dynamic_offset_; }
    size_t dynamic_count() const { return dynamic_count_; }

private:
    const char* Read();
    size_t OffsetOf(uintptr_t address) const;

    void* data_ = nullptr;
    size_t size_ = 0;
    const ElfW(Phdr) * segments_ = nullptr;
    size_t segment_count_ = 0;
    const ElfW(Dyn) * dynamic_ = nullptr;
    size_t dynamic_offset_ = 0;
    size_t dynamic_count_ = 0;
    const char* strings_ = nullptr;
    size_t strings_size_ = 0;
    const char* error_;
};

}  // namespace qmpi

#endif
