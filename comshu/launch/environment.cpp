#include "launch/environment.h"

#include <unistd.h>

#include <string_view>

namespace comshu::launch {

Environment CurrentEnvironment() {
    Environment environment;
    for (char** entry = environ; *entry; ++entry) {
        std::string_view text = *entry;
        size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        // Of a name that is there twice getenv sees the first.
        environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return environment;
}

std::string Value(const Environment& environment, const std::string& name) {
    auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
}

}  // namespace comshu::launch
