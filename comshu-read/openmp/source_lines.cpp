#include "openmp/source_lines.h"

#include <filesystem>
#include <fstream>

namespace comshu::read {
namespace fs = std::filesystem;

const std::vector<std::string>& SourceLines::LinesOf(const Process& process,
                                                     const std::string& file) {
    const auto [found, is_new] = files_.try_emplace({process.id, file});
    if (!is_new) return found->second;
    const fs::path folders[] = {"", process.working_directory,
                                fs::path(process.executable).parent_path()};
    for (const fs::path& folder : folders) {
        const fs::path path = folder / file;
        std::error_code error;
        if (!fs::is_regular_file(path, error)) continue;
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) found->second.push_back(std::move(line));
        break;
    }
    return found->second;
}

std::string SourceLines::Get(uint32_t process, const std::string& file, uint32_t line) {
    if (process >= capture_.processes().size() || line == 0) return "";
    const std::scoped_lock locked(lock_);
    const std::vector<std::string>& lines = LinesOf(*capture_.processes()[process], file);
    if (line > lines.size()) return "";
    const std::string& text = lines[line - 1];
    constexpr const char* kBlanks = " \t\r";
    const size_t from = text.find_first_not_of(kBlanks);
    return from == text.npos ? "" : text.substr(from, text.find_last_not_of(kBlanks) + 1 - from);
}

}  // namespace comshu::read
