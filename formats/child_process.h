// Work that may end its process.
#ifndef COMSHU_FORMATS_CHILD_PROCESS_H_
#define COMSHU_FORMATS_CHILD_PROCESS_H_

#include <functional>
#include <string>

namespace comshu::format {

struct ChildEnd {
    std::string text;   // What `work` returned.
    int signal = 0;     // That ended it; then there is no text.
    std::string error;  // Not empty: no process could be made, or it ended in some other way.
    std::string said;   // What it wrote on stderr: its beginning.
};

// Problem: a library that reads files of others may not survive a damaged one, and must not take its
// caller with it. Idea: a forked copy of this process does the work; its text comes back by a pipe. The
// copy sees memory as it was and changes none of ours; it has this thread alone, and a stderr of its own: what a
// library or the C library says there comes back with the rest. `stopped` is asked several times a second:
// when it says so the copy is killed.
ChildEnd RunInChild(const std::function<std::string()>& work, const std::function<bool()>& stopped);

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_CHILD_PROCESS_H_
