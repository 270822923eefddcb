// Names of the numbers in a Paraver trace, from the .pcf beside it.
#ifndef COMSHU_FORMATS_PARAVER_PCF_NAMES_H_
#define COMSHU_FORMATS_PARAVER_PCF_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace comshu::format::paraver {

// FILE.pcf of FILE.prv.
std::string PcfOf(const std::string& path);

// What is beyond 64 MiB of names is left out. Memory: the names.
class PcfNames {
public:
    // False: there is no such file, or it cannot be read.
    bool Read(const std::string& path);

    // Null: it has no name there.
    const std::string* Type(int64_t type) const;
    const std::string* Value(int64_t type, int64_t value) const;
    const std::string* State(int64_t state) const;
    bool cut() const { return cut_; }

private:
    static constexpr size_t kMostBytes = size_t{64} << 20;

    void Line(std::string_view line);
    void Keep(std::map<int64_t, std::string>* names, int64_t number, std::string_view name);

    enum class Section : uint8_t { kNone, kStates, kTypes, kValues };

    std::map<int64_t, std::string> states_;
    std::map<int64_t, std::string> types_;
    // Several types may share a block of values: each type names its block.
    std::map<int64_t, size_t> blocks_;
    std::map<size_t, std::map<int64_t, std::string>> values_;
    Section section_ = Section::kNone;
    size_t block_ = 0;
    size_t bytes_ = 0;
    bool cut_ = false;
};

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_PCF_NAMES_H_
