// The C functions of libcomshu_engine.so, for providers. They may be called from any thread, not
// from signal handlers; none prints, throws or aborts. All are slow paths (a lock, maybe a write).
#ifndef COMSHU_REC_ENGINE_H_
#define COMSHU_REC_ENGINE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMSHU_ENGINE_VERSION 2u

#pragma GCC visibility push(default)

// What a provider is. The engine calls these with its own locks not held.
struct comshu_provider {
    uint32_t size;     // sizeof(struct comshu_provider)
    uint32_t version;  // COMSHU_ENGINE_VERSION
    const char* name;
    uint16_t first_type;  // Range of record types it may write.
    uint16_t last_type;
    // Binary schema (flatc --schema -b) of its records if they are not in the engine's own; may be null.
    // It goes into every stream, so that the records read wherever the stream is read.
    const uint8_t* schema;
    size_t schema_bytes;
    // Before a thread's gap record ends a loss: the provider writes what it counted meanwhile (for MPI:
    // records MpiLoss, through comshu_engine_define). `begin`, `end` in ticks. On that thread, or at
    // the end of the process on whichever thread ends it. May be null.
    void (*report_loss)(uint32_t thread, uint64_t begin, uint64_t end);
    // In a forked child, before its first record: forget the parent's state. May be null.
    void (*forked)(void);
    // At an orderly end of the process, before the last block is written. May be null.
    void (*ending)(void);
    // Policy `newest` is about to overwrite these records of a thread (as they lie in the ring,
    // core/record.h), on that thread: the provider counts them as lost. May be null.
    void (*overwriting)(uint32_t thread, const void* records, size_t bytes);
};

// Claims the provider's range. 0; or 1: the range is taken, 2: another engine version (a note says
// which). The provider must not record after a refusal. The struct must stay valid.
int comshu_engine_declare_provider(const struct comshu_provider* provider);

// Writes a definition: one record (struct bytes as in schema/*.fbs) that is never lost.
void comshu_engine_define(uint16_t type, const void* record_struct, size_t bytes);

// Stores content once per process and returns its id (xxHash64, seed = kind; 0 only for no content).
uint64_t comshu_engine_intern(uint8_t artifact_kind, const void* content, size_t bytes);

// Leaves a note, once per kind and process.
void comshu_engine_note(const char* kind, const char* text);

// Recording stops in the whole process, and goes on. Providers still see every call, and are asked for
// what they counted (report_loss) when recording goes on: what is left out of a pause is not lost.
// A program may call them before anything is recorded.
void comshu_engine_pause(void);
void comshu_engine_resume(void);

// From now on a record that is missing makes the capture worthless to the provider (checks of data): under
// the policy `wait`, threads wait for room without limit while the drain makes progress. When a record is
// lost all the same (the disk is full, another policy) recording ends for good, and a note says so.
void comshu_engine_keep_all(void);

// Writes everything that is published to the stream before it returns.
void comshu_engine_flush(void);

// The host that this process runs on, by its boot: the same number in all its processes, another on every
// other host; never 0. The same before anything is recorded and where nothing is to be.
uint64_t comshu_engine_host(void);

// The provider's work has come to its proper end (MPI_Finalize returned).
void comshu_engine_finished(void);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif  // COMSHU_REC_ENGINE_H_
