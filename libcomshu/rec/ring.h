// The slow side of recording: what a thread does at the border of its chunk.
#ifndef COMSHU_REC_RING_H_
#define COMSHU_REC_RING_H_

#include <cstddef>
#include <cstdint>

#include "slot.h"

namespace comshu::rec {

// Makes `slot` ready for a new owner: counters zero, numbers start again.
void ResetSlot(Slot* slot, uint32_t thread, uint32_t tid);

// All on the owning thread, inside a recording step.
std::byte* MakeRoom(Slot* slot, uint32_t bytes, uint32_t records);
void CountLost(Slot* slot, uint32_t records, uint8_t reason);
void Unwind(Slot* slot, uint64_t frame);
void CloseAbove(Slot* slot, uint32_t depth);

// Asks providers for what they counted while this thread's calls were lost. No lock may be held.
void ReportLoss(Slot* slot);

// Under the policy `newest`, on any thread: closed chunks whose records all ended before this tick are
// counted as lost. Without the drain's lock: providers are told.
void LoseOlder(Slot* slot, uint64_t tick);

// Recording is paused: the thread's next record finds no room.
void EnterPause(Slot* slot);

// The record of a pause in which `skipped` calls were left out, once.
schema::Pause TakePause(Slot* slot, uint64_t skipped);

// The gap record of `lost` calls, once.
schema::Gap TakeGap(Slot* slot, uint64_t lost);

// The thread ends: its open calls are closed, its chunk too.
void Retire(Slot* slot);

}  // namespace comshu::rec

#endif  // COMSHU_REC_RING_H_
