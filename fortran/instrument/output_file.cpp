#include "instrument/output_file.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace comshu::fortran {
namespace {

// Signals wait for its end, and a file that may not grow any more is an error of the write.
class SignalsWait {
public:
    SignalsWait() {
        sigset_t set;
        sigemptyset(&set);
        for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
            sigaddset(&set, number);
        }
        sigprocmask(SIG_BLOCK, &set, &before_);
        file_size_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;
    ~SignalsWait() {
        std::signal(SIGXFSZ, file_size_);
        sigprocmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t before_;
    void (*file_size_)(int);
};

bool Write(const std::string& path, const std::string& text) {
    std::FILE* out = std::fopen(path.c_str(), "wb");
    if (!out) {
        return false;
    }
    bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    return std::fclose(out) == 0 && written;
}

// A device or a pipe is written into: a file in its place would take it from everybody.
bool IsSpecial(const std::string& path) {
    std::error_code ignored;
    std::filesystem::file_status status = std::filesystem::status(path, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
           !std::filesystem::is_directory(status);
}

}  // namespace

std::string WhyUnreadable(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
        return std::strerror(errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return std::strerror(EISDIR);
    }
    if (!S_ISREG(status.st_mode)) {
        return "no regular file, and it is read more than once";
    }
    return access(path.c_str(), R_OK) == 0 ? "" : std::strerror(errno);
}

std::string ReadText(const std::string& path) {
    if (!WhyUnreadable(path).empty()) {
        return "";
    }
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
}

std::string WriteFiles(const std::vector<OutputFile>& files) {
    std::vector<std::string> beside;
    auto failed = [&](const std::string& path) {
        std::string message = path + ": cannot be written: " + std::strerror(errno);
        for (const std::string& name : beside) {
            std::remove(name.c_str());
        }
        return message;
    };
    std::vector<const OutputFile*> regular;
    for (const OutputFile& file : files) {
        if (!IsSpecial(file.path)) {
            regular.push_back(&file);
        } else if (!Write(file.path, file.text)) {
            return failed(file.path);
        }
    }
    const SignalsWait wait;
    for (const OutputFile* file : regular) {
        beside.push_back(file->path + ".new." + std::to_string(getpid()));
        std::error_code ignored;
        if (std::filesystem::is_directory(file->path, ignored)) {
            errno = EISDIR;
            return failed(file->path);
        }
        if (!Write(beside.back(), file->text)) {
            return failed(file->path);
        }
    }
    for (std::size_t i = 0; i < regular.size(); ++i) {
        if (std::rename(beside[i].c_str(), regular[i]->path.c_str()) != 0) {
            return failed(regular[i]->path);
        }
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
