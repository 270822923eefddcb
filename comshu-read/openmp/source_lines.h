// Lines of the program's source, where its files are still to be found.
#ifndef COMSHU_READ_OPENMP_SOURCE_LINES_H_
#define COMSHU_READ_OPENMP_SOURCE_LINES_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "comshu/read/capture.h"

namespace comshu::read {

// A file is looked for as it is named, then from the folder that the program ran in and from that of
// the program. Each is read once. Any threads.
class SourceLines {
public:
    explicit SourceLines(const Capture& capture) : capture_(capture) {}
    // Without blanks around; empty: not known.
    std::string Get(uint32_t process, const std::string& file, uint32_t line);

private:
    const std::vector<std::string>& LinesOf(const Process& process, const std::string& file);

    const Capture& capture_;
    std::mutex lock_;
    std::map<std::pair<uint32_t, std::string>, std::vector<std::string>> files_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_SOURCE_LINES_H_
