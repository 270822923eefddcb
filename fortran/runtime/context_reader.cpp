#include "runtime/context_string.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace comshu::fortran {
namespace {

std::string Lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::string Upper(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return out;
}

std::string CanonicalOperator(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSigns{{
        {"+", "PLUS"},
        {"-", "MINUS"},
        {"*", "PRODUCT"},
        {".and.", "AND"},
        {".or.", "OR"},
        {".eqv.", "EQV"},
        {".neqv.", "NEQV"},
        {"/", "DIVIDE"},
    }};
    std::string lower = Lower(text);
    for (const auto& [sign, word] : kSigns) {
        if (lower == sign) {
            return std::string(word);
        }
    }
    return Upper(text);
}

class Reader {
public:
    Reader(std::string_view text, Context* context) : text_(text), context_(context) {}

    ContextError Read() {
        while (!text_.empty() && (text_.back() == ' ' || text_.back() == '\0')) {
            text_.remove_suffix(1);
        }
        std::size_t digits = 0;
        while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits]))) {
            ++digits;
        }
        at_ = digits;
        if (at_ == text_.size() || text_[at_] != '*') {
            return {at_, "a context string begins with its length and a star"};
        }
        if (digits > 9 || (digits > 0 && std::stoul(std::string(text_.substr(0, digits))) !=
                                             text_.size() - digits)) {
            return {0, "its length is not the one in front"};
        }
        ++at_;
        while (at_ < text_.size() && text_[at_] != '*') {
            ContextError error = Pair();
            if (!error.message.empty()) {
                return error;
            }
        }
        if (at_ == text_.size()) {
            return {at_, "two stars end a context string"};
        }
        if (at_ + 1 != text_.size()) {
            return {at_ + 1, "text after the end"};
        }
        return {};
    }

private:
    ContextError Pair() {
        std::size_t equals = text_.find_first_of("=*", at_);
        if (equals == std::string_view::npos || text_[equals] == '*') {
            return {at_, "a key without ="};
        }
        if (equals == at_) {
            return {at_, "= without a key"};
        }
        std::string key = Lower(text_.substr(at_, equals - at_));
        at_ = equals + 1;
        std::string value;
        if (key == "redop" && at_ + 1 < text_.size() && text_[at_] == '*' &&
            text_[at_ + 1] == '*') {
            value = "*";  // a product, as one writer leaves it
            ++at_;
        } else if (!Value(value)) {
            return {at_, "a value without an end"};
        }
        ++at_;
        if (key == "redop") {
            value = CanonicalOperator(value);
        } else if (key == "schedule" || key == "default") {
            value = Upper(value);
        }
        context_->Add(std::move(key), std::move(value));
        return {};
    }

    // Leaves at_ on the star that ends the value.
    bool Value(std::string& value) {
        for (; at_ < text_.size(); ++at_) {
            char c = text_[at_];
            bool more = at_ + 1 < text_.size();
            if (c == '\\' && more && (text_[at_ + 1] == '*' || text_[at_ + 1] == '\\')) {
                value.push_back(text_[++at_]);
            } else if (c == '*' && more && text_[at_ + 1] == '\\') {
                value.push_back('*');
                ++at_;
            } else if (c == '*') {
                return true;
            } else {
                value.push_back(c);
            }
        }
        return false;
    }

    std::string_view text_;
    Context* context_;
    std::size_t at_ = 0;
};

}  // namespace

ContextError ReadContext(std::string_view text, Context* context) {
    context->pairs.clear();
    return Reader(text, context).Read();
}

}  // namespace comshu::fortran
