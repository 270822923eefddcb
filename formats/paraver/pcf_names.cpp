#include "paraver/pcf_names.h"

#include <filesystem>

#include "text/line_source.h"
#include "text/tokens.h"

namespace comshu::format::paraver {
namespace {

const std::string* Find(const std::map<int64_t, std::string>& names, int64_t number) {
    const auto found = names.find(number);
    return found == names.end() ? nullptr : &found->second;
}

}  // namespace

std::string PcfOf(const std::string& path) {
    std::string base = path;
    if (base.ends_with(".gz")) base.resize(base.size() - 3);
    if (base.ends_with(".prv")) base.resize(base.size() - 4);
    return base + ".pcf";
}

bool PcfNames::Read(const std::string& path) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) return false;
    std::string error;
    const std::unique_ptr<ByteSource> source = ByteSource::Open(path, &error);
    if (source == nullptr) return false;
    LineSource lines(source.get());
    std::string_view line;
    while (lines.Next(&line)) Line(line);
    return true;
}

void PcfNames::Line(std::string_view line) {
    Tokens words(line);
    if (words.done()) return;
    int64_t number = 0;
    if (!words.NextInteger(&number)) {
        const std::string_view title = words.Next();
        section_ = title == "STATES"                                  ? Section::kStates
                   : title == "EVENT_TYPE"                            ? Section::kTypes
                   : title == "VALUES" && section_ == Section::kTypes ? Section::kValues
                                                                      : Section::kNone;
        block_ += section_ == Section::kTypes;
        return;
    }
    int64_t type = 0;
    switch (section_) {
        case Section::kStates:
            return Keep(&states_, number, words.rest());
        case Section::kTypes:
            // The first number is a colour.
            if (!words.NextInteger(&type)) return;
            blocks_[type] = block_;
            return Keep(&types_, type, words.rest());
        case Section::kValues:
            return Keep(&values_[block_], number, words.rest());
        case Section::kNone:
            return;
    }
}

void PcfNames::Keep(std::map<int64_t, std::string>* names, int64_t number, std::string_view name) {
    bytes_ += name.size();
    if (bytes_ > kMostBytes)
        cut_ = true;
    else
        (*names)[number] = name;
}

const std::string* PcfNames::Type(int64_t type) const {
    return Find(types_, type);
}

const std::string* PcfNames::State(int64_t state) const {
    return Find(states_, state);
}

const std::string* PcfNames::Value(int64_t type, int64_t value) const {
    const auto block = blocks_.find(type);
    const auto values = block == blocks_.end() ? values_.end() : values_.find(block->second);
    return values == values_.end() ? nullptr : Find(values->second, value);
}

}  // namespace comshu::format::paraver
