#ifndef COMSHU_FORMATS_FUZZ_TEMPORARY_FOLDER_H_
#define COMSHU_FORMATS_FUZZ_TEMPORARY_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace comshu::format {

class TemporaryFolder {
public:
    TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "comshu-fuzz-XXXXXX") {
        if (mkdtemp(path_.data()) == nullptr) std::abort();
    }
    ~TemporaryFolder() {
        std::error_code code;
        std::filesystem::remove_all(path_, code);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// For streams; the blocks of a fuzz target are too small to be written.
inline const std::string& StreamFolder() {
    static const TemporaryFolder folder;
    return folder.path();
}

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_FUZZ_TEMPORARY_FOLDER_H_
