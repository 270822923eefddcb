#include "event_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>

namespace comshu::analysis {
namespace {

// What a tie is besides its slot: two bits tell the kind among those of enters or of exits.
constexpr uint64_t kFirstBit = 4;
constexpr uint64_t kRootBit = 8;
constexpr int kTieBits = 4;

uint64_t CodeOf(TieKind kind) {
    switch (kind) {
        case TieKind::kSends:
        case TieKind::kNeedsSender:
            return 0;
        case TieKind::kPosts:
        case TieKind::kNeedsReceiver:
            return 1;
        case TieKind::kEnters:
        case TieKind::kNeedsAll:
            return 2;
        case TieKind::kNeedsRoot:
        case TieKind::kNeedsLower:
            break;
    }
    return 3;
}

TieKind KindOf(uint64_t code, bool is_exit) {
    constexpr TieKind kOfEnter[] = {TieKind::kSends, TieKind::kPosts, TieKind::kEnters,
                                    TieKind::kEnters};
    constexpr TieKind kOfExit[] = {TieKind::kNeedsSender, TieKind::kNeedsReceiver,
                                   TieKind::kNeedsAll, TieKind::kNeedsRoot};
    return is_exit ? kOfExit[code & 3] : kOfEnter[code & 3];
}

}  // namespace

EventLog::EventLog(const OrderedRows& rows, const Window& window, size_t block_bytes)
    : lanes_(rows.lanes()),
      window_(window),
      block_bytes_(block_bytes),
      folder_(rows.folder()),
      ends_(lanes_.size()) {}

void EventLog::Put(uint64_t number) {
    for (; number >= 0x80; number >>= 7) buffer_.push_back(static_cast<uint8_t>(number | 0x80));
    buffer_.push_back(static_cast<uint8_t>(number));
}

// The sign is the lowest bit.
void EventLog::PutSigned(int64_t number) {
    Put((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
}

uint64_t EventLog::Get() {
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        const uint8_t byte = buffer_[at_++];
        number |= uint64_t{byte & 0x7fu} << shift;
        if ((byte & 0x80) == 0) return number;
    }
}

int64_t EventLog::GetSigned() {
    const uint64_t number = Get();
    return static_cast<int64_t>((number >> 1) ^ (~(number & 1) + 1));
}

void EventLog::PutHead(LoggedEvent::Type type, bool is_inside, bool has_cause, const CallRow& call,
                       int64_t time_ns) {
    if (buffer_.size() >= block_bytes_) EndBlock();
    buffer_.push_back(static_cast<uint8_t>(static_cast<unsigned>(type) | (is_inside ? 4u : 0u) |
                                           (has_cause ? 8u : 0u)));
    Put(call.lane);
    PutSigned(time_ns - last_ns_);
    last_ns_ = time_ns;
}

void EventLog::PutTies(const Ties& ties) {
    Put(ties.size());
    for (const Tie& tie : ties) {
        // Of a scan a rank is taken to need all lower ones.
        const uint64_t code =
            tie.kind == TieKind::kNeedsLower ? CodeOf(TieKind::kNeedsAll) : CodeOf(tie.kind);
        Put(uint64_t{tie.slot} << kTieBits | code | (tie.is_first ? kFirstBit : 0) |
            (tie.is_root ? kRootBit : 0));
    }
}

void EventLog::Enter(const CallRow& call, const Ties& ties) {
    LaneEnd& end = ends_[call.lane];
    if (call.begin_ns >= window_.t1_ns && end.next_kind == kNone) end.next_kind = call.kind;
    if (!window_.Has(call)) return;
    for (const int64_t time_ns : {call.begin_ns, call.end_ns}) {
        if (time_ns > window_.t1_ns || (end.has_calls && time_ns <= end.last_event_ns)) continue;
        end.has_calls = true;
        end.last_event_ns = time_ns;
    }
    end.last_end_ns = call.end_ns;
    PutHead(LoggedEvent::Type::kEnter, true, false, call, call.begin_ns);
    PutTies(ties);
}

void EventLog::Join(const CallRow& call, const Ties& ties) {
    if (!window_.Has(call)) return;
    PutHead(LoggedEvent::Type::kJoin, true, false, call, last_ns_);
    PutTies(ties);
}

void EventLog::Exit(const CallRow& call, const Ties& ties, const Release& release) {
    if (!window_.Has(call)) return;
    const bool has_cause = release.cause_lane != kNone;
    PutHead(LoggedEvent::Type::kExit, window_.HasEnd(call), has_cause, call, call.end_ns);
    PutSigned(call.end_ns - call.begin_ns);
    Put(call.kind);
    if (has_cause) {
        PutSigned(release.ns - call.begin_ns);
        Put(release.cause_lane);
    }
    PutTies(ties);
}

void EventLog::Fail(const char* what) {
    if (error_.empty())
        error_ = fmt::format("{}/events: cannot be {}: {}", folder_, what, std::strerror(errno));
}

// What comes after a failure is dropped.
void EventLog::EndBlock() {
    if (file_ == nullptr && error_.empty()) {
        const std::string path = folder_ + "/events";
        file_.reset(std::fopen(path.c_str(), "w+b"));
        std::error_code ignored;
        if (file_ != nullptr) std::filesystem::remove(path, ignored);
    }
    const uint64_t offset = blocks_.empty() ? 0 : blocks_.back().offset + blocks_.back().bytes;
    if (error_.empty() && (file_ == nullptr || std::fwrite(buffer_.data(), 1, buffer_.size(),
                                                           file_.get()) != buffer_.size())) {
        Fail("written");
    }
    blocks_.push_back({offset, buffer_.size()});
    buffer_.clear();
    last_ns_ = 0;
}

bool EventLog::ReadLastBlock() {
    if (!is_written_) {
        is_written_ = true;
        if (file_ != nullptr && std::fflush(file_.get()) != 0) Fail("written");
        if (!error_.empty()) return false;
        Decode();
        return true;
    }
    if (blocks_.empty() || !error_.empty()) return false;
    const Block block = blocks_.back();
    blocks_.pop_back();
    buffer_.resize(block.bytes);
    if (std::fseek(file_.get(), static_cast<long>(block.offset), SEEK_SET) != 0 ||
        std::fread(buffer_.data(), 1, block.bytes, file_.get()) != block.bytes) {
        Fail("read");
        return false;
    }
    Decode();
    return true;
}

void EventLog::Decode() {
    size_t count = 0;
    int64_t last_ns = 0;
    for (at_ = 0; at_ < buffer_.size(); ++count) {
        if (count == read_.size()) read_.emplace_back();
        LoggedEvent& event = read_[count];
        const unsigned head = buffer_[at_++];
        event.type = static_cast<LoggedEvent::Type>(head & 3);
        event.is_inside = (head & 4) != 0;
        event.lane = static_cast<uint32_t>(Get());
        event.time_ns = last_ns += GetSigned();
        const bool is_exit = event.type == LoggedEvent::Type::kExit;
        if (is_exit) {
            event.begin_ns = event.time_ns - GetSigned();
            event.kind = static_cast<uint32_t>(Get());
            event.release = {event.begin_ns, kNone};
            if ((head & 8) != 0) {
                event.release.ns += GetSigned();
                event.release.cause_lane = static_cast<uint32_t>(Get());
            }
        }
        event.ties.clear();
        for (uint64_t ties = Get(); ties > 0; --ties) {
            const uint64_t code = Get();
            event.ties.push_back({KindOf(code, is_exit), (code & kFirstBit) != 0,
                                  (code & kRootBit) != 0, false,
                                  static_cast<uint32_t>(code >> kTieBits), 0});
        }
    }
    read_.resize(count);
}

}  // namespace comshu::analysis
