// A file that appears when it is whole.
#ifndef COMSHU_FORMATS_TEXT_FILE_OUTPUT_H_
#define COMSHU_FORMATS_TEXT_FILE_OUTPUT_H_

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "comshu/read/pending_file.h"

namespace comshu::format {

// A PendingFile with a buffer: it is there after Finish, and nothing is if that is never called. The
// first failure is kept and told by Finish.
class FileOutput {
public:
    explicit FileOutput(const std::string& path);
    ~FileOutput();
    FileOutput(const FileOutput&) = delete;
    FileOutput& operator=(const FileOutput&) = delete;

    template <typename... Args>
    void Print(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
        if (buffer_.size() > kBufferBytes) Flush();
    }
    void Write(std::string_view bytes) {
        buffer_.append(bytes.data(), bytes.data() + bytes.size());
        if (buffer_.size() > kBufferBytes) Flush();
    }
    // Everything is on disk, under a name of its own. Of several files that belong together each is closed
    // before the first is finished, so that a full disk leaves none.
    bool Close(std::string* error);
    // Closes it, and gives the file its name.
    bool Finish(std::string* error);

private:
    static constexpr size_t kBufferBytes = size_t{1} << 20;

    void Flush();

    std::string path_;
    read::PendingFile pending_;
    std::FILE* file_;
    bool committed_ = false;
    std::string error_;
    fmt::memory_buffer buffer_;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_FILE_OUTPUT_H_
