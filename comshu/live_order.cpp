#include "live_order.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace comshu {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(100);

void Wake(std::atomic<uint32_t>* word) {
    syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

}  // namespace

LiveOrder::LiveOrder(const std::string& live_path) {
    const int fd = open(live_path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    struct stat info;
    void* mapped = MAP_FAILED;
    if (fstat(fd, &info) == 0 && info.st_size >= static_cast<off_t>(sizeof(core::LiveHeader))) {
        mapped = mmap(nullptr, sizeof(core::LiveHeader), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    close(fd);
    if (mapped == MAP_FAILED) return;
    header_ = static_cast<core::LiveHeader*>(mapped);
    if (header_->magic.load(std::memory_order_acquire) == core::kLiveMagic &&
        header_->version == core::kLiveVersion) {
        return;
    }
    munmap(mapped, sizeof(core::LiveHeader));
    header_ = nullptr;
}

LiveOrder::~LiveOrder() {
    if (header_ != nullptr) munmap(header_, sizeof(core::LiveHeader));
}

void LiveOrder::Give(core::LiveOrder order) {
    uint32_t last = header_->order.load(std::memory_order_relaxed);
    do {
        given_ = ((last >> core::kLiveOrderBits) + 1) << core::kLiveOrderBits |
                 static_cast<uint32_t>(order);
    } while (!header_->order.compare_exchange_weak(last, given_, std::memory_order_seq_cst));
    header_->drain_sleeps.store(0, std::memory_order_seq_cst);
    Wake(&header_->drain_sleeps);
}

bool LiveOrder::Wait(std::chrono::steady_clock::time_point until) {
    while (true) {
        const uint32_t done = header_->order_done.load(std::memory_order_acquire);
        if (done == given_ || header_->ended.load(std::memory_order_acquire) != 0) return true;
        const auto now = std::chrono::steady_clock::now();
        if (now >= until) return false;
        const auto wait = std::min<std::chrono::nanoseconds>(until - now, kLookAgain);
        const timespec limit{0, static_cast<long>(wait.count())};
        syscall(SYS_futex, &header_->order_done, FUTEX_WAIT, done, &limit, nullptr, 0);
    }
}

}  // namespace comshu
