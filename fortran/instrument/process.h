#pragma once

#include <functional>
#include <string>
#include <vector>

namespace comshu::fortran {

struct Finished {
    int code = 127;        // exit code; 128 + signal
    std::string errors;    // what it wrote to stderr, when that was kept
    bool crashed = false;  // ended by a signal
};

// While it lives, signals that would end this process end those that it runs, and it throws Interrupted when
// they have ended: whoever has something to remove does so on the way. A pipe that nobody reads ends programs
// that it runs, not this process.
class SignalsUnwind {
public:
    SignalsUnwind();
    SignalsUnwind(const SignalsUnwind&) = delete;
    SignalsUnwind& operator=(const SignalsUnwind&) = delete;
    ~SignalsUnwind();

private:
    std::vector<void (*)(int)> before_;
};
struct Interrupted {
    int signal;
};

// `was ended by signal 13 (Broken pipe)`; empty where it ended by itself.
std::string EndedBy(const Finished& finished);
// By one that is of the program's own doing; others come from outside.
bool EndedByFault(const Finished& finished);

// 0, or the error for which no program of this name can be run: it is looked for as RunProcess does.
int CannotRun(const std::string& name);

// Runs a program and waits for it. With `keep_errors` its stderr is kept, not shown.
Finished RunProcess(const std::vector<std::string>& words, bool keep_errors);

// Does `work` in a process of its own, whose exit code it returns: one that crashes takes nothing along.
Finished RunApart(const std::function<int()>& work);

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
