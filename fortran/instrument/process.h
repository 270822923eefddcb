#pragma once

#include <string>
#include <vector>

namespace comshu::fortran {

struct Finished {
    int code = 127;      // exit code; 128 + signal
    std::string errors;  // what it wrote to stderr, when that was kept
};

// Runs a program and waits for it. With `keep_errors` its stderr is kept, not shown.
Finished RunProcess(const std::vector<std::string>& words, bool keep_errors);

// A folder of our own, removed with all that is in it at the end.
class PrivateFolder {
public:
    PrivateFolder();
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    const std::string& path() const { return path_; }  // empty: none could be made

private:
    std::string path_;
};

// Folder of the running program.
std::string OwnFolder();

}  // namespace comshu::fortran
