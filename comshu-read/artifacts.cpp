#include "comshu/read/artifacts.h"

#include <cstring>

#include "comshu/schema/core_generated.h"

namespace comshu::read {
namespace {

// Length of the UTF-8 sequence at the start of `text`; 0 when there is none.
size_t SequenceLength(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    // Overlong forms, surrogates and what lies beyond U+10FFFF.
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return length;
}

}  // namespace

std::string ToUtf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const size_t length = SequenceLength(text);
        if (text.front() == '\0') {
            // It ends each word of a command line.
            out += ' ';
            text.remove_prefix(1);
        } else if (length == 0) {
            out += "\xef\xbf\xbd";
            text.remove_prefix(1);
        } else {
            out += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return out;
}

void Artifacts::Add(uint64_t id, uint8_t kind, std::string_view content) {
    if (by_id_.contains(id)) return;
    const bool is_text = kind == static_cast<uint8_t>(schema::ArtifactKind::text);
    by_id_.emplace(id, Artifact{kind, is_text ? ToUtf8(content) : std::string(content)});
}

const std::string& Artifacts::Text(uint64_t id) const {
    static const std::string none;
    const Artifact* artifact = Find(id);
    if (artifact == nullptr || artifact->kind != static_cast<uint8_t>(schema::ArtifactKind::text))
        return none;
    return artifact->content;
}

template <typename Number>
std::vector<Number> Artifacts::List(uint64_t id, uint8_t kind) const {
    const Artifact* artifact = Find(id);
    if (artifact == nullptr || artifact->kind != kind) return {};
    std::vector<Number> out(artifact->content.size() / sizeof(Number));
    std::memcpy(out.data(), artifact->content.data(), out.size() * sizeof(Number));
    return out;
}

std::vector<int32_t> Artifacts::Int32List(uint64_t id) const {
    return List<int32_t>(id, static_cast<uint8_t>(schema::ArtifactKind::int32_list));
}

std::vector<uint64_t> Artifacts::CallStack(uint64_t id) const {
    return List<uint64_t>(id, static_cast<uint8_t>(schema::ArtifactKind::call_stack));
}

}  // namespace comshu::read
