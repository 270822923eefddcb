#include "instrument/handles.h"

#include <cstdio>

namespace comshu::fortran {
namespace {

constexpr int64_t kPerSource = 1'000'000;
constexpr std::string_view kStandIn = "@@@@@@@@@@@@";  // 12 digits

}  // namespace

int Handles::Add(const Context& context) {
    strings_.push_back(WriteContext(context));
    return static_cast<int>(strings_.size()) - 1;
}

std::string Handles::Text(int handle) const {
    if (array()) {
        return "istat_mp(" + std::to_string(first_index_ + handle) + ")";
    }
    char digits[16];
    std::snprintf(digits, sizeof digits, "%06d", handle);
    return std::string(kStandIn) + digits + "_8";
}

int64_t Handles::FirstHandle() const {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    auto add = [&hash](std::string_view text) {
        for (unsigned char c : text) {
            hash = (hash ^ c) * 0x100000001b3u;
        }
        hash = (hash ^ 0xff) * 0x100000001b3u;
    };
    add(path_);
    for (const std::string& text : strings_) {
        add(text);
    }
    // 12 digits, the first not 0.
    int64_t number = 100'000'000'000 + static_cast<int64_t>(hash % 900'000'000'000u);
    return number * kPerSource;
}

std::string Handles::Finish(std::string text) const {
    std::string number = std::to_string(FirstHandle() / kPerSource);
    for (std::size_t at = 0; (at = text.find(kStandIn, at)) != std::string::npos;
         at += number.size()) {
        text.replace(at, kStandIn.size(), number);
    }
    return text;
}

}  // namespace comshu::fortran
