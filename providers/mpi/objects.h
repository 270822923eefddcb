// Windows, files, datatypes and matched messages: what their handles stand for, and the definitions
// written when they come and go. All calls concern tables of a few entries; under MPI_THREAD_MULTIPLE
// each table has a lock.
#ifndef COMSHU_PROVIDERS_MPI_OBJECTS_H_
#define COMSHU_PROVIDERS_MPI_OBJECTS_H_

#include <mpi.h>

#include <cstdint>

#include "comshu/schema/mpi_generated.h"
#include "mpi/comm_table.h"
#include "mpi/dialect.h"
#include "mpi/handle_table.h"
#include "mpi/lock.h"

namespace comshu::provider::mpi {

// A message that MPI_Mprobe matched and MPI_Mrecv will receive.
struct MessageEntry {
    uint64_t id = 0;
    uint64_t comm = 0;
    const Group* peers = nullptr;
    int32_t source = kNoRank;
    int32_t tag = kNoTag;
};

// Their numbers are from those of requests: that of MPI_Imrecv has the number of its message.
class Messages {
public:
    uint64_t Add(MPI_Message message, MessageEntry entry);
    MessageEntry Find(MPI_Message message);
    void Remove(MPI_Message message, uint64_t id);
    void ResetLocks() { mutex_.Reset(); }

private:
    Mutex mutex_;
    HandleTable<MessageEntry> table_;
};
extern Messages messages;

struct WindowEntry {
    uint64_t id = 0;
    const Group* peers = nullptr;
};

// Numbers of windows and files are hashes as those of communicators are: the same on all members.
class Windows {
public:
    // Returns the number of the new window. `disp_unit` may be kNoRank.
    uint64_t Add(MPI_Win window, const CommInfo* comm, uint64_t bytes, int32_t displacement_unit,
                 schema::MpiFunction function);
    WindowEntry Find(MPI_Win window);
    void Remove(MPI_Win window, uint64_t id);
    void ResetLocks() { mutex_.Reset(); }

private:
    Mutex mutex_;
    HandleTable<WindowEntry> table_;
    CommOrdinals ordinals_;
};
extern Windows windows;

class Files {
public:
    uint64_t Add(MPI_File file, const CommInfo* comm, const char* path, int mode);
    uint64_t Find(MPI_File file);  // 0: unknown.
    void Remove(MPI_File file, uint64_t id);
    void ResetLocks() { mutex_.Reset(); }

private:
    Mutex mutex_;
    HandleTable<uint64_t> table_;
    CommOrdinals ordinals_;
};
extern Files files;

// Derived datatypes have numbers of this process.
class Datatypes {
public:
    void Add(MPI_Datatype datatype, schema::MpiFunction function);
    uint64_t Find(MPI_Datatype datatype);
    // Before MPI_Type_free, and what it returned afterwards.
    uint64_t Freeing(MPI_Datatype datatype);
    void Freed(MPI_Datatype datatype, uint64_t id);
    void ResetLocks() { mutex_.Reset(); }

private:
    Mutex mutex_;
    HandleTable<uint64_t> table_;
    uint64_t last_id_ = 0;
};
extern Datatypes datatypes;

// Names given by MPI_Comm_set_name and its like; nothing for id 0.
void DefineName(uint64_t object, const char* name);

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_OBJECTS_H_
