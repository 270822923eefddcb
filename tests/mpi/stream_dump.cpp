// Prints the records of raw streams, one JSON object a line, in the order of recording: what the tests
// of the provider look at. Knows the stream format by libcomshu/core alone.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "comshu/core/block_decoder.h"
#include "comshu/core/frame.h"
#include "comshu/core/layout.h"
#include "comshu/core/record.h"
#include "comshu/schema/core_generated.h"

namespace {

using comshu::core::BlockDecoder;
using comshu::core::Column;
using comshu::core::FrameHeader;
using comshu::core::RecordLayout;

struct Block {
    FrameHeader header;
    const uint8_t* payload;
};

std::map<uint64_t, std::string> artifacts;  // As JSON.

std::string Quoted(const char* text, size_t bytes) {
    std::string out = "\"";
    for (size_t i = 0; i < bytes; ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", c);
            out += escape;
        } else {
            out += static_cast<char>(c);
        }
    }
    return out + "\"";
}

void KeepArtifact(const uint8_t* record) {
    comshu::schema::Artifact head;
    std::memcpy(static_cast<void*>(&head), record + sizeof(comshu::core::RecordPrefix),
                sizeof head);
    const uint8_t* content = record + sizeof(comshu::core::RecordPrefix) + sizeof head;
    if (head.kind() == comshu::schema::ArtifactKind::text) {
        artifacts[head.id()] = Quoted(reinterpret_cast<const char*>(content), head.bytes());
    } else if (head.kind() == comshu::schema::ArtifactKind::int32_list) {
        std::string out = "[";
        for (uint32_t at = 0; at + 4 <= head.bytes(); at += 4) {
            int32_t value;
            std::memcpy(&value, content + at, sizeof value);
            if (at != 0) out += ",";
            out += std::to_string(value);
        }
        artifacts[head.id()] = out + "]";
    }
}

std::string ValueText(const Column& column, uint64_t value) {
    if (column.IsNull(value)) return "null";
    if (!column.artifact.empty()) {
        const auto found = artifacts.find(value);
        return found == artifacts.end() ? "null" : found->second;
    }
    if (column.enum_index >= 0 && column.name != "flags") {
        const auto& type = comshu::core::Schema::BuiltIn().enums()[column.enum_index];
        for (const auto& [number, name] : type.values) {
            if (number == static_cast<int64_t>(value)) {
                return Quoted(name.data(), name.size());
            }
        }
    }
    return column.is_signed ? std::to_string(static_cast<int64_t>(value)) : std::to_string(value);
}

void PrintBlock(const FrameHeader& header, BlockDecoder& decoder) {
    std::vector<uint8_t> sequence;
    if (!decoder.Sequence(&sequence)) {
        std::printf("{\"record\":\"damaged\"}\n");
        return;
    }
    std::vector<std::vector<std::vector<uint64_t>>> values(decoder.types().size());
    for (size_t t = 0; t < values.size(); ++t) {
        const RecordLayout* layout = decoder.types()[t].layout;
        if (layout == nullptr) continue;
        values[t].resize(layout->columns.size());
        for (size_t c = 0; c < layout->columns.size(); ++c) decoder.Values(t, c, &values[t][c]);
    }
    std::vector<size_t> next(values.size());
    for (const uint8_t t : sequence) {
        const RecordLayout* layout = decoder.types()[t].layout;
        const size_t row = next[t]++;
        if (layout == nullptr || layout->archetype == comshu::core::Archetype::kArtifact) continue;
        std::string line = std::string("{\"record\":\"") + layout->name +
                           "\",\"of_thread\":" + std::to_string(header.thread) +
                           ",\"block_lost\":" + std::to_string(header.lost);
        for (size_t c = 0; c < layout->columns.size(); ++c) {
            const Column& column = layout->columns[c];
            line += ",\"" + column.name + "\":" + ValueText(column, values[t][c][row]);
        }
        std::printf("%s}\n", line.c_str());
    }
}

bool Dump(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<uint8_t> data{std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>()};
    if (data.empty()) {
        std::fprintf(stderr, "%s: cannot be read or is empty\n", path);
        return false;
    }
    std::vector<Block> blocks;
    for (size_t at = 0; at + sizeof(FrameHeader) <= data.size();) {
        FrameHeader header;
        std::memcpy(&header, &data[at], sizeof header);
        if (!comshu::core::IsValidHeader(header) ||
            header.payload_bytes > data.size() - at - sizeof header) {
            std::fprintf(stderr, "%s: no sound frame at byte %zu\n", path, at);
            return false;
        }
        if (header.kind == comshu::core::FrameKind::kRecords) {
            blocks.push_back({header, &data[at + sizeof header]});
        }
        at += sizeof header + comshu::core::PaddedBytes(header.payload_bytes);
    }
    std::printf("{\"record\":\"stream\",\"path\":%s}\n", Quoted(path, std::strlen(path)).c_str());
    // Definitions first: artifacts are referred to from anywhere.
    for (const bool definitions : {true, false}) {
        for (const Block& block : blocks) {
            if ((block.header.thread == comshu::core::kDefinitionsThread) != definitions) continue;
            BlockDecoder decoder(
                comshu::core::Schema::BuiltIn(),
                [](const uint8_t*, size_t, std::vector<uint8_t>*) { return false; });
            std::string error;
            if (!decoder.Open(block.header, block.payload, &error)) {
                std::fprintf(stderr, "%s: %s\n", path, error.c_str());
                return false;
            }
            for (size_t t = 0; t < decoder.types().size(); ++t) {
                const RecordLayout* layout = decoder.types()[t].layout;
                if (layout == nullptr || layout->archetype != comshu::core::Archetype::kArtifact) {
                    continue;
                }
                for (size_t row = 0; row < decoder.types()[t].count; ++row) {
                    if (const uint8_t* record = decoder.RawRecord(t, row)) KeepArtifact(record);
                }
            }
        }
        for (const Block& block : blocks) {
            if ((block.header.thread == comshu::core::kDefinitionsThread) != definitions) continue;
            BlockDecoder decoder(
                comshu::core::Schema::BuiltIn(),
                [](const uint8_t*, size_t, std::vector<uint8_t>*) { return false; });
            std::string error;
            if (decoder.Open(block.header, block.payload, &error))
                PrintBlock(block.header, decoder);
        }
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    bool sound = argc > 1;
    for (int i = 1; i < argc; ++i) sound = Dump(argv[i]) && sound;
    return sound ? 0 : 1;
}
