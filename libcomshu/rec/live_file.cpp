#include "live_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "system.h"

namespace comshu::rec {
namespace {

constexpr long kXfsMagic = 0x58465342;
constexpr char kSharedMemory[] = "/dev/shm";

// Addresses kept free behind each slot for its stack to grow into. None where they are limited: the
// program needs them.
uint64_t StackAddresses() {
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
    return limited ? 0 : core::kMoreStackBytes;
}

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

// Of the stack: its open entries, and the one that is being made.
size_t BytesInUse(const core::ThreadSlot& slot) {
    return (slot.stack_depth.load(std::memory_order_relaxed) + size_t{1}) * sizeof(core::SpanEntry);
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
    const auto slot_bytes =
        static_cast<uint32_t>(WholePages(uint64_t{chunk_bytes} * chunks) + core::kThreadBytes);

    bool made;
    if (options.live_folder[0] != '\0') {
        made = CreateIn(options.live_folder, base, true);
    } else {
        made = IsLocal(folder) && CreateIn(folder, base, false);
        made = made || CreateIn(kSharedMemory, base, true) || CreateIn(folder, base, false);
    }
    header_ = nullptr;
    if (!made) return false;

    std::byte* mapped =
        Map(nullptr, 0, sizeof(core::LiveHeader) + WholePages(options.definitions_bytes));
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

std::byte* LiveFile::Map(void* at, uint64_t offset, uint64_t bytes) {
    void* mapped =
        mmap(at, bytes, PROT_READ | PROT_WRITE, at == nullptr ? MAP_SHARED : MAP_SHARED | MAP_FIXED,
             fd_, static_cast<off_t>(offset));
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

uint64_t LiveFile::TakeSlot() {
    const uint32_t slots = header_->slots.load(std::memory_order_relaxed);
    if (slots >= largest_slots_ || !HasOwnFile()) return 0;
    const uint64_t offset = header_->slots_offset + slots * uint64_t{header_->slot_bytes};
    return TakeSpace(fd_, offset, header_->slot_bytes) == 0 ? offset : 0;
}

void LiveFile::PublishSlot() {
    header_->slots.fetch_add(1, std::memory_order_release);
}

LiveSlot* LiveFile::MakeSlot() {
    const uint64_t offset = TakeSlot();
    if (offset == 0) return nullptr;
    const uint64_t bytes = header_->slot_bytes;
    uint64_t mapped_bytes = bytes + StackAddresses();
    void* mapped =
        mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        mapped_bytes = bytes;
        mapped = Map(nullptr, offset, bytes);
    } else if (Map(mapped, offset, bytes) == nullptr) {
        munmap(mapped, mapped_bytes);
        mapped = nullptr;
    }
    if (mapped == nullptr) return nullptr;
    auto slot = std::make_unique<LiveSlot>();
    slot->ring = static_cast<std::byte*>(mapped);
    slot->thread = new (slot->ring + RingBytes()) core::ThreadSlot();
    slot->mapped_bytes = mapped_bytes;
    slot->stack_end = slot->ring + bytes;
    slot->index = header_->slots.load(std::memory_order_relaxed);
    PublishSlot();
    slots_.push_back(std::move(slot));
    return slots_.back().get();
}

bool LiveFile::GrowStack(LiveSlot* slot) {
    const auto left = static_cast<uint64_t>(slot->ring + slot->mapped_bytes - slot->stack_end);
    const uint64_t bytes = std::min(RingBytes(), left);
    const uint64_t offset = bytes == 0 ? 0 : TakeSlot();
    if (offset == 0) return false;
    std::byte* head = Map(nullptr, offset + RingBytes(), core::kThreadBytes);
    if (head == nullptr) return false;
    auto* more = new (head) core::ThreadSlot();
    more->owner = slot->index;
    more->state.store(core::SlotState::kMoreStack, std::memory_order_release);
    munmap(head, core::kThreadBytes);
    if (Map(slot->stack_end, offset, bytes) == nullptr) {
        // What was kept free there may be so no longer.
        slot->mapped_bytes = static_cast<uint64_t>(slot->stack_end - slot->ring);
        return false;
    }
    slot->stack_end += bytes;
    PublishSlot();
    return true;
}

void LiveFile::Remove() {
    unlink(path_);
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
}

void LiveFile::LeaveToParent(core::ThreadSlot* keep) {
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
    for (const auto& slot : slots_) {
        auto* own = reinterpret_cast<std::byte*>(slot->thread);
        if (slot->thread != keep) {
            munmap(slot->ring, slot->mapped_bytes);
            continue;
        }
        const auto bytes = static_cast<size_t>(slot->stack_end - own);
        void* copy =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED) continue;
        std::memcpy(copy, own, sizeof *slot->thread + BytesInUse(*slot->thread));
        mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, own);
        munmap(slot->ring, RingBytes());
        const auto left = slot->mapped_bytes - RingBytes() - bytes;
        if (left > 0) munmap(slot->stack_end, left);
    }
    munmap(header_, header_->slots_offset);
    header_ = nullptr;
}

void LiveFile::Unmap() {
    if (header_ == nullptr) return;
    if (HasOwnFile()) CloseFile(fd_);
    fd_ = -1;
    for (const auto& slot : slots_) munmap(slot->ring, slot->mapped_bytes);
    slots_.clear();
    munmap(header_, header_->slots_offset);
    header_ = nullptr;
}

}  // namespace comshu::rec
