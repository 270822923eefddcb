#include "layer/tools.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "layer/array.h"
#include "layer/bind.h"
#include "layer/chain.h"
#include "layer/elf_object.h"
#include "layer/foreign.h"
#include "layer/library.h"
#include "layer/members.h"
#include "layer/note.h"
#include "layer/report.h"
#include "layer/tables.h"
#include "layer/tool_list.h"

namespace qmpi {

namespace {

constexpr char kRecorder[] = "comshu";

struct FileId {
    dev_t device;
    ino_t inode;
    bool operator==(const FileId&) const = default;
};

struct Tool {
    char* name;
    void (*init)(int);
    char* path;  // of the object that holds init
    FileId file;
    const char* mpi;  // what it was built for; of its libraries that is known from the start on
    bool is_foreign() const { return strcmp(mpi, qmpi_name) != 0; }
};

// Of this file's state; never held while the loader or a tool is called.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
constinit Array<Tool> tools;
constinit Array<Entry> entries;
constinit bool parsed = false;
// The thread that is opening tools: whatever registers there does so because the list asks for it.
constinit __thread bool is_loading = false;

struct Locked {
    Locked() { pthread_mutex_lock(&mutex); }
    ~Locked() { pthread_mutex_unlock(&mutex); }
};

void ParseOnce() {
    const Locked locked;
    if (!parsed) {
        entries = ParseToolList(ToolListOfEnvironment());
        parsed = true;
    }
}

FileId FileOf(const char* path) {
    struct stat status {};
    return stat(path, &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{0, 0};
}

// The path of the loaded object that holds the code; the executable has none of its own.
void PathOfCode(const void* code, char* path, size_t size) {
    snprintf(path, size, "/proc/self/exe");
    ForEachObject([&](const ElfObject& object, int index) {
        const bool found = object.HasCode(code);
        if (found && index > 0) {
            snprintf(path, size, "%s", object.path());
        }
        return found;
    });
}

// Where the library of an entry lies: as given, or in a folder of QMPI_TOOL_PATH.
bool FindLibrary(const Entry& entry, char* path, size_t size) {
    if (strchr(entry.text, '/') != nullptr) {
        snprintf(path, size, "%s", entry.text);
        return true;
    }
    const char* folders = getenv("QMPI_TOOL_PATH");
    Array<Entry> list = ParseToolList(folders != nullptr ? folders : "");
    const char* names[] = {"%s/lib%s.so", "%s/%s.so", "%s/%s"};
    for (size_t i = 0; i < list.size(); i++) {
        for (const char* format : names) {
            const bool as_it_is = format == names[2];
            if (as_it_is != (entry.kind != EntryKind::kName)) {
                continue;
            }
            snprintf(path, size, format, list[i].text, entry.text);
            struct stat status {};
            if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
                return true;
            }
        }
    }
    snprintf(path, size, "%s", entry.text);
    return entry.kind != EntryKind::kName;  // the loader knows more folders
}

bool AddTool(const Tool& tool, size_t place) {
    return AddInstance(tool.name, static_cast<long>(place), tool.init) != nullptr;
}

// Makes the instances of one entry from tools that are registered. False if there is none for it.
bool Resolve(size_t place, const FileId& file) {
    Entry& entry = entries[place];
    for (size_t i = 0; i < tools.size() && !entry.resolved; i++) {
        if (entry.kind == EntryKind::kName && !tools[i].is_foreign() &&
            strcmp(tools[i].name, entry.text) == 0) {
            entry.resolved = AddTool(tools[i], place);
        }
    }
    if (!entry.resolved && file.inode != 0) {
        for (Tool& tool : tools) {
            if (!tool.is_foreign() && tool.file == file && AddTool(tool, place)) {
                entry.resolved = true;
            }
        }
    }
    return entry.resolved;
}

bool ResolveLocked(size_t place, const FileId& file) {
    const Locked locked;
    return Resolve(place, file);
}

void ResolveRecorder() {
    const Locked locked;
    for (Tool& tool : tools) {
        if (strcmp(tool.name, kRecorder) == 0 && !tool.is_foreign() && !HasInstance(kRecorder)) {
            AddInstance(tool.name, LONG_MAX, tool.init);
        }
    }
}

void SayForeign(const Tool& tool) {
    Problem("the tool '%s' is left out: it was built for %s, and the MPI of this process is %s",
            tool.name, tool.mpi, qmpi_name);
}

// Tools that are here already and were built for another MPI take no part.
void LookForOtherMpi() {
    const Locked locked;
    for (Tool& tool : tools) {
        const char* mpi = MpiOfObject(tool.path);
        tool.mpi = mpi != nullptr ? mpi : tool.mpi;
        if (tool.is_foreign()) {
            SayForeign(tool);
        }
    }
}

bool IsForOtherMpi(const Entry& entry) {
    const Locked locked;
    for (Tool& tool : tools) {
        if (tool.is_foreign() && strcmp(tool.name, entry.text) == 0) {
            return true;
        }
    }
    return false;
}

// The library that was opened last registered a tool of another MPI.
bool SayIfForeign() {
    const Locked locked;
    if (tools.size() == 0 || !tools[tools.size() - 1].is_foreign()) {
        return false;
    }
    SayForeign(tools[tools.size() - 1]);
    return true;
}

// Opens the library of an entry, whose constructors register its tools.
void Open(size_t place) {
    const Entry entry = entries[place];
    if (IsForOtherMpi(entry)) {
        return;
    }
    char path[PATH_MAX];
    if (!FindLibrary(entry, path, sizeof(path))) {
        char known[700];
        KnownTools(known, sizeof(known));
        Problem(
            "QMPI_TOOLS names the tool '%s', but none of that name has registered (%s) and "
            "QMPI_TOOL_PATH has no lib%s.so",
            entry.text, known, entry.text);
        return;
    }
    char why[700];
    if (!CanBeOpened(path, why, sizeof(why))) {
        Problem("the tool '%s' of QMPI_TOOLS is left out: %s", entry.text, why);
        return;
    }
    const bool is_there = dlopen(path, RTLD_NOW | RTLD_NOLOAD) != nullptr;
    is_loading = true;
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char* error = handle == nullptr ? dlerror() : nullptr;
    is_loading = false;
    if (handle == nullptr) {
        Problem("the tool '%s' of QMPI_TOOLS is left out: %s", entry.text,
                error != nullptr ? error : "it cannot be loaded");
        return;
    }
    struct link_map* map = nullptr;
    const bool has_path = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
    if (!ResolveLocked(place, FileOf(has_path ? map->l_name : path)) && !SayIfForeign()) {
        Problem(
            is_there
                ? "'%s' of QMPI_TOOLS was loaded before and has registered no tool yet; it takes "
                  "its place when it does"
                : "'%s' of QMPI_TOOLS is left out: the library registers no tool",
            entry.text);
    }
}

void OpenPmpi(size_t place) {
    const Entry entry = entries[place];
    char path[PATH_MAX];
    char why[700];
    FindLibrary(entry, path, sizeof(path));
    if (!AddMember(path, static_cast<long>(place), why, sizeof(why))) {
        Problem("the PMPI tool '%s' of QMPI_TOOLS is left out: %s", entry.text, why);
    }
}

void ResolveAll() {
    const Locked locked;
    for (size_t place = 0; place < entries.size(); place++) {
        const Entry& entry = entries[place];
        if (!entry.resolved && entry.kind != EntryKind::kPmpi) {
            Resolve(place, strchr(entry.text, '/') != nullptr ? FileOf(entry.text) : FileId{0, 0});
        }
    }
}

bool IsWanted(const char* name, const FileId& file) {
    if (is_loading || strcmp(name, kRecorder) == 0) {
        return true;
    }
    for (Entry& entry : entries) {
        if (entry.kind == EntryKind::kName ? strcmp(entry.text, name) == 0
                                           : entry.kind == EntryKind::kLibrary && file.inode != 0 &&
                                                 FileOf(entry.text) == file) {
            return true;
        }
    }
    return false;
}

// True if it is now in the list of tools.
bool Take(const char* name, void (*init)(int), const char* path, const char* mpi) {
    const Locked locked;
    if (!is_loading && strcmp(name, kRecorder) != 0 && entries.size() == 0) {
        return false;
    }
    const FileId file = FileOf(path);
    if (!IsWanted(name, file)) {
        return false;
    }
    for (Tool& tool : tools) {
        if (strcmp(tool.name, name) == 0) {
            return false;
        }
    }
    char* name_copy = strdup(name);
    char* path_copy = strdup(path);
    return name_copy != nullptr && path_copy != nullptr &&
           tools.Add({name_copy, init, path_copy, file, mpi}) != nullptr;
}

}  // namespace

bool RegisterTool(const char* name, void (*init)(int), const char* mpi) {
    if (name == nullptr || init == nullptr || name[0] == '\0' || strlen(name) >= kMaxNameLength ||
        IsOff()) {
        return false;
    }
    ParseOnce();
    char path[PATH_MAX];
    PathOfCode(reinterpret_cast<const void*>(init), path, sizeof(path));
    if (!Take(name, init, path, mpi)) {
        return false;
    }
    // The chain leads into its code from now on.
    Pin(path);
    OnToolRegistered();
    return true;
}

bool StartTools() {
    ParseOnce();
    LookForOtherMpi();
    for (size_t place = 0; place < entries.size(); place++) {
        const Entry& entry = entries[place];
        if (entry.kind == EntryKind::kPmpi) {
            OpenPmpi(place);
            continue;
        }
        if (!ResolveLocked(
                place, strchr(entry.text, '/') != nullptr ? FileOf(entry.text) : FileId{0, 0})) {
            Open(place);
        }
    }
    ResolveRecorder();
    if (IsSwitchedOn("QMPI_SHUFFLE_IDS")) {
        ShuffleIds();
    }
    EndIfProblems();
    const bool any = CompleteChain();
    if (IsSwitchedOn("QMPI_VERBOSE")) {
        Describe(STDERR_FILENO);
    }
    return any;
}

bool ExtendTools() {
    ResolveAll();
    ResolveRecorder();
    return CompleteChain();
}

void KnownTools(char* text, unsigned long size) {
    const Locked locked;
    size_t length = 0;
    snprintf(text, size, "known: none");
    for (Tool& tool : tools) {
        const int more = snprintf(text + length, size - length, "%s%s",
                                  length == 0 ? "known: " : ", ", tool.name);
        length += static_cast<size_t>(more);
        if (length >= size) {
            return;
        }
    }
}

}  // namespace qmpi
