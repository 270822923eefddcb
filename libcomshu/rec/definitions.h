// Entities, artifacts and notes: what records refer to, so never lost.
#ifndef COMSHU_REC_DEFINITIONS_H_
#define COMSHU_REC_DEFINITIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comshu/schema/record_traits.h"
#include "live_file.h"
#include "stream_file.h"
#include "system.h"

namespace comshu::rec {

// Problem: a record must never reach the stream before what it refers to, and a killed process must
// leave its definitions too. Idea: a region of the .live file takes them at once; whatever writes
// records to the stream writes the region first. When the region is full its content is written by
// whoever defines; when the stream cannot be written either, the rest waits in memory.
//
// Locks: Define and Intern take the lock of this class, then, only when the region is full, the
// drain's lock. Write needs the drain's lock alone. Cost: a lock and a copy, about 3 us with the
// blocked signals of SlowPath; a hash table look-up for what is stored already.
class Definitions {
public:
    void Attach(LiveFile* live, StreamFile* stream, Mutex* drain_lock);

    void Define(uint16_t type, const void* record_struct, size_t bytes);
    template <typename Record>
    void Define(const Record& record) {
        Define(schema::RecordTraits<Record>::kType, &record, sizeof record);
    }

    // Ids need no engine: they depend on the content alone.
    static uint64_t Id(schema::ArtifactKind kind, const void* content, size_t bytes);
    uint64_t Intern(schema::ArtifactKind kind, const void* content, size_t bytes);
    uint64_t InternText(const char* text);

    // Once per kind.
    void Note(const char* kind, const char* text);

    // Writes all that is published. False: the stream cannot take it (it stays in the region).
    // The caller holds the drain's lock.
    bool Write();

    // Tries again what waits in memory; true when nothing does. Takes both locks.
    bool WriteWaiting();

    Mutex& lock() { return lock_; }

private:
    void Put(uint16_t type, const void* record_struct, size_t bytes, const void* content,
             size_t content_bytes);
    void Copy(uint64_t position, const void* from, size_t bytes);
    bool WriteDirectly(const std::byte* records, size_t bytes);
    bool WriteWaitingLocked();
    bool Remember(uint64_t id);

    Mutex lock_;
    Mutex* drain_lock_ = nullptr;
    LiveFile* live_ = nullptr;
    StreamFile* stream_ = nullptr;
    uint64_t size_ = 0;
    std::vector<uint64_t> known_;  // Open addressing; 0: empty.
    size_t known_count_ = 0;
    std::vector<std::byte> record_;   // Under lock_.
    std::vector<std::byte> waiting_;  // Under lock_: what found no place.
    std::vector<std::byte> payload_;  // Under the drain's lock.
};

}  // namespace comshu::rec

#endif  // COMSHU_REC_DEFINITIONS_H_
