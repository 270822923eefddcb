#include "comshu/read/pending_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr size_t kLongestPath = 4096;

// Read by a signal handler: plain memory, and a number that says whether it is whole.
struct Pending {
    std::atomic<bool> taken{false};
    std::atomic<bool> ready{false};
    char path[kLongestPath];
};
std::array<Pending, 16> pending_files;
// The same of what is said at the end.
char last_line[256];
std::atomic<size_t> last_line_bytes{0};

constexpr int kDeepest = 4;  // OUT/span/rank_group=0/part-0.parquet

// A file, or a folder with what is in it. Only what a handler may call: opendir may not, so the names are
// asked for from the kernel.
void Remove(int in, const char* path, int depth) {
    if (unlinkat(in, path, 0) == 0 || depth > kDeepest) return;
    const int folder = openat(in, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    alignas(dirent64) char entries[2048];
    for (ssize_t got; (got = getdents64(folder, entries, sizeof entries)) > 0;) {
        for (ssize_t at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
                Remove(folder, entry->d_name, depth + 1);
            at += entry->d_reclen;
        }
    }
    close(folder);
    unlinkat(in, path, AT_REMOVEDIR);
}

void RemoveAndDie(int signal) {
    for (const Pending& pending : pending_files) {
        if (!pending.ready.load(std::memory_order_acquire)) continue;
        Remove(AT_FDCWD, pending.path, 0);
    }
    const size_t bytes = last_line_bytes.load(std::memory_order_acquire);
    if (bytes != 0 && signal != SIGPIPE) {
        static_cast<void>(!write(STDERR_FILENO, last_line, bytes));
        _exit(128 + signal);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void WatchSignals() {
    static const bool watched = [] {
        for (const int signal : kSignals) {
            struct sigaction old {};
            // What is ignored stays so (nohup).
            if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
            struct sigaction action {};
            action.sa_handler = RemoveAndDie;
            sigfillset(&action.sa_mask);
            sigaction(signal, &action, nullptr);
        }
        return true;
    }();
    static_cast<void>(watched);
}

}  // namespace

RemovedBySignal::RemovedBySignal(const std::string& path) {
    Remember(path);
}

void RemovedBySignal::Remember(const std::string& path) {
    Forget();
    if (path.size() >= kLongestPath) return;
    WatchSignals();
    for (size_t i = 0; i < pending_files.size(); ++i) {
        Pending& pending = pending_files[i];
        if (pending.taken.exchange(true)) continue;
        std::memcpy(pending.path, path.c_str(), path.size() + 1);
        pending.ready.store(true, std::memory_order_release);
        place_ = static_cast<int>(i);
        return;
    }
}

void RemovedBySignal::Forget() {
    if (place_ < 0) return;
    Pending& pending = pending_files[static_cast<size_t>(place_)];
    pending.ready.store(false);
    pending.taken.store(false);
    place_ = -1;
}

void SayWhenInterrupted(const std::string& line) {
    last_line_bytes.store(0);
    const size_t bytes = std::min(line.size(), sizeof last_line - 1);
    std::memcpy(last_line, line.data(), bytes);
    last_line[bytes] = '\n';
    last_line_bytes.store(bytes + 1, std::memory_order_release);
    WatchSignals();
}

PendingFile::PendingFile(const std::string& path) : path_(path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (fs::is_directory(status) && !fs::is_empty(path, code)) {
        error_ = fmt::format("{}: is a folder", path);
        return;
    }
    if (fs::exists(status)) {
        const fs::path target = fs::canonical(path, code);
        if (!code) path_ = target.string();
    }
    // A folder to be made may be written with a slash at its end.
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
    in_place_ = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
    part_ = in_place_ ? path : fmt::format("{}.{}.part", path_, getpid());
    pending_ = true;
    if (!in_place_) removed_.Remember(part_);
}

PendingFile::~PendingFile() {
    if (!pending_ || in_place_) return;
    std::error_code code;
    fs::remove_all(part_, code);
}

bool PendingFile::Commit(std::string* error) {
    std::error_code code;
    if (!in_place_) fs::rename(part_, path_, code);
    if (code) {
        *error = fmt::format("{}: cannot be written: {}", path_, code.message());
        return false;
    }
    pending_ = false;
    removed_.Forget();
    return true;
}

}  // namespace comshu::read
