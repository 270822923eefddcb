#ifndef COMSHU_PROVIDER_REGISTRY_H_
#define COMSHU_PROVIDER_REGISTRY_H_

#include <string>
#include <string_view>
#include <vector>

namespace comshu {

// One layer that can be traced.
struct ProviderInfo {
    std::string_view name;
    std::vector<std::string_view> aliases;
    std::string_view shows;    // One line: what it records.
    bool once_per_mpi;         // Its objects exist once per MPI library.
    std::string_view library;  // Library whose calls it traces, as the loader names it; or empty.
    std::string_view device;   // File without which that library moves nothing; or empty.
};

// Those that comshu knows by itself, then those found in the folders of objects: libcomshu_<name>.so
// with a text of what it shows (docs/providers.md).
const std::vector<ProviderInfo>& Providers();

// What a provider's object says of itself: the text of COMSHU_PROVIDER_SHOWS; empty if it has none.
// The object is read, never loaded.
std::string ShownBy(const std::string& object);

// By name or alias; null if there is none.
const ProviderInfo* FindProvider(std::string_view name);

// Splits "mpi,ucx" and follows aliases; no name twice. Throws UsageError for an unknown one.
std::vector<const ProviderInfo*> ParseProviders(const std::string& list);

// lib/comshu beside the running program's bin/.
std::string OwnObjectFolder();

// Folders with the shared objects of comshu, first found wins: those of COMSHU_PROVIDER_PATH
// (separated by colons), then OwnObjectFolder().
std::vector<std::string> ObjectFolders();

// Absolute path of an object; empty if it is in none of the folders. COMSHU_ENGINE_PATH, a file or
// the folder it is in, names the engine alone.
std::string FindObject(const std::string& file_name);

// Where FindObject looks for it, for messages.
std::string PlacesOf(const std::string& file_name);

// MPI libraries that the installed objects know: those of mpich, openmpi for which both are there.
std::vector<std::string> TracedMpis();

// Objects of a provider in the order they are preloaded, without the engine. `mpi` counts for those
// that exist once per MPI.
std::vector<std::string> ProviderObjects(const ProviderInfo& provider, const std::string& mpi);

struct Availability {
    bool works = false;
    std::string detail;  // For which MPIs; or why not and what to do.
};
Availability CanWorkHere(const ProviderInfo& provider);

constexpr const char* kEngineObject = "libcomshu_engine.so";

}  // namespace comshu

#endif  // COMSHU_PROVIDER_REGISTRY_H_
