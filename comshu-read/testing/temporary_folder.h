// A folder that is removed with all that is in it.
#ifndef COMSHU_READ_TESTING_TEMPORARY_FOLDER_H_
#define COMSHU_READ_TESTING_TEMPORARY_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace comshu::read::testing {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "comshu-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path() const { return path_.string(); }
    // A path in it whose folders exist.
    std::string File(const std::string& name) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

}  // namespace comshu::read::testing

#endif  // COMSHU_READ_TESTING_TEMPORARY_FOLDER_H_
