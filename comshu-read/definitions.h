// Reads the definitions of a process: what its records refer to.
#ifndef COMSHU_READ_DEFINITIONS_H_
#define COMSHU_READ_DEFINITIONS_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "comshu/core/block_decoder.h"
#include "comshu/read/artifacts.h"
#include "comshu/read/capture.h"
#include "comshu/read/process.h"

namespace comshu::read {

// The fields of one record type of a block, by name; a field that the stream does not have, or that
// is damaged, reads as the fallback.
class Fields {
public:
    Fields(core::BlockDecoder* decoder, size_t type) : decoder_(decoder), type_(type) {}

    size_t rows() const { return decoder_->types()[type_].count; }
    uint64_t Get(size_t row, std::string_view field, uint64_t fallback = 0);

private:
    core::BlockDecoder* decoder_;
    size_t type_;
    std::map<std::string_view, std::vector<uint64_t>> columns_;
};

// Calls `visit(process, fields, row)` for every definition of a record type, by its name in the schema, in
// the order of processes and of each process's stream.
template <typename Visit>
void ForEachDefinition(const Capture& capture, std::string_view record, Visit visit) {
    for (const Block& block : capture.blocks()) {
        core::BlockDecoder decoder = capture.DecoderFor(block);
        if (!block.definitions() || !capture.OpenBlock(block, &decoder)) continue;
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const core::RecordLayout* layout = decoder.types()[type].layout;
            if (layout == nullptr || layout->name != record) continue;
            Fields fields(&decoder, type);
            for (size_t row = 0; row < fields.rows(); ++row)
                visit(*capture.processes()[block.process], &fields, row);
        }
    }
}

void ReadArtifacts(core::BlockDecoder* decoder, Artifacts* artifacts);

// Everything but artifacts, which must all be known.
void ReadEntities(core::BlockDecoder* decoder, const Artifacts& artifacts, Process* process);

// Source positions; `process` of the rows is left to the caller by (pid, exec number).
struct SourceRow {
    uint32_t pid = 0;
    uint32_t exec_number = 0;
    SourcePosition position;
};
void ReadSources(core::BlockDecoder* decoder, const Artifacts& artifacts,
                 std::vector<SourceRow>* out);

}  // namespace comshu::read

#endif  // COMSHU_READ_DEFINITIONS_H_
