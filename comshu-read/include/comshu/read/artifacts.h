// Content stored once and referred to by id, of all processes together.
#ifndef COMSHU_READ_ARTIFACTS_H_
#define COMSHU_READ_ARTIFACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace comshu::read {

// Ids are hashes of the content, so equal content of different processes is one artifact. Filled
// while the capture is opened, read-only afterwards.
class Artifacts {
public:
    struct Artifact {
        uint8_t kind = 0;  // schema::ArtifactKind
        std::string content;
    };

    void Add(uint64_t id, uint8_t kind, std::string_view content);

    const Artifact* Find(uint64_t id) const {
        const auto found = by_id_.find(id);
        return found == by_id_.end() ? nullptr : &found->second;
    }
    // Valid UTF-8; empty when there is no such artifact or it is not text.
    const std::string& Text(uint64_t id) const;
    std::vector<int32_t> Int32List(uint64_t id) const;
    std::vector<uint64_t> CallStack(uint64_t id) const;  // Innermost first.

    const std::unordered_map<uint64_t, Artifact>& all() const { return by_id_; }

private:
    template <typename Number>
    std::vector<Number> List(uint64_t id, uint8_t kind) const;

    std::unordered_map<uint64_t, Artifact> by_id_;
};

// Replaces what is not UTF-8 by U+FFFD.
std::string ToUtf8(std::string_view text);

}  // namespace comshu::read

#endif  // COMSHU_READ_ARTIFACTS_H_
