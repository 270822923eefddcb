// An order to a process that records, through its .live file.
#ifndef COMSHU_LIVE_ORDER_H_
#define COMSHU_LIVE_ORDER_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "comshu/core/live_layout.h"

namespace comshu {

// The head of a .live file, mapped to be written to. The process that owns it looks at the order when
// its drain wakes, which giving one does. Who gives two orders at a time to one process: the last holds.
class LiveOrder {
public:
    // Check is_open() before anything else.
    explicit LiveOrder(const std::string& live_path);
    ~LiveOrder();
    LiveOrder(const LiveOrder&) = delete;
    LiveOrder& operator=(const LiveOrder&) = delete;

    bool is_open() const { return header_ != nullptr; }
    // Bits by schema::PauseReason; 0: it records.
    uint32_t pauses() const { return header_->pauses.load(std::memory_order_relaxed); }

    void Give(core::LiveOrder order);
    // True: it was obeyed, or the process has ended by itself.
    bool Wait(std::chrono::steady_clock::time_point until);

private:
    core::LiveHeader* header_ = nullptr;
    uint32_t given_ = 0;
};

}  // namespace comshu

#endif  // COMSHU_LIVE_ORDER_H_
