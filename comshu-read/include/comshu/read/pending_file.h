// A file or folder that appears when it is whole.
#ifndef COMSHU_READ_PENDING_FILE_H_
#define COMSHU_READ_PENDING_FILE_H_

#include <string>

namespace comshu::read {

// A file or folder that one of the signals below removes as long as this lives.
class RemovedBySignal {
public:
    RemovedBySignal() = default;
    explicit RemovedBySignal(const std::string& path);
    ~RemovedBySignal() { Forget(); }
    RemovedBySignal(const RemovedBySignal&) = delete;
    RemovedBySignal& operator=(const RemovedBySignal&) = delete;

    void Remember(const std::string& path);
    void Forget();

private:
    int place_ = -1;  // In the list of what a signal removes.
};

// Problem: a result half written must never be taken for a whole one, and a path may name more than a
// file: a link, a pipe, a device. Idea: what is written lies beside its place under another name and is
// renamed by Commit; links are followed; pipes and devices are written straight through, folders are
// refused. Removed if Commit is not called, and when SIGINT, SIGTERM, SIGHUP or SIGPIPE ends the process.
// At most 16 at a time are removed by a signal. Not thread-safe.
class PendingFile {
public:
    explicit PendingFile(const std::string& path);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    // Where to write; empty: the path cannot be written, `error` says why.
    const std::string& part() const { return part_; }
    const std::string& error() const { return error_; }
    // A pipe or device: to be written from its start to its end.
    bool in_place() const { return in_place_; }

    bool Commit(std::string* error);

private:
    std::string path_;  // Behind all links.
    std::string part_;
    std::string error_;
    bool in_place_ = false;
    bool pending_ = false;
    RemovedBySignal removed_;
};

// From now on the process that one of those signals but SIGPIPE ends says `line` on stderr, at most 255 bytes, and its
// exit code is 128 + the signal's number, as that of a shell.
void SayWhenInterrupted(const std::string& line);

}  // namespace comshu::read

#endif  // COMSHU_READ_PENDING_FILE_H_
