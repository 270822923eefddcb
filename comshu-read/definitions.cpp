#include "definitions.h"

#include <algorithm>

#include "comshu/core/record.h"
#include "comshu/schema/core_generated.h"
#include "comshu/schema/mpi_clock_traits.h"
#include "comshu/schema/record_traits.h"

namespace comshu::read {
namespace {

void ReadProcess(Fields fields, const Artifacts& artifacts, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        process->described = true;
        process->begin = fields.Get(i, "tick");
        process->pid = static_cast<uint32_t>(fields.Get(i, "pid"));
        process->parent_pid = static_cast<uint32_t>(fields.Get(i, "parent_pid"));
        process->start_time = fields.Get(i, "start_time");
        process->exec_number = static_cast<uint16_t>(fields.Get(i, "exec_number"));
        process->clock = static_cast<uint8_t>(fields.Get(i, "clock"));
        process->ticks_per_second = fields.Get(i, "ticks_per_second");
        process->host = artifacts.Text(fields.Get(i, "host"));
        process->boot_id = artifacts.Text(fields.Get(i, "boot_id"));
        process->executable = artifacts.Text(fields.Get(i, "executable"));
        process->command = artifacts.Text(fields.Get(i, "command"));
        process->working_directory = artifacts.Text(fields.Get(i, "working_directory"));
    }
}

void ReadProcessEnd(Fields fields, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        process->ended = true;
        process->end = fields.Get(i, "tick");
        process->end_reason = static_cast<uint8_t>(fields.Get(i, "reason"));
        process->exit_code =
            static_cast<int32_t>(fields.Get(i, "exit_code", static_cast<uint64_t>(INT32_MIN)));
        process->recorded = fields.Get(i, "recorded");
        process->lost = fields.Get(i, "lost");
        process->waited = fields.Get(i, "waited");
    }
}

void ReadThread(Fields fields, const Artifacts& artifacts, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        const auto number = static_cast<uint32_t>(fields.Get(i, "thread"));
        Thread& thread = process->threads[number];
        thread.thread = number;
        thread.tid = static_cast<uint32_t>(fields.Get(i, "tid"));
        thread.name = artifacts.Text(fields.Get(i, "name"));
        thread.begin = fields.Get(i, "tick");
    }
}

void ReadThreadEnd(Fields fields, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        const auto number = static_cast<uint32_t>(fields.Get(i, "thread"));
        Thread& thread = process->threads[number];
        thread.thread = number;
        thread.end = fields.Get(i, "tick");
        thread.recorded = fields.Get(i, "recorded");
        thread.lost = fields.Get(i, "lost");
    }
}

void ReadModule(Fields fields, const Artifacts& artifacts, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        process->modules.push_back({.begin = fields.Get(i, "begin"),
                                    .end = fields.Get(i, "end"),
                                    .load_bias = fields.Get(i, "load_bias"),
                                    .path = artifacts.Text(fields.Get(i, "path")),
                                    .build_id = artifacts.Text(fields.Get(i, "build_id"))});
    }
}

void ReadNote(Fields fields, const Artifacts& artifacts, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        process->notes.push_back({.tick = fields.Get(i, "tick"),
                                  .kind = artifacts.Text(fields.Get(i, "kind")),
                                  .text = artifacts.Text(fields.Get(i, "text"))});
    }
}

void ReadMpiRank(Fields fields, const Artifacts& artifacts, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        process->worlds.push_back(
            {.world = fields.Get(i, "world"),
             .parent_world = fields.Get(i, "parent_world"),
             .parent_job = artifacts.Text(fields.Get(i, "parent_job")),
             .rank = static_cast<int32_t>(fields.Get(i, "rank")),
             .size = static_cast<int32_t>(fields.Get(i, "size")),
             .thread_level = static_cast<int32_t>(fields.Get(i, "thread_level")),
             .tick = fields.Get(i, "tick"),
             .job = artifacts.Text(fields.Get(i, "job")),
             .library = artifacts.Text(fields.Get(i, "library"))});
    }
}

void ReadClockSync(Fields fields, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i) {
        process->clock_syncs.push_back({.sent = fields.Get(i, "begin"),
                                        .received = fields.Get(i, "end"),
                                        .peer_ticks = fields.Get(i, "peer_ticks"),
                                        .world = fields.Get(i, "world"),
                                        .peer = static_cast<int32_t>(fields.Get(i, "peer"))});
    }
}

void ReadUserRank(Fields fields, Process* process) {
    for (size_t i = 0; i < fields.rows(); ++i)
        process->own_rank = static_cast<int32_t>(fields.Get(i, "rank"));
}

}  // namespace

uint64_t Fields::Get(size_t row, std::string_view field, uint64_t fallback) {
    auto found = columns_.find(field);
    if (found == columns_.end()) {
        std::vector<uint64_t> values;
        const int column = decoder_->types()[type_].layout->FindColumn(field);
        if (column < 0 || !decoder_->Values(type_, static_cast<size_t>(column), &values)) {
            values.assign(rows(), fallback);
        }
        found = columns_.emplace(field, std::move(values)).first;
    }
    return found->second[row];
}

void ReadArtifacts(core::BlockDecoder* decoder, Artifacts* artifacts) {
    for (size_t t = 0; t < decoder->types().size(); ++t) {
        const core::RecordLayout* layout = decoder->types()[t].layout;
        if (layout == nullptr || layout->archetype != core::Archetype::kArtifact) continue;
        Fields fields(decoder, t);
        for (size_t i = 0; i < fields.rows(); ++i) {
            const auto* record = reinterpret_cast<const std::byte*>(decoder->RawRecord(t, i));
            if (record == nullptr) return;
            const size_t before = sizeof(core::RecordPrefix) + layout->struct_bytes;
            const size_t bytes = fields.Get(i, "bytes");
            if (bytes > core::ReadPrefix(record).bytes - before) continue;
            artifacts->Add(fields.Get(i, "id"), static_cast<uint8_t>(fields.Get(i, "kind")),
                           {reinterpret_cast<const char*>(record) + before, bytes});
        }
    }
}

void ReadEntities(core::BlockDecoder* decoder, const Artifacts& artifacts, Process* process) {
    using schema::RecordTraits;
    for (size_t t = 0; t < decoder->types().size(); ++t) {
        if (decoder->types()[t].layout == nullptr) continue;
        const Fields fields(decoder, t);
        switch (decoder->types()[t].type) {
            case RecordTraits<schema::Process>::kType:
                ReadProcess(fields, artifacts, process);
                break;
            case RecordTraits<schema::ProcessEnd>::kType:
                ReadProcessEnd(fields, process);
                break;
            case RecordTraits<schema::Thread>::kType:
                ReadThread(fields, artifacts, process);
                break;
            case RecordTraits<schema::ThreadEnd>::kType:
                ReadThreadEnd(fields, process);
                break;
            case RecordTraits<schema::Module>::kType:
                ReadModule(fields, artifacts, process);
                break;
            case RecordTraits<schema::Note>::kType:
                ReadNote(fields, artifacts, process);
                break;
            case RecordTraits<schema::MpiRank>::kType:
                ReadMpiRank(fields, artifacts, process);
                break;
            case RecordTraits<schema::MpiClockSync>::kType:
                ReadClockSync(fields, process);
                break;
            case RecordTraits<schema::UserRank>::kType:
                ReadUserRank(fields, process);
                break;
            case RecordTraits<schema::ImportSource>::kType:
                process->imported = true;
                break;
            default:
                break;
        }
    }
}

void ReadSources(core::BlockDecoder* decoder, const Artifacts& artifacts,
                 std::vector<SourceRow>* out) {
    for (size_t t = 0; t < decoder->types().size(); ++t) {
        if (decoder->types()[t].layout == nullptr ||
            decoder->types()[t].type != schema::RecordTraits<schema::Source>::kType) {
            continue;
        }
        Fields fields(decoder, t);
        for (size_t i = 0; i < fields.rows(); ++i) {
            SourceRow row;
            row.pid = static_cast<uint32_t>(fields.Get(i, "process_pid"));
            row.exec_number = static_cast<uint32_t>(fields.Get(i, "exec_number"));
            row.position = {.address = fields.Get(i, "address"),
                            .file = artifacts.Text(fields.Get(i, "file")),
                            .function = artifacts.Text(fields.Get(i, "function")),
                            .module = artifacts.Text(fields.Get(i, "module")),
                            .line = static_cast<uint32_t>(fields.Get(i, "line"))};
            out->push_back(std::move(row));
        }
    }
}

}  // namespace comshu::read
