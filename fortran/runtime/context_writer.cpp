#include "runtime/context_string.h"

namespace comshu::fortran {
namespace {

void AppendEscaped(std::string& out, std::string_view value) {
    for (std::size_t at = 0; at < value.size(); ++at) {
        char c = value[at];
        // A backslash doubles where a reader would otherwise take it for the escape of a star, or
        // the end of the value for an escaped one.
        bool before_star = at + 1 == value.size() || value[at + 1] == '*' || value[at + 1] == '\\';
        if (c == '*' || (c == '\\' && before_star)) {
            out.push_back('\\');
        }
        out.push_back(c);
    }
}

}  // namespace

std::string_view Context::Get(std::string_view key) const {
    for (const auto& [name, value] : pairs) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

bool Context::Has(std::string_view key) const {
    for (const auto& pair : pairs) {
        if (pair.first == key) {
            return true;
        }
    }
    return false;
}

std::string WriteContext(const Context& context) {
    std::string body = "*";
    for (const auto& [key, value] : context.pairs) {
        body += key;
        body.push_back('=');
        AppendEscaped(body, value);
        body.push_back('*');
    }
    body.push_back('*');
    return std::to_string(body.size()) + body;
}

}  // namespace comshu::fortran
