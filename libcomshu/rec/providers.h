// Who may write which records. Exists before the engine and outlives it in a forked child.
#ifndef COMSHU_REC_PROVIDERS_H_
#define COMSHU_REC_PROVIDERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "comshu/rec/engine.h"
#include "definitions.h"
#include "system.h"

namespace comshu::rec {

// A fixed table without allocation, so that a provider may declare itself while the process is still
// being loaded. Entries are only added; readers need no lock.
class Providers {
public:
    static Providers& OfProcess();

    // As comshu_engine_declare_provider.
    int Declare(const comshu_provider* provider);
    // Notes on those that were refused since the last time.
    void NoteRefused(Definitions* definitions);
    static std::string NameOf(const comshu_provider& provider);
    static void Define(const comshu_provider& provider, Definitions* definitions);

    void ReportLoss(uint32_t thread, uint64_t begin, uint64_t end) const;
    void Overwriting(uint32_t thread, const void* records, size_t bytes) const;
    void Forked() const;
    void Ending() const;

    void SetFinished() { finished_.store(true, std::memory_order_relaxed); }
    bool IsFinished() const { return finished_.load(std::memory_order_relaxed) || count_ == 0; }
    void Forget();  // For tests.

    template <typename Call>
    void ForEach(Call call) const {
        const size_t count = count_.load(std::memory_order_acquire);
        for (size_t i = 0; i < count; ++i) call(*entries_[i]);
    }

private:
    static constexpr size_t kMost = 32;

    Mutex lock_;
    std::array<const comshu_provider*, kMost> entries_{};
    std::atomic<size_t> count_{0};
    std::atomic<bool> finished_{false};
    // Who was refused, and who has its range (null: another version).
    const comshu_provider* refused_ = nullptr;
    const comshu_provider* owner_ = nullptr;
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_PROVIDERS_H_
