#include "launch/finish.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "launch/capture_folder.h"

namespace comshu::launch {
namespace fs = std::filesystem;
namespace {

double Now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

size_t CountStreams(const fs::path& pass) {
    std::error_code error;
    size_t streams = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(pass, error)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".cst") && !name.ends_with(".sources.cst")) ++streams;
    }
    return streams;
}

}  // namespace

void FinishCapture(const std::string& folder, const std::string& pass, const Job& job,
                   const ChildEnd& end) {
    static_cast<void>(job);
    try {
        UpdateDescription(
            folder, {{"finished", Now()}, {"exit_code", end.exit_code}, {"signal", end.signal}});
        if (CountStreams(fs::path(folder) / pass) == 0) {
            std::fprintf(stderr,
                         "comshu run: nothing was recorded in %s: no traced call was made, or the "
                         "objects did not reach the program\n",
                         folder.c_str());
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr,
                     "comshu run: the capture in %s is not finished: %s; run 'comshu pack'\n",
                     folder.c_str(), error.what());
    }
}

}  // namespace comshu::launch
