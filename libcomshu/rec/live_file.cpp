#include "live_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "system.h"

namespace comshu::rec {
namespace {

constexpr long kXfsMagic = 0x58465342;
constexpr char kSharedMemory[] = "/dev/shm";

uint64_t WholePages(uint64_t bytes) {
    return (bytes + 4095) & ~uint64_t{4095};
}

// Local file systems on which a store into taken space neither fails nor waits for another machine.
bool IsLocal(const char* folder) {
    struct statfs info;
    if (statfs(folder, &info) != 0) return false;
    switch (static_cast<unsigned long>(info.f_type)) {
        case EXT4_SUPER_MAGIC:
        case static_cast<unsigned long>(kXfsMagic):
        case OVERLAYFS_SUPER_MAGIC:
        case TMPFS_MAGIC:
        case BTRFS_SUPER_MAGIC:
            return true;
        default:
            return false;
    }
}

// On btrfs a rewritten block takes new space unless the file is not copied on write.
bool WritesInPlace(int fd) {
    struct statfs info;
    if (fstatfs(fd, &info) != 0 || info.f_type != BTRFS_SUPER_MAGIC) return true;
    int flags = 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return false;
    flags |= FS_NOCOW_FL;
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

}  // namespace

bool LiveFile::CreateIn(const char* folder, const char* base, bool elsewhere) {
    const int length = elsewhere ? snprintf(path_, sizeof path_, "%s/comshu-%u-%s.live", folder,
                                            static_cast<unsigned>(getuid()), base)
                                 : snprintf(path_, sizeof path_, "%s/%s.live", folder, base);
    if (length < 0 || static_cast<size_t>(length) >= sizeof path_) return false;
    fd_ = OpenFile(path_, O_RDWR | O_CREAT | O_EXCL, 0644);
    if (fd_ < 0 && errno == EEXIST && elsewhere) {
        // Left by an earlier process of the same number: its stream names it no more than ours.
        snprintf(path_ + length, sizeof path_ - static_cast<size_t>(length), ".%lld",
                 static_cast<long long>(core::ReadClockNs(CLOCK_REALTIME)));
        fd_ = OpenFile(path_, O_RDWR | O_CREAT | O_EXCL, 0644);
    }
    if (fd_ < 0) return false;
    const uint64_t bytes = sizeof(core::LiveHeader) + WholePages(header_->definitions_bytes);
    struct stat info;
    if (!WritesInPlace(fd_) || TakeSpace(fd_, 0, bytes) != 0 || fstat(fd_, &info) != 0) {
        unlink(path_);
        CloseFile(fd_);
        fd_ = -1;
        return false;
    }
    device_ = info.st_dev;
    inode_ = info.st_ino;
    elsewhere_ = elsewhere;
    return true;
}

bool LiveFile::Create(const Options& options, const char* folder, const char* base) {
    alignas(core::LiveHeader) static std::byte draft[sizeof(core::LiveHeader)];
    header_ = new (draft) core::LiveHeader();
    header_->definitions_bytes = options.definitions_bytes;
    const uint32_t chunk_bytes = (std::max(options.chunk_bytes, 256u) + 63) & ~63u;
    const uint32_t chunks = std::max(options.chunks, 1u);
    const auto slot_bytes = static_cast<uint32_t>(
        WholePages(sizeof(core::ThreadSlot) + uint64_t{chunk_bytes} * chunks));

    bool made;
    if (options.live_folder[0] != '\0') {
        made = CreateIn(options.live_folder, base, true);
    } else {
        made = IsLocal(folder) && CreateIn(folder, base, false);
        made = made || CreateIn(kSharedMemory, base, true) || CreateIn(folder, base, false);
    }
    header_ = nullptr;
    if (!made) return false;

    std::byte* mapped = Map(0, sizeof(core::LiveHeader) + WholePages(options.definitions_bytes));
    if (mapped == nullptr) {
        Remove();
        return false;
    }
    header_ = new (mapped) core::LiveHeader();
    header_->version = core::kLiveVersion;
    header_->definitions_bytes = options.definitions_bytes;
    header_->slot_bytes = slot_bytes;
    header_->chunk_bytes = chunk_bytes;
    header_->chunks_per_ring = chunks;
    header_->slots_offset = sizeof(core::LiveHeader) + WholePages(options.definitions_bytes);
    header_->on_full = static_cast<uint32_t>(options.on_full);
    definitions_ = mapped + sizeof(core::LiveHeader);
    largest_slots_ = options.largest_slots;
    return true;
}

std::byte* LiveFile::Map(uint64_t offset, uint64_t bytes) {
    void* mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(offset));
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

// A program may close descriptors it does not know, and get the same number for a file of its own.
bool LiveFile::HasOwnFile() {
    struct stat info;
    if (fstat(fd_, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) return true;
    fd_ = OpenFile(path_, O_RDWR, 0);
    if (fd_ >= 0 && fstat(fd_, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) {
        return true;
    }
    CloseFile(fd_);
    fd_ = -1;
    return false;
}

core::ThreadSlot* LiveFile::MakeSlot() {
    if (slots_.size() >= largest_slots_ || !HasOwnFile()) return nullptr;
    const uint64_t offset = header_->slots_offset + slots_.size() * uint64_t{header_->slot_bytes};
    if (TakeSpace(fd_, offset, header_->slot_bytes) != 0) return nullptr;
    std::byte* mapped = Map(offset, header_->slot_bytes);
    if (mapped == nullptr) return nullptr;
    auto* slot = new (mapped) core::ThreadSlot();
    slots_.push_back(slot);
    header_->slots.store(static_cast<uint32_t>(slots_.size()), std::memory_order_release);
    return slot;
}

void LiveFile::Remove() {
    unlink(path_);
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
}

void LiveFile::LeaveToParent(core::ThreadSlot* keep) {
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
    constexpr size_t kHead = sizeof(core::ThreadSlot);
    for (core::ThreadSlot* slot : slots_) {
        if (slot != keep) {
            munmap(slot, header_->slot_bytes);
            continue;
        }
        void* copy =
            mmap(nullptr, kHead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED) continue;
        std::memcpy(copy, static_cast<const void*>(slot), kHead);
        mremap(copy, kHead, kHead, MREMAP_MAYMOVE | MREMAP_FIXED, slot);
        munmap(reinterpret_cast<std::byte*>(slot) + kHead, header_->slot_bytes - kHead);
    }
    munmap(header_, header_->slots_offset);
    header_ = nullptr;
}

void LiveFile::Unmap() {
    if (header_ == nullptr) return;
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
    for (core::ThreadSlot* slot : slots_) munmap(slot, header_->slot_bytes);
    slots_.clear();
    munmap(header_, header_->slots_offset);
    header_ = nullptr;
}

}  // namespace comshu::rec
