#pragma once

#include <string>
#include <vector>

namespace comshu::fortran {

struct OutputFile {
    std::string path;
    std::string text;
};

// Why a source cannot be read: `Is a directory`; empty: it can.
std::string WhyUnreadable(const std::string& path);

// What a file holds; nothing of one that cannot be read.
std::string ReadText(const std::string& path);

// Writes files whole or not at all, and all of them or none: beside them first, then renamed, while signals
// that end the process wait. What is there and no regular file (/dev/null, a pipe) is written into. Empty, or what went wrong.
std::string WriteFiles(const std::vector<OutputFile>& files);

// Whether two paths lead to one file, by links too, or would if they were written.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace comshu::fortran
