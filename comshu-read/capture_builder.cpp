// Opening a capture: finding its files, reading definitions, setting clocks and numbers.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "comshu/core/record.h"
#include "comshu/core/count_text.h"
#include "comshu/read/capture.h"
#include "comshu/read/number_text.h"
#include "comshu/read/zstd_frame.h"
#include "clock_order.h"
#include "clock_setting.h"
#include "definitions.h"
#include "failures.h"
#include "process_state.h"
#include "rank_numbers.h"
#include "world_links.h"

namespace comshu::read {
struct CaptureFiles {
    std::set<std::string> stems;  // Of streams and .live files.
    std::vector<std::string> sources;
    std::vector<std::string> failures;
};

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStreamSuffix = ".cst";
constexpr std::string_view kSourcesSuffix = ".sources.cst";
constexpr std::string_view kLiveSuffix = ".live";

std::string WithoutSuffix(const std::string& path, std::string_view suffix) {
    return path.ends_with(suffix) ? path.substr(0, path.size() - suffix.size()) : path;
}

void AddFile(const fs::path& path, CaptureFiles* files) {
    const std::string name = path.string();
    if (name.ends_with(kSourcesSuffix))
        files->sources.push_back(name);
    else if (name.ends_with(kFailuresSuffix))
        files->failures.push_back(name);
    else if (name.ends_with(kStreamSuffix))
        files->stems.insert(WithoutSuffix(name, kStreamSuffix));
    else if (name.ends_with(kLiveSuffix))
        files->stems.insert(WithoutSuffix(name, kLiveSuffix));
}

// Streams lie in the folder itself or one below it.
void FindFiles(const fs::path& folder, int depth, CaptureFiles* files) {
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        entries.push_back(it->path());
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
        if (!fs::is_directory(entry, error))
            AddFile(entry, files);
        else if (depth > 0 && entry.filename() != "cache")
            FindFiles(entry, depth - 1, files);
    }
}

uint64_t StructField(const Process& process, const std::vector<uint8_t>& record,
                     std::string_view field) {
    const auto* at = reinterpret_cast<const std::byte*>(record.data());
    const core::RecordLayout* layout = process.schema().Find(core::ReadPrefix(at).type);
    if (layout == nullptr || record.size() < core::RecordBytes(layout->struct_bytes)) return 0;
    const int column = layout->FindColumn(field);
    if (column < 0) return 0;
    return layout->columns[static_cast<size_t>(column)].Load(at + sizeof(core::RecordPrefix));
}

bool HasSpan(core::BlockDecoder* decoder, uint64_t span) {
    std::vector<uint64_t> spans;
    for (size_t t = 0; t < decoder->types().size(); ++t) {
        const core::RecordLayout* layout = decoder->types()[t].layout;
        if (layout == nullptr || layout->head != core::Head::kSpan) continue;
        const int column = layout->FindColumn("span");
        if (column >= 0 && decoder->Values(t, static_cast<size_t>(column), &spans) &&
            std::find(spans.begin(), spans.end(), span) != spans.end()) {
            return true;
        }
    }
    return false;
}

// Whether a span that was copied from the stack has gone to the ring since, or to the stream.
bool IsRecorded(const Process& process, const LiveThread& thread,
                const std::vector<uint8_t>& record) {
    const uint64_t span = StructField(process, record, "span");
    core::BlockDecoder decoder(process.schema(), UnpackFrame);
    std::string error;
    for (const LiveChunk& chunk : process.live->chunks()) {
        if (chunk.thread != thread.thread || chunk.number < thread.chunk) continue;
        core::FrameHeader header;
        header.payload_bytes = chunk.bytes.size();
        for (size_t at = 0; at < chunk.bytes.size(); ++header.record_count) {
            at +=
                core::ReadPrefix(reinterpret_cast<const std::byte*>(chunk.bytes.data()) + at).bytes;
        }
        if (decoder.Open(header, chunk.bytes.data(), &error) && HasSpan(&decoder, span))
            return true;
    }
    if (process.stream == nullptr) return false;
    const auto& frames = process.stream->frames();
    return std::any_of(frames.rbegin(), frames.rend(), [&](const Frame& frame) {
        return frame.header.thread == thread.thread && frame.header.last_chunk >= thread.chunk &&
               core::IsPayloadIntact(frame.header, frame.payload) &&
               decoder.Open(frame.header, frame.payload, &error) && HasSpan(&decoder, span);
    });
}

// What the launcher wrote of the run; false: it is damaged.
bool ReadRun(const fs::path& description_path, Process* process) {
    std::ifstream file(description_path);
    if (!file) return true;
    const nlohmann::json description = nlohmann::json::parse(file, nullptr, false);
    if (!description.is_object()) return false;
    const auto finished = description.find("finished");
    if (finished != description.end() && finished->is_number())
        process->run_ended_ns = static_cast<int64_t>(finished->get<double>() * 1e9);
    const auto environment = description.find("environment");
    if (environment == description.end() || !environment->is_object()) return true;
    const auto ranks = environment->find("COMSHU_RANKS");
    if (ranks != environment->end() && ranks->is_string())
        process->chosen_ranks = ranks->get<std::string>();
    return true;
}

bool HasThreadEnded(const core::FrameHeader& header) {
    return (header.flags & core::kThreadEnded) != 0;
}

// Start time in the record of the process; 0: there is none.
uint64_t RecordedStartTime(const StreamReader& stream) {
    core::BlockDecoder decoder(stream.schema(), UnpackFrame);
    Process process;
    std::string error;
    for (const Frame& frame : stream.frames()) {
        if (frame.header.thread == core::kDefinitionsThread &&
            core::IsPayloadIntact(frame.header, frame.payload) &&
            decoder.Open(frame.header, frame.payload, &error)) {
            ReadEntities(&decoder, {}, &process);
        }
        if (process.described) break;
    }
    return process.start_time;
}

// Definitions may lie before the records: what they say of the end is of what is missing too.
void ForgetEnd(Process* process) {
    process->ended = false;
    process->end = 0;
    for (auto& [number, thread] : process->threads) thread.end = 0;
}

}  // namespace

class CaptureBuilder {
public:
    CaptureBuilder(ClockChoice clock, const Capture::CurveMaker& curves)
        : capture_(new Capture()), curves_(curves) {
        capture_->clock_choice_ = clock;
    }

    bool FindStreams(const std::vector<std::string>& paths, std::string* error);
    std::unique_ptr<Capture> Build();

private:
    void AddDamage(const std::string& path, const std::string& what) {
        capture_->AddProblem(ProblemKind::kDamage, path + ": " + what);
    }
    void OpenProcess(const std::string& stem);
    void AddStreamBlocks(const Process& process, uint32_t index);
    void AddLiveBlocks(const Process& process, uint32_t index);
    void AddLiveBlock(const Process& process, uint32_t index, uint32_t thread, uint64_t chunk,
                      std::vector<uint8_t> bytes, bool open_spans);
    void SortBlocks();
    void ReadDefinitions();
    void ReadSourceFiles();
    void CountThreads(Process* process, uint32_t index);
    void SetClocks();
    void SetLogicalClock();
    void SetSpanIds();
    void DescribeTables();
    void TellProblems(const Process& process);
    void TellStreamProblems(const Process& process);

    std::unique_ptr<Capture> capture_;
    const Capture::CurveMaker& curves_;
    CaptureFiles files_;
    std::set<std::string> damaged_;  // Descriptions of runs.
};

bool CaptureBuilder::FindStreams(const std::vector<std::string>& paths, std::string* error) {
    std::set<fs::path> seen;
    for (const std::string& path : paths) {
        std::error_code code;
        const fs::path canonical = fs::canonical(path, code);
        if (!code && !seen.insert(canonical).second) {
            capture_->AddProblem(ProblemKind::kInput, path + ": given twice, read once");
            continue;
        }
        const size_t before = files_.stems.size();
        if (fs::is_directory(path, code))
            FindFiles(path, 1, &files_);
        else if (fs::exists(path, code))
            AddFile(path, &files_);
        else {
            *error = fmt::format("{}: no such file or folder", path);
            return false;
        }
        if (files_.stems.size() == before) {
            const bool described = fs::exists(fs::path(path) / "capture.json", code);
            *error =
                path + (described ? ": nothing was recorded in it: no traced call was made, or the "
                                    "objects did not reach the program (docs/run.md says when)."
                                  : ": not a capture: there is no stream (*.cst) in it. Give the "
                                    "folder that `comshu run` named, or record one with `comshu "
                                    "run -- PROGRAM`.");
            return false;
        }
        capture_->paths_.push_back(path);
    }
    return true;
}

std::unique_ptr<Capture> CaptureBuilder::Build() {
    for (const std::string& stem : files_.stems) OpenProcess(stem);
    SortBlocks();
    capture_->checks_ = std::make_unique<std::atomic<uint8_t>[]>(capture_->blocks_.size());
    ReadDefinitions();
    SetClocks();
    for (const std::string& path : files_.failures)
        ReadFailures(path, capture_->start_realtime_ns_, capture_->processes_);
    NumberRanks(&capture_->processes_);
    SetSpanIds();
    capture_->comm_numbers_ = UniteComms(*capture_);
    if (capture_->clock_choice_ == ClockChoice::kLogical) SetLogicalClock();
    ReadSourceFiles();
    DescribeTables();
    for (const auto& process : capture_->processes_) TellProblems(*process);
    for (const Problem& problem : MissingRanks(capture_->processes_))
        capture_->AddProblem(problem.kind, problem.text);
    return std::move(capture_);
}

void CaptureBuilder::OpenProcess(const std::string& stem) {
    auto process = std::make_unique<Process>();
    process->id = static_cast<uint32_t>(capture_->processes_.size());
    process->pass = fs::path(stem).parent_path().filename().string();
    const fs::path description = fs::absolute(stem).parent_path().parent_path() / "capture.json";
    if (!ReadRun(description, process.get()) && damaged_.insert(description.string()).second) {
        capture_->AddProblem(ProblemKind::kDamage, DamagedDescription(description.string()));
    }
    const std::string stream_path = stem + std::string(kStreamSuffix);
    const std::string beside = stem + std::string(kLiveSuffix);
    std::string error;
    std::error_code code;
    // A look into the stream for where the .live file is; the .live file is read; then the stream
    // again, since what left the one meanwhile, or all of it with the file, is in the other.
    const bool has_stream = fs::exists(stream_path, code);
    process->path = has_stream ? stream_path : beside;
    if (has_stream) process->stream = StreamReader::Open(stream_path, &error);
    if (has_stream && process->stream == nullptr) {
        AddDamage(stream_path, error);
    }
    process->live_path = beside;
    if (!fs::exists(beside, code) && process->stream != nullptr)
        process->live_path = process->stream->live_path();
    if (!process->live_path.empty() && fs::exists(process->live_path, code)) {
        process->live = LiveReader::Open(process->live_path, &error);
        if (process->live == nullptr && fs::exists(process->live_path, code))
            AddDamage(process->live_path, error);
    }
    if (process->stream != nullptr &&
        (process->live != nullptr || fs::file_size(stream_path, code) != process->stream->bytes()))
        process->stream = StreamReader::Open(stream_path, &error);
    // The path may have passed to another process since.
    if (process->live != nullptr && process->stream != nullptr && process->live_path != beside) {
        const uint64_t start = RecordedStartTime(*process->stream);
        if (start != 0 && start != process->live->start_time()) process->live = nullptr;
    }
    if (process->live == nullptr) process->live_path.clear();
    if (process->stream == nullptr && process->live == nullptr) return;
    if (process->live == nullptr && process->stream->frames().empty()) {
        // Nothing is known of whose it is: no process, and no rank of its own.
        ++capture_->unreadable_streams_;
        TellStreamProblems(*process);
        return;
    }
    const uint32_t index = process->id;
    AddStreamBlocks(*process, index);
    AddLiveBlocks(*process, index);
    capture_->processes_.push_back(std::move(process));
}

void CaptureBuilder::AddStreamBlocks(const Process& process, uint32_t index) {
    if (process.stream == nullptr) return;
    for (const Frame& frame : process.stream->frames()) {
        capture_->blocks_.push_back(
            {index, frame.header, frame.payload, HasThreadEnded(frame.header)});
    }
}

void CaptureBuilder::AddLiveBlocks(const Process& process, uint32_t index) {
    if (process.live == nullptr) return;
    // How far the stream holds each thread.
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> covered;
    std::set<uint32_t> ended;
    if (process.stream != nullptr) {
        for (const Frame& frame : process.stream->frames()) {
            auto& end = covered[frame.header.thread];
            end = std::max(end, {frame.header.last_chunk, frame.header.last_offset});
            if (HasThreadEnded(frame.header)) ended.insert(frame.header.thread);
        }
    }
    for (const LiveChunk& chunk : process.live->chunks()) {
        if (ended.count(chunk.thread) != 0) continue;
        const auto [last_chunk, last_offset] = covered[chunk.thread];
        if (chunk.number < last_chunk) continue;
        size_t skip = chunk.number == last_chunk ? last_offset : 0;
        skip = std::min(skip, chunk.bytes.size());
        std::vector<uint8_t> rest(chunk.bytes.begin() + static_cast<ptrdiff_t>(skip),
                                  chunk.bytes.end());
        AddLiveBlock(process, index, chunk.thread, chunk.number, std::move(rest), false);
    }
    const uint64_t defined = covered[core::kDefinitionsThread].second;
    const uint64_t begin = process.live->definitions_begin();
    std::vector<uint8_t> rest = process.live->definitions();
    if (defined > begin) {
        const size_t skip = std::min<uint64_t>(defined - begin, rest.size());
        rest.erase(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(skip));
    }
    AddLiveBlock(process, index, core::kDefinitionsThread, 0, std::move(rest), false);
    if (process.live->ended()) return;  // The stream holds what was open.
    for (const LiveThread& thread : process.live->threads()) {
        if (ended.count(thread.thread) != 0) continue;
        std::vector<uint8_t> spans;
        for (const auto& span : thread.open_spans) {
            if (IsRecorded(process, thread, span)) continue;
            spans.insert(spans.end(), span.begin(), span.end());
        }
        AddLiveBlock(process, index, thread.thread, ~uint64_t{0}, std::move(spans), true);
    }
}

void CaptureBuilder::AddLiveBlock(const Process& process, uint32_t index, uint32_t thread,
                                  uint64_t chunk, std::vector<uint8_t> bytes, bool open_spans) {
    core::FrameHeader header;
    header.thread = thread;
    header.first_chunk = header.last_chunk = chunk;
    if (open_spans) header.flags = core::kThreadEnded;
    const auto* records = reinterpret_cast<const std::byte*>(bytes.data());
    size_t at = 0;
    while (core::IsWholeRecord(records + at, bytes.size() - at)) {
        const core::RecordPrefix prefix = core::ReadPrefix(records + at);
        const core::RecordLayout* layout = process.schema().Find(prefix.type);
        const std::byte* record_struct = records + at + sizeof prefix;
        if (layout != nullptr && layout->head != core::Head::kNone &&
            prefix.bytes >= core::RecordBytes(layout->struct_bytes)) {
            const uint64_t begin = layout->columns[0].Load(record_struct);
            uint64_t end = begin;
            if (layout->head == core::Head::kSpan)
                end = std::max(begin, layout->columns[1].Load(record_struct));
            if (header.first_tick == 0 || begin < header.first_tick) header.first_tick = begin;
            header.last_tick = std::max(header.last_tick, end);
        }
        ++header.record_count;
        at += prefix.bytes;
    }
    if (header.record_count == 0) return;
    bytes.resize(at);
    capture_->live_payloads_.push_back(std::move(bytes));
    const uint8_t* payload = capture_->live_payloads_.back().data();
    core::SealFrame(&header, payload, at);
    capture_->blocks_.push_back({index, header, payload, open_spans});
}

void CaptureBuilder::SortBlocks() {
    std::stable_sort(capture_->blocks_.begin(), capture_->blocks_.end(),
                     [](const Block& a, const Block& b) {
                         if (a.process != b.process) return a.process < b.process;
                         if (a.open_spans != b.open_spans) return b.open_spans;
                         if (a.header.thread != b.header.thread)
                             return a.header.thread < b.header.thread;
                         return std::pair(a.header.first_chunk, a.header.first_offset) <
                                std::pair(b.header.first_chunk, b.header.first_offset);
                     });
}

void CaptureBuilder::ReadDefinitions() {
    const auto for_definitions = [&](auto read) {
        for (const Block& block : capture_->blocks_) {
            core::BlockDecoder decoder = capture_->DecoderFor(block);
            if (block.definitions() && capture_->OpenBlock(block, &decoder))
                read(&decoder, capture_->processes_[block.process].get());
        }
    };
    for_definitions([&](core::BlockDecoder* decoder, Process*) {
        ReadArtifacts(decoder, &capture_->artifacts_);
    });
    for_definitions([&](core::BlockDecoder* decoder, Process* process) {
        ReadEntities(decoder, capture_->artifacts_, process);
    });
    for (size_t i = 0; i < capture_->processes_.size(); ++i) {
        Process& process = *capture_->processes_[i];
        if (!process.described && process.live != nullptr) {
            process.pid = process.live->pid();
            process.start_time = process.live->start_time();
        }
        if (process.ticks_per_second == 0 && process.live != nullptr)
            process.ticks_per_second = process.live->ticks_per_second();
        process.state = StateOf(process);
        if (process.state == ProcessState::kCut) ForgetEnd(&process);
        CountThreads(&process, static_cast<uint32_t>(i));
    }
}

void CaptureBuilder::CountThreads(Process* process, uint32_t index) {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> counts;
    process->last_tick = std::max(process->begin, process->end);
    for (const Block& block : capture_->blocks_) {
        if (block.process != index) continue;
        const bool is_cut = process->state == ProcessState::kCut;
        if (is_cut && block.definitions()) continue;
        process->last_tick = std::max(process->last_tick, block.header.last_tick);
        if (block.definitions()) continue;
        if (block.header.first_tick != 0 &&
            (process->begin == 0 ||
             (!process->described && block.header.first_tick < process->begin)))
            process->begin = block.header.first_tick;
        auto& [recorded, lost] = counts[block.header.thread];
        if (!block.open_spans) recorded += block.header.record_count;
        lost += block.header.lost;
    }
    for (const auto& [number, count] : counts) {
        Thread& thread = process->threads[number];
        thread.thread = number;
        if (thread.end != 0) continue;
        thread.recorded = count.first;
        thread.lost = count.second;
    }
    if (process->live == nullptr) return;
    for (const LiveThread& live : process->live->threads()) {
        const auto found = process->threads.find(live.thread);
        if (live.state == core::SlotState::kFree || found == process->threads.end() ||
            found->second.end != 0) {
            continue;
        }
        found->second.tid = live.tid;
        found->second.recorded = std::max(found->second.recorded, live.recorded);
        found->second.lost = std::max(found->second.lost, live.lost);
    }
}

void CaptureBuilder::SetClocks() {
    ClockSetting setting = read::SetClocks(capture_->processes_, capture_->clock_choice_);
    capture_->clocks_ = std::move(setting.clocks);
    capture_->start_realtime_ns_ = setting.start_realtime_ns;
    capture_->clock_error_ns_ = setting.error_ns;
    for (const std::string& problem : setting.problems)
        capture_->AddProblem(ProblemKind::kClock, problem);
}

void CaptureBuilder::SetLogicalClock() {
    LogicalCurves made = curves_ ? curves_(*capture_) : CurvesOf(*capture_);
    if (made.curves.empty()) return;
    auto& clocks = capture_->clocks_;
    for (size_t i = 0; i < made.curves.size(); ++i) clocks[i].curve = std::move(made.curves[i]);
    for (const auto& process : capture_->processes_) {
        const ClockCurve& curve = clocks[process->clock_id].curve;
        if (!curve.knots().empty()) process->scale.curve = &curve;
    }
    capture_->given_up_ = made.given_up;
    if (made.given_up == 0) return;
    capture_->AddProblem(
        ProblemKind::kClock,
        core::Plural(
            made.given_up,
            "message or collective contradicts others: the logical clock leaves it out",
            "messages and collectives contradict others: the logical clock leaves them out"));
}

void CaptureBuilder::SetSpanIds() {
    uint64_t next = 0;
    for (const auto& process : capture_->processes_) {
        process->first_thread_id = next;
        uint32_t threads = 0;
        for (const auto& [number, thread] : process->threads)
            threads = std::max(threads, number + 1);
        next += threads;
    }
}

void CaptureBuilder::ReadSourceFiles() {
    for (const std::string& path : files_.sources) {
        std::string error;
        const auto stream = StreamReader::Open(path, &error);
        if (stream == nullptr) {
            AddDamage(path, error);
            continue;
        }
        for (const Problem& problem : stream->problems()) AddDamage(path, problem.text);
        core::BlockDecoder decoder(stream->schema(), UnpackFrame);
        std::vector<SourceRow> rows;
        for (const bool artifacts : {true, false}) {
            for (const Frame& frame : stream->frames()) {
                if (!core::IsPayloadIntact(frame.header, frame.payload) ||
                    !decoder.Open(frame.header, frame.payload, &error)) {
                    if (artifacts) AddDamage(path, "a block is damaged");
                    continue;
                }
                if (artifacts)
                    ReadArtifacts(&decoder, &capture_->artifacts_);
                else
                    ReadSources(&decoder, capture_->artifacts_, &rows);
            }
        }
        // It is written at once, unlike the stream of a process: a cut end is damage.
        const bool has_content =
            std::any_of(stream->frames().begin(), stream->frames().end(),
                        [](const Frame& frame) { return frame.header.record_count > 0; });
        if (stream->tail_bytes() > 0 || (rows.empty() && has_content))
            AddDamage(path, "its end is missing: source lines of calls are not known");
        // <pass>/<host>.sources.cst is of the streams <pass>/<host>.<pid>.<n>.cst.
        const std::string beside = WithoutSuffix(path, kSourcesSuffix) + ".";
        for (SourceRow& row : rows) {
            for (const auto& process : capture_->processes_) {
                if (process->pid != row.pid || process->exec_number != row.exec_number ||
                    !process->path.starts_with(beside)) {
                    continue;
                }
                row.position.process = process->id;
                capture_->sources_.push_back(row.position);
            }
        }
    }
}

void CaptureBuilder::DescribeTables() {
    std::vector<const core::Schema*> schemas = {&core::Schema::BuiltIn()};
    for (const auto& process : capture_->processes_) schemas.push_back(&process->schema());
    capture_->tables_ = MergeSchemas(schemas);
}

void CaptureBuilder::TellProblems(const Process& process) {
    if (process.stream == nullptr) {
        AddDamage(process.path, "there is no stream beside it; read alone");
        return;
    }
    TellStreamProblems(process);
    if (!process.described && !process.stream->frames().empty()) {
        AddDamage(process.path,
                  "the record of its process is missing: host, pid and command are not known");
    }
}

void CaptureBuilder::TellStreamProblems(const Process& process) {
    for (const Problem& problem : process.stream->problems())
        capture_->AddProblem(problem.kind, process.path + ": " + problem.text);
    if (process.stream->tail_bytes() == 0 || process.state == ProcessState::kRunning) return;
    std::string text = fmt::format("{} at its end that is no whole frame: left out",
                                   core::Plural(process.stream->tail_bytes(), "byte"));
    if (process.state == ProcessState::kCut && process.rank != kNoRank) {
        text += fmt::format(
            "; the stream of rank {0} ends early, cut off after {1}: what rank {0} "
            "did after that is missing",
            process.rank, DurationText(capture_->LastNs(process)));
    }
    AddDamage(process.path, text);
}

std::unique_ptr<Capture> Capture::Open(const std::vector<std::string>& paths, std::string* error,
                                       ClockChoice clock, const CurveMaker& curves) {
    CaptureBuilder builder(clock, curves);
    if (!builder.FindStreams(paths, error)) return nullptr;
    return builder.Build();
}

}  // namespace comshu::read
