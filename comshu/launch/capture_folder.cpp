#include "launch/capture_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "error.h"
#ifdef COMSHU_HAVE_READ
#include "comshu/read/capture.h"
#endif

namespace comshu::launch {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr auto kWaitForMaker = std::chrono::seconds(5);
constexpr double kJoinSeconds = 60;  // on another host, where no token tells who belongs together
constexpr int kMaxNumber = 100000;

// The lock of a folder; does without where the file system has no locks.
class FolderLock {
public:
    explicit FolderLock(const fs::path& folder)
        : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~FolderLock() {
        if (fd_ >= 0) close(fd_);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int fd_;
};

enum class Owner { kNobody, kThisJob, kOtherJob, kUnclear, kForeign };

bool SameJob(const json& description, const FolderRequest& request) {
    if (description.value("job", "") == request.job.token) return true;
    // Another host of a job whose launcher leaves no mark that is the same on all of them.
    return request.job.is_rank && !request.job.across_hosts &&
           description.value("host", "") != request.job.host &&
           description.value("command", json()) == request.description.value("command", json()) &&
           UnixTime() - description.value("started", 0.0) < kJoinSeconds &&
           !description.contains("finished");
}

Owner OwnerOf(const fs::path& folder, const FolderRequest& request) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error))) return Owner::kNobody;
    if (!fs::is_directory(folder, error)) return Owner::kForeign;
    json description = ReadDescription(folder.string());
    if (!description.is_null()) {
        return SameJob(description, request) ? Owner::kThisJob : Owner::kOtherJob;
    }
    if (fs::is_empty(folder, error)) return Owner::kNobody;
    return fs::exists(folder / request.pass, error) ? Owner::kUnclear : Owner::kForeign;
}

// What a run that recorded nothing has left is in nobody's way. False, and nothing done, if there is
// more than its description.
bool RemoveEmptyCapture(const fs::path& folder) {
    if (!ReadDescription(folder.string()).contains("finished")) return false;
    std::error_code error;
    std::vector<fs::path> passes;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().filename() == "capture.json") continue;
        if (!entry.is_directory(error) || !fs::is_empty(entry.path(), error)) return false;
        passes.push_back(entry.path());
    }
    for (const fs::path& pass : passes) fs::remove(pass, error);
    return fs::remove(folder / "capture.json", error);
}

[[noreturn]] void Fail(const fs::path& folder, const std::string& what, int error) {
    throw CommandError(what + " " + folder.string() + ": " + std::strerror(error) +
                       "; give another folder with -o DIR");
}

void WriteDescription(const fs::path& folder, const json& description) {
    fs::path part = folder / ("capture.json." + HostName() + "." + std::to_string(getpid()));
    {
        std::ofstream file(part);
        file << description.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
        if (!file.flush()) {
            const int reason = errno;
            std::error_code ignored;
            fs::remove(part, ignored);
            Fail(part, "cannot write", reason);
        }
    }
    std::error_code error;
    fs::rename(part, folder / "capture.json", error);
    if (error) Fail(folder / "capture.json", "cannot write", error.value());
}

// Makes the folder with all in it. False if another process was faster.
bool Make(const fs::path& folder, const FolderRequest& request) {
    if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) Fail(folder, "cannot make", errno);
    fs::path pass = folder / request.pass;
    if (mkdir(pass.c_str(), 0777) != 0) {
        if (errno == EEXIST) return false;
        Fail(pass, "cannot make", errno);
    }
    json description = request.description;
    description["job"] = request.job.token;
    description["host"] = request.job.host;
    description["started"] = UnixTime();
    WriteDescription(folder, description);
    return true;
}

Owner WaitForMaker(const fs::path& folder, const FolderRequest& request) {
    auto give_up = std::chrono::steady_clock::now() + kWaitForMaker;
    Owner owner = OwnerOf(folder, request);
    while (owner == Owner::kUnclear && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        owner = OwnerOf(folder, request);
    }
    return owner;
}

fs::path OldName(const fs::path& folder) {
    fs::path old = folder;
    old += ".old";
    for (int number = 2; fs::exists(fs::symlink_status(old)) && number < kMaxNumber; ++number) {
        old = folder;
        old.concat(".old.").concat(std::to_string(number));
    }
    return old;
}

fs::path Absolute(const std::string& path) {
    if (path.empty()) throw UsageError("-o needs the name of a folder");
    fs::path absolute = fs::absolute(path).lexically_normal();
    return absolute.has_filename() ? absolute : absolute.parent_path();
}

CaptureFolder OpenNamed(const FolderRequest& request) {
    fs::path folder = Absolute(*request.output);
    CaptureFolder result;
    result.path = folder.string();
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    if (error) Fail(folder.parent_path(), "cannot make", error.value());
    FolderLock lock(folder.parent_path());
    Owner owner = WaitForMaker(folder, request);
    if (owner == Owner::kForeign) {
        throw UsageError(result.path +
                         " holds something that is no capture; give a folder that is empty or "
                         "not there yet with -o DIR");
    }
    if (owner == Owner::kOtherJob && RemoveEmptyCapture(folder)) owner = Owner::kNobody;
    if (owner == Owner::kOtherJob || owner == Owner::kUnclear) {
        if (!request.force) {
            throw UsageError(result.path +
                             " holds the capture of another run; give another folder with -o DIR, "
                             "or --force to move it to " +
                             OldName(folder).string());
        }
        // What runs would go on writing into a folder that is moved away.
        if (StillRuns(folder.string())) {
            throw UsageError(result.path +
                             " holds the capture of a program that still runs; give another "
                             "folder with -o DIR, or wait for it");
        }
        fs::path old = OldName(folder);
        fs::rename(folder, old, error);
        if (error) Fail(folder, "cannot rename", error.value());
        result.moved_to = old.string();
        owner = Owner::kNobody;
    }
    if (owner == Owner::kNobody) result.created = Make(folder, request);
    if (!result.created && WaitForMaker(folder, request) != Owner::kThisJob) {
        throw UsageError(result.path +
                         " was taken by another run at the same time; give another folder with "
                         "-o DIR");
    }
    return result;
}

fs::path Numbered(int number) {
    fs::path folder = Absolute("comshu-out");
    if (number > 1) folder.concat(".").concat(std::to_string(number));
    return folder;
}

CaptureFolder OpenNext(const FolderRequest& request) {
    FolderLock lock(Absolute("."));
    CaptureFolder result;
    for (int number = 1; number < kMaxNumber; ++number) {
        fs::path folder = Numbered(number);
        Owner owner = OwnerOf(folder, request);
        // A folder in the making may be that of this job.
        if (owner == Owner::kUnclear && request.job.is_rank) owner = WaitForMaker(folder, request);
        result.path = folder.string();
        if (owner == Owner::kThisJob) return result;
        if (owner != Owner::kNobody) continue;
        result.created = Make(folder, request);
        if (result.created || WaitForMaker(folder, request) == Owner::kThisJob) return result;
    }
    throw CommandError("no free name comshu-out.N here; give a folder with -o DIR");
}

}  // namespace

double UnixTime() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

json ReadDescription(const std::string& folder) {
    std::ifstream file(fs::path(folder) / "capture.json");
    if (!file) return nullptr;
    json description = json::parse(file, nullptr, false);
    return description.is_object() ? description : json(nullptr);
}

bool StillRuns(const std::string& folder) {
#ifdef COMSHU_HAVE_READ
    std::string ignored;
    const std::unique_ptr<read::Capture> capture = read::Capture::Open({folder}, &ignored);
    return capture != nullptr && capture->IsRunning();
#else
    static_cast<void>(folder);
    return false;
#endif
}

CaptureFolder OpenCaptureFolder(const FolderRequest& request) {
    return request.output ? OpenNamed(request) : OpenNext(request);
}

CaptureFolder PreviewCaptureFolder(const FolderRequest& request) {
    CaptureFolder result;
    if (request.output) {
        result.path = Absolute(*request.output).string();
        return result;
    }
    for (int number = 1; number < kMaxNumber; ++number) {
        result.path = Numbered(number).string();
        Owner owner = OwnerOf(result.path, request);
        if (owner == Owner::kNobody || owner == Owner::kThisJob) break;
    }
    return result;
}

void UpdateDescription(const std::string& folder, const json& change) {
    FolderLock lock(folder);
    json description = ReadDescription(folder);
    if (description.is_null()) return;
    description.merge_patch(change);
    WriteDescription(folder, description);
}

}  // namespace comshu::launch
