#include "mpi/objects.h"

#include "comshu/core/clock.h"
#include "mpi/datatype_sizes.h"
#include "mpi/definitions.h"
#include "mpi/library.h"
#include "mpi/real_mpi.h"
#include "mpi/requests.h"

namespace comshu::provider::mpi {

Messages messages;
Windows windows;
Files files;
Datatypes datatypes;

uint64_t Messages::Add(MPI_Message message, MessageEntry entry) {
    if (IsNull(message) || IsNoProc(message)) return 0;
    ThreadGuard guard(mutex_);
    entry.id = requests.TakeId();
    return table_.Insert(Key(message), entry) == nullptr ? 0 : entry.id;
}

MessageEntry Messages::Find(MPI_Message message) {
    ThreadGuard guard(mutex_);
    const MessageEntry* entry = table_.Find(Key(message));
    return entry == nullptr ? MessageEntry{} : *entry;
}

void Messages::Remove(MPI_Message message, uint64_t id) {
    ThreadGuard guard(mutex_);
    const MessageEntry* entry = table_.Find(Key(message));
    if (entry != nullptr && entry->id == id) table_.Erase(Key(message));
}

uint64_t Windows::Add(MPI_Win window, const CommInfo* comm, uint64_t bytes,
                      int32_t displacement_unit, schema::MpiFunction function) {
    if (IsNull(window) || comm == nullptr) return 0;
    Guard guard(mutex_);
    const uint64_t kind = HashText("window");
    WindowEntry entry{CommId(comm->id, kind, ordinals_.Next(comm->id, kind)), comm->peers};
    table_.Insert(Key(window), entry);
    Define(schema::MpiWindow(core::ReadCounter(), entry.id, comm->id, bytes, displacement_unit,
                             function));
    return entry.id;
}

WindowEntry Windows::Find(MPI_Win window) {
    ThreadGuard guard(mutex_);
    const WindowEntry* entry = table_.Find(Key(window));
    return entry == nullptr ? WindowEntry{} : *entry;
}

void Windows::Remove(MPI_Win window, uint64_t id) {
    if (id == 0) return;
    Guard guard(mutex_);
    const WindowEntry* entry = table_.Find(Key(window));
    if (entry != nullptr && entry->id == id) table_.Erase(Key(window));
    Define(schema::MpiWindowClose(core::ReadCounter(), id));
}

uint64_t Files::Add(MPI_File file, const CommInfo* comm, const char* path, int mode) {
    if (IsNull(file) || comm == nullptr || path == nullptr) return 0;
    Guard guard(mutex_);
    const uint64_t name = HashText(path);
    const uint64_t id = CommId(comm->id, name, ordinals_.Next(comm->id, name));
    table_.Insert(Key(file), id);
    Define(schema::MpiFile(core::ReadCounter(), id, comm->id, InternText(path),
                           static_cast<uint32_t>(mode)));
    return id;
}

uint64_t Files::Find(MPI_File file) {
    ThreadGuard guard(mutex_);
    const uint64_t* id = table_.Find(Key(file));
    return id == nullptr ? 0 : *id;
}

void Files::Remove(MPI_File file, uint64_t id) {
    if (id == 0) return;
    Guard guard(mutex_);
    const uint64_t* known = table_.Find(Key(file));
    if (known != nullptr && *known == id) table_.Erase(Key(file));
    Define(schema::MpiFileClose(core::ReadCounter(), id));
}

void Datatypes::Add(MPI_Datatype datatype, schema::MpiFunction function) {
    if (IsNull(datatype)) return;
    datatype_sizes.Forget(datatype);
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    const uint64_t bytes = TypeSize(datatype);
    const bool has_extent =
        MayCallMpi() && real.Type_get_extent_x(datatype, &lower, &extent) == MPI_SUCCESS;
    Guard guard(mutex_);
    const uint64_t id = ++last_id_;
    table_.Insert(Key(datatype), id);
    Define(schema::MpiDatatype(core::ReadCounter(), id, bytes, has_extent ? extent : INT64_MIN,
                               function));
}

uint64_t Datatypes::Find(MPI_Datatype datatype) {
    Guard guard(mutex_);
    const uint64_t* id = table_.Find(Key(datatype));
    return id == nullptr ? 0 : *id;
}

uint64_t Datatypes::Freeing(MPI_Datatype datatype) {
    datatype_sizes.Forget(datatype);
    return Find(datatype);
}

void Datatypes::Freed(MPI_Datatype datatype, uint64_t id) {
    if (id == 0) return;
    Guard guard(mutex_);
    const uint64_t* known = table_.Find(Key(datatype));
    if (known != nullptr && *known == id) table_.Erase(Key(datatype));
    Define(schema::MpiDatatypeClose(core::ReadCounter(), id));
}

void DefineName(uint64_t object, const char* name) {
    if (object == 0 || name == nullptr) return;
    Define(schema::MpiName(core::ReadCounter(), object, InternText(name)));
}

}  // namespace comshu::provider::mpi
