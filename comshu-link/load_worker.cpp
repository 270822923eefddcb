#include <dlfcn.h>

#include <vector>

#include "comshu/link/exchange.h"

namespace comshu::link {
namespace {

// By the binary interface that a worker was built for.
std::vector<const char*> LibrariesOf(const std::string& mpi) {
    if (mpi == "openmpi") return {"libmpi.so.40"};
    return {"libmpich.so.12", "libmpi.so.12"};
}

std::string LastError() {
    const char* text = dlerror();
    return text == nullptr ? "" : text;
}

}  // namespace

std::unique_ptr<Exchange> JoinMpiJob(const std::string& mpi, const std::string& folder,
                                     std::string* error) {
    void* library = nullptr;
    for (const char* name : LibrariesOf(mpi)) {
        // Global: the worker and the plug-ins of the library find its functions there.
        if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    if (library == nullptr) {
        *error = LastError();
        return nullptr;
    }
    const std::string path = folder + "/comshu-link-worker-" + mpi + ".so";
    void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void* symbol = object == nullptr ? nullptr : dlsym(object, kWorkerSymbol);
    if (symbol == nullptr) {
        *error = LastError();
        return nullptr;
    }
    return std::unique_ptr<Exchange>(static_cast<const Worker*>(symbol)->make());
}

}  // namespace comshu::link
