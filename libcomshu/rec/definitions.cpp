#include "definitions.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/core/record.h"
#include "comshu/rec/thread_state.h"

namespace comshu::rec {
namespace {

constexpr size_t kFirstTable = 1024;

uint32_t CountRecords(const std::byte* records, size_t bytes) {
    uint32_t count = 0;
    for (size_t at = 0; core::IsWholeRecord(records + at, bytes - at); ++count) {
        at += core::ReadPrefix(records + at).bytes;
    }
    return count;
}

}  // namespace

void Definitions::Attach(LiveFile* live, StreamFile* stream, Mutex* drain_lock) {
    live_ = live;
    stream_ = stream;
    drain_lock_ = drain_lock;
    size_ = live->header()->definitions_bytes;
    known_.assign(kFirstTable, 0);
}

uint64_t Definitions::Id(schema::ArtifactKind kind, const void* content, size_t bytes) {
    if (bytes == 0) return 0;
    const uint64_t id = XXH64(content, bytes, static_cast<uint64_t>(kind));
    return id == 0 ? 1 : id;
}

// False if the id was known already.
bool Definitions::Remember(uint64_t id) {
    if (known_count_ * 2 >= known_.size()) {
        std::vector<uint64_t> larger(known_.size() * 2);
        larger.swap(known_);
        known_count_ = 0;
        for (const uint64_t old : larger) {
            if (old != 0) Remember(old);
        }
    }
    const size_t mask = known_.size() - 1;
    size_t at = id & mask;
    while (known_[at] != 0) {
        if (known_[at] == id) return false;
        at = (at + 1) & mask;
    }
    known_[at] = id;
    ++known_count_;
    return true;
}

void Definitions::Copy(uint64_t position, const void* from, size_t bytes) {
    const uint64_t at = position % size_;
    const size_t first = bytes < size_ - at ? bytes : static_cast<size_t>(size_ - at);
    std::memcpy(live_->definitions() + at, from, first);
    std::memcpy(live_->definitions(), static_cast<const std::byte*>(from) + first, bytes - first);
}

bool Definitions::WriteDirectly(const std::byte* records, size_t bytes) {
    const Locked locked(drain_lock_);
    if (!Write()) return false;
    core::LiveHeader& header = *live_->header();
    const uint64_t head = header.definitions_head.load(std::memory_order_relaxed);
    core::FrameHeader frame;
    frame.thread = core::kDefinitionsThread;
    frame.record_count = CountRecords(records, bytes);
    frame.first_offset = head;
    frame.last_offset = head + bytes;
    if (!stream_->Append(&frame, records, bytes)) return false;
    header.definitions_drained.store(head + bytes, std::memory_order_relaxed);
    header.definitions_head.store(head + bytes, std::memory_order_release);
    return true;
}

bool Definitions::WriteWaitingLocked() {
    if (waiting_.empty()) return true;
    if (!WriteDirectly(waiting_.data(), waiting_.size())) return false;
    waiting_.clear();
    return true;
}

bool Definitions::WriteWaiting() {
    const Locked locked(&lock_);
    return WriteWaitingLocked();
}

void Definitions::Put(uint16_t type, const void* record_struct, size_t bytes, const void* content,
                      size_t content_bytes) {
    const size_t whole = core::RecordBytes(bytes, content_bytes);
    const core::RecordPrefix prefix{static_cast<uint32_t>(whole), type, 0};
    record_.assign(whole, std::byte{0});
    std::memcpy(record_.data(), &prefix, sizeof prefix);
    std::memcpy(record_.data() + sizeof prefix, record_struct, bytes);
    if (content_bytes != 0) {
        std::memcpy(record_.data() + sizeof prefix + bytes, content, content_bytes);
    }
    core::LiveHeader& header = *live_->header();
    const uint64_t head = header.definitions_head.load(std::memory_order_relaxed);
    const auto has_room = [&] {
        return head + whole - header.definitions_drained.load(std::memory_order_acquire) <= size_;
    };
    if (waiting_.empty() && whole <= size_ && !has_room()) {
        const Locked locked(drain_lock_);
        Write();
    }
    if (waiting_.empty() && whole <= size_ && has_room()) {
        Copy(head, record_.data(), whole);
        header.definitions_head.store(head + whole, std::memory_order_release);
        return;
    }
    waiting_.insert(waiting_.end(), record_.begin(), record_.end());
    WriteWaitingLocked();
}

void Definitions::Define(uint16_t type, const void* record_struct, size_t bytes) {
    const Locked locked(&lock_);
    Put(type, record_struct, bytes, nullptr, 0);
}

uint64_t Definitions::Intern(schema::ArtifactKind kind, const void* content, size_t bytes) {
    const uint64_t id = Id(kind, content, bytes);
    if (id == 0) return 0;
    const Locked locked(&lock_);
    if (Remember(id)) {
        const schema::Artifact artifact(id, static_cast<uint32_t>(bytes), kind);
        Put(schema::RecordTraits<schema::Artifact>::kType, &artifact, sizeof artifact, content,
            bytes);
    }
    return id;
}

uint64_t Definitions::InternText(const char* text) {
    return Intern(schema::ArtifactKind::text, text, std::strlen(text));
}

void Definitions::Note(const char* kind, const char* text) {
    // A note is known by an id that no content has: its kind, as a seed of its own.
    uint64_t key = XXH64(kind, std::strlen(kind), ~uint64_t{0});
    if (key == 0) key = 1;
    {
        const Locked locked(&lock_);
        if (!Remember(key)) return;
    }
    Define(schema::Note(ReadTicks(), InternText(kind), InternText(text)));
}

bool Definitions::Write() {
    core::LiveHeader& header = *live_->header();
    const uint64_t head = header.definitions_head.load(std::memory_order_acquire);
    const uint64_t drained = header.definitions_drained.load(std::memory_order_relaxed);
    if (head == drained) return true;
    const auto bytes = static_cast<size_t>(head - drained);
    const uint64_t at = drained % size_;
    const size_t first = bytes < size_ - at ? bytes : static_cast<size_t>(size_ - at);
    payload_.resize(bytes);
    std::memcpy(payload_.data(), live_->definitions() + at, first);
    std::memcpy(payload_.data() + first, live_->definitions(), bytes - first);
    core::FrameHeader frame;
    frame.thread = core::kDefinitionsThread;
    frame.record_count = CountRecords(payload_.data(), bytes);
    frame.first_offset = drained;
    frame.last_offset = head;
    if (!stream_->Append(&frame, payload_.data(), bytes)) return false;
    header.definitions_drained.store(head, std::memory_order_release);
    return true;
}

}  // namespace comshu::rec
