#include "instrument/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace comshu::fortran {

std::string WriteFile(const std::string& path, const std::string& text) {
    std::string beside = path + ".new." + std::to_string(getpid());
    auto failed = [&](const char* what) {
        std::string message = path + ": " + what + ": " + std::strerror(errno);
        std::remove(beside.c_str());
        return message;
    };
    std::FILE* out = std::fopen(beside.c_str(), "wb");
    if (!out) {
        return failed("cannot be written");
    }
    bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    if (std::fclose(out) != 0 || !written) {
        return failed("cannot be written");
    }
    if (std::rename(beside.c_str(), path.c_str()) != 0) {
        return failed("cannot be written");
    }
    return "";
}

bool IsSameFile(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    std::error_code error;
    return fs::equivalent(a, b, error) || fs::weakly_canonical(fs::absolute(a, error), error) ==
                                              fs::weakly_canonical(fs::absolute(b, error), error);
}

}  // namespace comshu::fortran
