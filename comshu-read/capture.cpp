#include "comshu/read/capture.h"

#include <algorithm>
#include <thread>

#include <fmt/core.h>

#include "comshu/core/block_format.h"
#include "comshu/core/count_text.h"
#include "comshu/core/record.h"
#include "comshu/read/zstd_frame.h"

namespace comshu::read {
namespace {

// Raw blocks up to this size are looked through.
constexpr size_t kSmallBlock = size_t{64} << 10;

bool HoldsType(const std::byte* records, size_t bytes, uint16_t type) {
    for (size_t at = 0; at < bytes;) {
        if (!core::IsWholeRecord(records + at, bytes - at)) return true;
        const core::RecordPrefix prefix = core::ReadPrefix(records + at);
        if (prefix.type == type) return true;
        at += prefix.bytes;
    }
    return false;
}

// Whether a block holds records of the type; true when that cannot be seen cheaply.
bool NamesType(const core::FrameHeader& header, const uint8_t* payload, uint16_t type) {
    if (header.encoding == core::FrameEncoding::kRaw && header.payload_bytes <= kSmallBlock) {
        return HoldsType(reinterpret_cast<const std::byte*>(payload), header.payload_bytes, type);
    }
    if (header.encoding != core::FrameEncoding::kColumns) return true;
    const uint8_t* at = payload;
    const uint8_t* const end = payload + header.payload_bytes;
    uint64_t count = 0;
    if ((at = core::ReadVarint(at, end, &count)) == nullptr) return true;
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t number = 0;
        uint64_t ignored = 0;
        for (uint64_t* value : {&number, &ignored, &ignored}) {
            if ((at = core::ReadVarint(at, end, value)) == nullptr) return true;
        }
        if (number == type) return true;
    }
    return false;
}

}  // namespace

const RecordTable* Capture::FindTable(std::string_view name) const {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const RecordTable& table) { return table.name == name; });
    return found == tables_.end() ? nullptr : &*found;
}

bool Capture::Passes(const Block& block, const BlockFilter& filter) const {
    const Process& process = *processes_[block.process];
    if (!filter.ranks.empty() &&
        std::find(filter.ranks.begin(), filter.ranks.end(), process.rank) == filter.ranks.end()) {
        return false;
    }
    const core::FrameHeader& header = block.header;
    if (header.first_tick == 0 && header.last_tick == 0) return true;
    if (filter.t0_ns && !block.open_spans && process.scale.ToNs(header.last_tick) < *filter.t0_ns)
        return false;
    return !filter.t1_ns || process.scale.ToNs(header.first_tick) <= *filter.t1_ns;
}

core::BlockDecoder Capture::DecoderFor(const Block& block) const {
    return core::BlockDecoder(processes_[block.process]->schema(), UnpackFrame);
}

bool Capture::OpenBlock(const Block& block, core::BlockDecoder* decoder) const {
    std::atomic<uint8_t>& check = checks_[static_cast<size_t>(&block - blocks_.data())];
    uint8_t state = check.load(std::memory_order_relaxed);
    if (state == kDamaged) return false;
    std::string error = "its bytes do not match their checksum";
    if (state == kSound || core::IsPayloadIntact(block.header, block.payload)) {
        if (decoder->Open(block.header, block.payload, &error)) {
            if (check.exchange(kSound) != kSound) CountUnknown(block, *decoder);
            return true;
        }
    }
    AddDamagedBlock(block, error);
    return false;
}

void Capture::CheckBlocks() const {
    ForEachBlock({}, 0, [](size_t, const Block&, core::BlockDecoder&) {});
}

void Capture::CountUnknown(const Block& block, const core::BlockDecoder& decoder) const {
    for (const auto& type : decoder.types()) {
        if (type.layout != nullptr) continue;
        const std::lock_guard lock(problems_mutex_);
        unknown_[{block.process, type.type}] += type.count;
    }
}

void Capture::AddDamagedBlock(const Block& block, const std::string& reason) const {
    std::atomic<uint8_t>& check = checks_[static_cast<size_t>(&block - blocks_.data())];
    if (check.exchange(kDamaged) == kDamaged) return;
    AddProblem(ProblemKind::kMissing,
               fmt::format("{}: the block of {} at frame {} is damaged and left out: {}",
                           processes_[block.process]->path,
                           core::Plural(block.header.record_count, "record"), block.header.number,
                           reason));
}

bool Capture::MayHold(const Block& block, const std::string& record) const {
    for (const auto& layout : processes_[block.process]->schema().records()) {
        if (layout->name == record) return NamesType(block.header, block.payload, layout->type);
    }
    return false;
}

void Capture::ForEachBlock(const BlockFilter& filter, size_t threads, const Visit& visit) const {
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    threads = std::min(threads, std::max<size_t>(1, blocks_.size()));
    std::atomic<size_t> next{0};
    const auto work = [&](size_t worker) {
        const Process* of = nullptr;
        std::optional<core::BlockDecoder> decoder;
        for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks_.size();) {
            const Block& block = blocks_[i];
            if (!Passes(block, filter)) continue;
            if (of != processes_[block.process].get()) {
                of = processes_[block.process].get();
                decoder.emplace(of->schema(), UnpackFrame);
            }
            if (OpenBlock(block, &*decoder)) visit(worker, block, *decoder);
        }
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& other : others) other.join();
}

LogicalCurves Capture::logical_curves() const {
    LogicalCurves made;
    for (const HostClock& clock : clocks_) made.curves.push_back(clock.curve);
    made.given_up = given_up_;
    return made;
}

const Process* Capture::ProcessOfSpan(uint64_t span) const {
    const uint64_t thread = span >> 40;
    const auto after = std::upper_bound(
        processes_.begin(), processes_.end(), thread,
        [](uint64_t number, const auto& process) { return number < process->first_thread_id; });
    return (after - 1)->get();
}

bool Capture::HasGap(const Process& process) const {
    if (process.state == ProcessState::kCut) return true;
    if (process.stream != nullptr &&
        (process.stream->missing_frames() > 0 || process.stream->skipped_bytes() > 0)) {
        return true;
    }
    for (size_t i = 0; i < blocks_.size(); ++i) {
        if (blocks_[i].process == process.id &&
            checks_[i].load(std::memory_order_relaxed) == kDamaged) {
            return true;
        }
    }
    return false;
}

bool Capture::IsRunning() const {
    return std::any_of(processes_.begin(), processes_.end(), [](const auto& process) {
        return process->state == ProcessState::kRunning;
    });
}

int64_t Capture::LastNs(const Process& process) const {
    int64_t last = process.scale.ToNs(std::max(process.last_tick, process.begin));
    if (process.state == ProcessState::kRunning) {
        last = std::max(last, core::ReadClockNs(CLOCK_REALTIME) - start_realtime_ns_);
    }
    return last;
}

int64_t Capture::StoodUntilNs(const Process& process) const {
    const int64_t last = LastNs(process);
    if (process.state != ProcessState::kKilled) return last;
    if (process.failed_ns) return std::max(last, *process.failed_ns);
    if (process.run_ended_ns != 0) return std::max(last, process.run_ended_ns - start_realtime_ns_);
    if (process.live == nullptr || process.live->last_alive() == 0) return last;
    return std::max(last, process.scale.ToNs(process.live->last_alive()));
}

std::vector<Problem> Capture::problems() const {
    const std::lock_guard lock(problems_mutex_);
    std::vector<Problem> all = problems_;
    for (const auto& [place, count] : unknown_) {
        all.push_back(
            {ProblemKind::kDamage,
             fmt::format("{}: {} of type {}, which the stream does not describe, left out",
                         processes_[place.first]->path, core::Plural(count, "record"),
                         place.second)});
    }
    return all;
}

void Capture::AddProblem(ProblemKind kind, const std::string& text) const {
    const std::lock_guard lock(problems_mutex_);
    problems_.push_back({kind, text});
}

const char* KindName(ProblemKind kind) {
    switch (kind) {
        case ProblemKind::kMissing:
            return "missing";
        case ProblemKind::kDamage:
            return "damage";
        case ProblemKind::kClock:
            return "clock";
        case ProblemKind::kInput:
            return "input";
    }
    return "";
}

}  // namespace comshu::read
