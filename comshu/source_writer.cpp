#include "source_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "comshu/core/frame.h"
#include "comshu/core/record.h"
#include "comshu/read/schema_subset.h"
#include "comshu/schema/record_traits.h"
#include "error.h"
#include "launch/capture_end.h"
#include "source_resolver.h"

namespace comshu {
namespace fs = std::filesystem;
namespace {

using Addresses = std::map<uint32_t, std::unordered_set<uint64_t>>;  // per process of the capture

// Return addresses in the records of one block, and in the stacks that they name.
void CollectBlock(const read::Artifacts& artifacts, core::BlockDecoder& decoder,
                  std::unordered_set<uint64_t>& addresses, std::vector<uint64_t>& values) {
    for (size_t type = 0; type < decoder.types().size(); ++type) {
        const core::RecordLayout* layout = decoder.types()[type].layout;
        if (!layout || layout->head == core::Head::kNone) continue;
        for (size_t column = 0; column < layout->columns.size(); ++column) {
            const core::Column& field = layout->columns[column];
            const bool is_stack = field.artifact == "call_stack";
            if (!is_stack && (field.unit != "address" || field.name != "caller")) continue;
            if (!decoder.Values(type, column, &values)) continue;
            uint64_t last = 0;
            for (uint64_t address : values) {
                if (address == last || field.IsNull(address)) continue;
                if (is_stack) {
                    for (const uint64_t step : artifacts.CallStack(address)) addresses.insert(step);
                } else {
                    addresses.insert(address);
                }
                last = address;
            }
        }
    }
}

Addresses Collect(const read::Capture& capture, const std::set<uint32_t>& processes) {
    constexpr size_t kThreads = 2;
    std::vector<Addresses> found(kThreads);
    std::vector<std::vector<uint64_t>> values(kThreads);
    capture.ForEachBlock({}, kThreads,
                         [&](size_t worker, const read::Block& block, core::BlockDecoder& decoder) {
                             if (!processes.contains(block.process)) return;
                             CollectBlock(capture.artifacts(), decoder,
                                          found[worker][block.process], values[worker]);
                         });
    for (auto& [process, addresses] : found[1]) found[0][process].merge(addresses);
    return found[0];
}

// The file as it grows: artifacts before the records that name them.
class SourceFile {
public:
    uint64_t Intern(const std::string& text) {
        if (text.empty()) return 0;
        constexpr auto kKind = schema::ArtifactKind::text;
        uint64_t id = XXH64(text.data(), text.size(), static_cast<uint64_t>(kKind));
        if (interned_.insert(id).second) {
            Append(schema::Artifact(id, static_cast<uint32_t>(text.size()), kKind), artifacts_,
                   text);
            ++artifact_count_;
        }
        return id;
    }
    void Add(const schema::Source& source) {
        Append(source, records_);
        ++record_count_;
    }

    void Write(const std::string& path) {
        fs::path part = path + "." + std::to_string(getpid()) + ".part";
        file_ = std::fopen(part.c_str(), "wb");
        if (!file_) Fail(path);
        core::FrameHeader header;
        header.kind = core::FrameKind::kSchema;
        const std::vector<uint8_t> description =
            read::PackedSchemaSubset({.types = {schema::RecordTraits<schema::Artifact>::kType,
                                                schema::RecordTraits<schema::Source>::kType},
                                      .enum_values = {}});
        WriteFrame(header, description.data(), description.size());
        WriteRecords(artifacts_, artifact_count_);
        WriteRecords(records_, record_count_);
        bool bad = std::ferror(file_) != 0;
        if (std::fclose(file_) != 0 || bad) Fail(path);
        std::error_code error;
        fs::rename(part, path, error);
        if (error) Fail(path);
    }

private:
    [[noreturn]] static void Fail(const std::string& path) {
        throw CommandError("cannot write " + path + ": " + std::strerror(errno));
    }

    template <typename Record>
    static void Append(const Record& record, std::vector<std::byte>& out,
                       std::string_view content = {}) {
        core::RecordPrefix prefix{
            static_cast<uint32_t>(core::RecordBytes(sizeof record, content.size())),
            schema::RecordTraits<Record>::kType, 0};
        size_t at = out.size();
        out.resize(at + prefix.bytes);
        std::byte* to = out.data() + at;
        std::memcpy(to, &prefix, sizeof prefix);
        std::memcpy(to + sizeof prefix, static_cast<const void*>(&record), sizeof record);
        if (!content.empty()) {
            std::memcpy(to + sizeof prefix + sizeof record, content.data(), content.size());
        }
    }

    void WriteRecords(const std::vector<std::byte>& records, uint32_t count) {
        if (count == 0) return;
        core::FrameHeader header;
        header.thread = core::kDefinitionsThread;
        header.record_count = count;
        header.first_offset = written_;
        written_ += records.size();
        header.last_offset = written_;
        WriteFrame(header, records.data(), records.size());
    }

    void WriteFrame(core::FrameHeader header, const void* payload, size_t bytes) {
        header.number = next_frame_++;
        core::SealFrame(&header, payload, bytes);
        std::fwrite(&header, sizeof header, 1, file_);
        std::fwrite(payload, 1, bytes, file_);
        const char zeros[8] = {};
        std::fwrite(zeros, 1, core::PaddedBytes(bytes) - bytes, file_);
    }

    std::FILE* file_ = nullptr;
    uint64_t next_frame_ = 0;
    uint64_t written_ = 0;
    std::unordered_set<uint64_t> interned_;
    std::vector<std::byte> artifacts_, records_;
    uint32_t artifact_count_ = 0, record_count_ = 0;
};

const read::Module* ModuleOf(const read::Process& process, uint64_t address) {
    for (const read::Module& module : process.modules) {
        if (address >= module.begin && address < module.end) return &module;
    }
    return nullptr;
}

// What an older file says of an address.
using Known = std::map<std::pair<uint32_t, uint64_t>, const read::SourcePosition*>;

Known KnownPositions(const read::Capture& capture) {
    Known known;
    for (const read::SourcePosition& position : capture.sources())
        known[{position.process, position.address}] = &position;
    return known;
}

// Whether any address was never looked up.
bool HasNew(const read::Process& process, const std::unordered_set<uint64_t>& addresses,
            const Known& known) {
    return std::any_of(addresses.begin(), addresses.end(), [&](uint64_t address) {
        return !known.contains({process.id, address}) && ModuleOf(process, address - 1) != nullptr;
    });
}

void ResolveAll(const read::Process& process, const std::unordered_set<uint64_t>& addresses,
                const Known& known, SourceResolver& resolver, SourceFile& file) {
    std::vector<uint64_t> sorted(addresses.begin(), addresses.end());
    std::sort(sorted.begin(), sorted.end());
    for (uint64_t address : sorted) {
        auto add = [&](const std::string& source, const std::string& function,
                       const std::string& module, uint32_t line) {
            file.Add(schema::Source(process.pid, process.exec_number, address, file.Intern(source),
                                    file.Intern(function), file.Intern(module), line));
        };
        auto before = known.find({process.id, address});
        if (before != known.end() && before->second->line > 0) {
            const read::SourcePosition& position = *before->second;
            add(position.file, position.function, position.module, position.line);
            continue;
        }
        // An address in a record is where the call returns to, which may be on the next line.
        const read::Module* module = ModuleOf(process, address - 1);
        if (!module) continue;
        const SourceLine& line =
            resolver.Resolve(module->path, module->build_id, address - 1 - module->load_bias);
        const bool is_known = !line.function.empty() || before == known.end();
        add(line.file, is_known ? line.function : before->second->function, module->path,
            line.line);
    }
}

}  // namespace

namespace {

Addresses CollectOfHost(const read::Capture& capture, const std::string& host) {
    std::set<uint32_t> processes;
    for (const auto& process : capture.processes()) {
        if (launch::IsOfHost(*process, host)) processes.insert(process->id);
    }
    return Collect(capture, processes);
}

size_t WriteAll(const read::Capture& capture, const std::string& host, const Addresses& all,
                const Known& known) {
    SourceResolver resolver;
    std::map<fs::path, SourceFile> files;  // by the folder of a pass
    size_t count = 0;
    for (const auto& [id, addresses] : all) {
        if (addresses.empty()) continue;
        const read::Process& process = *capture.processes()[id];
        ResolveAll(process, addresses, known, resolver,
                   files[fs::path(process.path).parent_path()]);
        count += addresses.size();
    }
    for (auto& [folder, file] : files) file.Write((folder / (host + ".sources.cst")).string());
    return count;
}

}  // namespace

size_t WriteSources(const read::Capture& capture, const std::string& host) {
    return WriteAll(capture, host, CollectOfHost(capture, host), KnownPositions(capture));
}

bool WriteNewSources(const read::Capture& capture, const std::string& host) {
    const Addresses all = CollectOfHost(capture, host);
    const Known known = KnownPositions(capture);
    const bool any = std::any_of(all.begin(), all.end(), [&](const auto& of_process) {
        return HasNew(*capture.processes()[of_process.first], of_process.second, known);
    });
    if (any) WriteAll(capture, host, all, known);
    return any;
}

}  // namespace comshu
