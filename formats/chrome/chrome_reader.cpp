#include "chrome/chrome_reader.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "comshu/core/count_text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace comshu::format::chrome {
namespace {

using schema::ImportCategory;

// The communicator of arrows: their tags are their own.
constexpr uint64_t kArrowComm = 0xa44'0000'0001;
constexpr double kMostNs = 4e18;

ImportCategory CategoryOf(const std::string& text) {
    for (int i = 0; i <= static_cast<int>(ImportCategory::MAX); ++i) {
        const auto category = static_cast<ImportCategory>(i);
        if (text == schema::EnumNameImportCategory(category)) return category;
    }
    return ImportCategory::user;
}

}  // namespace

bool ParseMicroseconds(const std::string& text, int64_t* ns) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool negative = at != end && *at == '-';
    if (negative) ++at;
    uint64_t whole = 0;
    const auto [rest, code] = std::from_chars(at, end, whole);
    if (code == std::errc() && rest != at && whole < 4'000'000'000'000'000) {
        uint64_t part = 0;
        const char* digit = rest;
        if (digit != end && *digit == '.') {
            ++digit;
            int digits = 0;
            for (; digit != end && *digit >= '0' && *digit <= '9'; ++digit, ++digits) {
                if (digits < 3) part = part * 10 + static_cast<uint64_t>(*digit - '0');
                if (digits == 3 && *digit >= '5') ++part;
            }
            for (; digits < 3; ++digits) part *= 10;
        }
        if (digit == end) {
            const auto value = static_cast<int64_t>(whole * 1000 + part);
            *ns = negative ? -value : value;
            return true;
        }
    }
    double value = 0;
    const auto [last, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc() || last != end || !(std::abs(value * 1000) < kMostNs)) return false;
    *ns = std::llround(value * 1000);
    return true;
}

uint64_t ChromeReader::NameId(const std::string& name) {
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    const uint64_t id = sink_.KeepText(name);
    if (id != 0) names_.emplace(name, id);
    return id;
}

ChromeReader::ProcessState* ChromeReader::GetProcess(const std::string& pid) {
    const auto [found, is_new] = processes_.try_emplace(pid);
    if (is_new) {
        found->second.rank = static_cast<int32_t>(processes_.size()) - 1;
        sink_.writer().NameRank(found->second.rank, pid.empty() ? "process" : "process " + pid);
    }
    return &found->second;
}

ChromeReader::ThreadState* ChromeReader::GetThread(const JsonEvent& event) {
    ProcessState* process = GetProcess(event.pid);
    // What is of the process (counters) is with its first thread.
    const bool of_process = event.tid.empty() && !process->threads.empty();
    const auto number =
        of_process ? 0
                   : process->threads
                         .try_emplace(event.tid, static_cast<uint32_t>(process->threads.size()))
                         .first->second;
    std::unique_ptr<ThreadState>& thread = threads_[{process->rank, number}];
    if (thread == nullptr) {
        thread = std::make_unique<ThreadState>();
        thread->rank = process->rank;
        thread->lane = sink_.writer().GetLane(process->rank, number);
        if (!event.tid.empty()) sink_.writer().NameThread(thread->lane, "thread " + event.tid);
    }
    return thread.get();
}

bool ChromeReader::TimeOf(const JsonEvent& event, const std::string& text, const JsonPlace& place,
                          int64_t* ns) {
    if (!text.empty() && ParseMicroseconds(text, ns)) return true;
    sink_.Illegal(place.line, place.column,
                  text.empty() ? fmt::format("an event of phase {} without a time", event.phase)
                               : fmt::format("{} is not a time", text.substr(0, 40)));
    return false;
}

void ChromeReader::Describe(const JsonEvent& event) {
    const std::string* name = nullptr;
    for (const JsonEvent::Argument& argument : event.arguments) {
        if (argument.name == "name") name = &argument.value;
    }
    if (name == nullptr) return;
    if (event.name == "process_name")
        sink_.writer().NameRank(GetProcess(event.pid)->rank, *name);
    else if (event.name == "thread_name")
        sink_.writer().NameThread(GetThread(event)->lane, *name);
}

ChromeReader::Begun ChromeReader::BegunBy(const JsonEvent& event, int64_t ns,
                                          const JsonPlace& place) {
    Begun begun;
    begun.place = {&sink_.file(), place.line, place.column};
    begun.begin = ns;
    begun.name = NameId(event.name);
    begun.category = static_cast<uint8_t>(CategoryOf(event.category));
    if (event.name.starts_with("MPI_")) {
        auto found = functions_.find(event.name);
        if (found == functions_.end()) {
            int32_t number = -1;
            for (int i = 0; i <= static_cast<int>(schema::MpiFunction::MAX); ++i) {
                if (event.name == schema::EnumNameMpiFunction(static_cast<schema::MpiFunction>(i)))
                    number = i;
            }
            found = functions_.emplace(event.name, number).first;
        }
        begun.function = found->second;
    }
    return begun;
}

int64_t ChromeReader::EndOf(int64_t begin, int64_t end, const JsonPlace& place) {
    if (end >= begin) return end;
    sink_.Report(place.line, place.column, "a slice ends before it begins: without length");
    return begin;
}

void ChromeReader::AddSlice(ThreadState* thread, const Begun& begun, int64_t end) {
    sink_.SeeTime(begun.begin);
    sink_.SeeTime(end);
    thread->slices.Add(
        {begun.begin, end, begun.name, begun.function, begun.category, ++thread->last_order},
        [&](const Slice& slice, uint64_t parent) { return WriteSlice(thread, slice, parent); });
}

uint64_t ChromeReader::WriteSlice(ThreadState* thread, const Slice& slice, uint64_t parent) {
    const uint64_t span = thread->lane->NextSpan();
    const schema::SpanHead head(TickOf(slice.begin), TickOf(slice.end), span,
                                static_cast<uint32_t>(parent == 0 ? 0 : span - parent),
                                schema::SpanFlags{});
    const auto category = static_cast<ImportCategory>(slice.category);
    if (slice.function >= 0) {
        sink_.writer().Add(
            thread->lane,
            schema::ImportCall(
                head, slice.name, 0, kNoNumber, static_cast<schema::MpiFunction>(slice.function),
                category == ImportCategory::user ? ImportCategory::other : category));
    } else {
        sink_.writer().Add(thread->lane,
                           schema::ImportState(head, slice.name, kNoNumber, category));
    }
    return span;
}

// Slices of one id nest; they belong to no thread's stack.
void ChromeReader::Asynchronous(const JsonEvent& event, ThreadState* thread, int64_t ns,
                                const JsonPlace& place) {
    const std::string key = event.category + '\n' + event.id;
    if (event.phase == "n") {
        sink_.writer().Add(thread->lane, schema::Mark({TickOf(ns), 0}, NameId(event.name), 0));
        return;
    }
    auto& open = asynchronous_[key];
    if (event.phase == "b" || event.phase == "S") {
        open.emplace_back(thread, BegunBy(event, ns, place));
        return;
    }
    if (open.empty()) {
        asynchronous_.erase(key);
        ++bad_ends_;
        return sink_.Report(place.line, place.column,
                            "an asynchronous slice ends that has not begun");
    }
    const auto [owner, begun] = open.back();
    open.pop_back();
    if (open.empty()) asynchronous_.erase(key);
    sink_.SeeTime(begun.begin);
    const uint64_t span = owner->lane->NextSpan();
    sink_.writer().Add(
        owner->lane,
        schema::ImportState({TickOf(begun.begin), TickOf(EndOf(begun.begin, ns, place)), span, 0,
                             schema::SpanFlags{}},
                            begun.name, kNoNumber, static_cast<ImportCategory>(begun.category)));
}

void ChromeReader::WriteArrowEnd(const ArrowEnd& end, int32_t peer, int32_t tag) {
    const uint64_t span = end.thread->lane->NextSpan();
    const schema::SpanHead head(TickOf(end.ns), TickOf(end.ns), span, 0, schema::SpanFlags{});
    if (end.is_start) {
        sink_.writer().Add(end.thread->lane,
                           schema::ImportPointToPoint(
                               head, end.name, kArrowComm, kNoBytes, 0, tag, peer, peer, kNoNumber,
                               schema::MpiFunction::MPI_Send, ImportCategory::p2p));
    } else {
        sink_.writer().Add(
            end.thread->lane,
            schema::ImportReceive(head, end.name, kArrowComm, kNoBytes, tag, peer, peer, tag, peer,
                                  kNoNumber, schema::MpiFunction::MPI_Recv, ImportCategory::p2p));
    }
}

void ChromeReader::WriteMessage(const ArrowEnd& start, const ArrowEnd& end) {
    const int32_t tag = ++last_tag_;
    WriteArrowEnd(start, end.thread->rank, tag);
    WriteArrowEnd(end, start.thread->rank, tag);
}

uint32_t ChromeReader::KeepEnd(const ArrowEnd& end) {
    uint32_t index = free_end_;
    if (index == 0) {
        index = static_cast<uint32_t>(ends_.size());
        ends_.emplace_back();
    } else {
        free_end_ = ends_[index].next;
    }
    ends_[index] = end;
    ends_[index].next = 0;
    return index;
}

void ChromeReader::MeetArrow(ArrowQueue* waiting, const ArrowEnd& end) {
    if (waiting->first != 0 && ends_[waiting->first].is_start != end.is_start) {
        const uint32_t index = waiting->first;
        const ArrowEnd other = ends_[index];
        waiting->first = other.next;
        ends_[index].next = free_end_;
        free_end_ = index;
        end.is_start ? WriteMessage(end, other) : WriteMessage(other, end);
        return;
    }
    const uint32_t index = KeepEnd(end);
    if (waiting->first == 0)
        waiting->first = index;
    else
        ends_[waiting->last].next = index;
    waiting->last = index;
}

// The ends of an arrow may stand in any order; a step ends one and starts the next.
void ChromeReader::Arrow(const JsonEvent& event, ThreadState* thread, int64_t ns) {
    const std::string text = event.category + '\n' + event.name + '\n' + event.id;
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    const ArrowKey key{hash.low64, hash.high64};
    ArrowEnd end{thread, ns, NameId(event.name), 0, event.phase == "s"};
    ArrowQueue& waiting = arrows_[key];
    MeetArrow(&waiting, end);
    if (event.phase == "t") {
        end.is_start = true;
        MeetArrow(&waiting, end);
    }
    if (waiting.first == 0) arrows_.erase(key);
}

void ChromeReader::Counters(const JsonEvent& event, ThreadState* thread, int64_t ns) {
    for (const JsonEvent::Argument& argument : event.arguments) {
        double value = 0;
        const char* const end = argument.value.data() + argument.value.size();
        const auto [rest, code] = std::from_chars(argument.value.data(), end, value);
        if (rest != end || code != std::errc()) {
            ++bad_values_;
            continue;
        }
        const std::string name =
            argument.name == "value" ? event.name : fmt::format("{} {}", event.name, argument.name);
        sink_.writer().Add(thread->lane, schema::Counter({TickOf(ns), 0}, NameId(name), value));
    }
}

void ChromeReader::Event(const JsonEvent& event, const JsonPlace& place) {
    if (event.phase.empty() || event.bad_type) {
        return sink_.Illegal(place.line, place.column,
                             event.phase.empty() ? "an event without a phase (ph)"
                                                 : "a field of an event is no text or number");
    }
    ++sink_.file().records;
    if (event.phase == "M") return Describe(event);
    const char phase = event.phase.size() == 1 ? event.phase[0] : '?';
    if (std::string_view("XBEiIRCstfbeSFnTp").find(phase) == std::string_view::npos) {
        ++sink_.file().unknown;
        return;
    }
    int64_t ns = 0;
    if (!TimeOf(event, event.time, place, &ns)) return;
    ThreadState* thread = GetThread(event);
    sink_.SeeTime(ns);
    if (phase != 'C') arguments_ += event.arguments.size();
    left_out_ += event.left_out;
    switch (phase) {
        case 'X': {
            int64_t duration = 0;
            if (!event.duration.empty() && !TimeOf(event, event.duration, place, &duration)) return;
            return AddSlice(thread, BegunBy(event, ns, place), EndOf(ns, ns + duration, place));
        }
        case 'B':
            thread->open.push_back(BegunBy(event, ns, place));
            return;
        case 'E': {
            if (thread->open.empty()) {
                ++bad_ends_;
                return sink_.Report(place.line, place.column, "a slice ends that has not begun");
            }
            const Begun begun = thread->open.back();
            thread->open.pop_back();
            return AddSlice(thread, begun, EndOf(begun.begin, ns, place));
        }
        case 'C':
            return Counters(event, thread, ns);
        case 's':
        case 't':
        case 'f':
            return Arrow(event, thread, ns);
        case 'b':
        case 'e':
        case 'n':
        case 'S':
        case 'F':
            return Asynchronous(event, thread, ns, place);
        default:
            sink_.writer().Add(thread->lane, schema::Mark({TickOf(ns), 0}, NameId(event.name), 0));
    }
}

void ChromeReader::Finish() {
    OpenEnds never_ended;
    uint64_t without_partner = 0;
    const auto write_open = [&](ThreadState* thread, const Begun& begun) {
        never_ended.Add(begun.place);
        sink_.writer().AddOpen(
            thread->lane,
            schema::ImportState(
                {TickOf(begun.begin), 0, thread->lane->NextSpan(), 0, schema::SpanFlags{}},
                begun.name, kNoNumber, static_cast<ImportCategory>(begun.category)));
    };
    for (auto& [key, thread] : threads_) {
        thread->slices.Finish([&, &owner = thread](const Slice& slice, uint64_t parent) {
            return WriteSlice(owner.get(), slice, parent);
        });
        for (const Begun& begun : thread->open) write_open(thread.get(), begun);
    }
    for (const auto& [key, open] : asynchronous_) {
        for (const auto& [thread, begun] : open) write_open(thread, begun);
    }
    for (const auto& [key, waiting] : arrows_) {
        for (uint32_t index = waiting.first; index != 0; index = ends_[index].next) {
            WriteArrowEnd(ends_[index], kNoNumber, ++last_tag_);
            ++without_partner;
        }
    }
    never_ended.Tell(&sink_, "slice");
    if (without_partner > 0)
        sink_.Report(
            0, 0,
            core::Plural(without_partner, "arrow has one end only", "arrows have one end only"));
    if (bad_values_ > 0)
        sink_.Report(0, 0,
                     core::Plural(bad_values_, "value of a counter is no number: left out",
                                  "values of counters are no numbers: left out"));
    if (left_out_ > 0)
        sink_.file().remarks.push_back(
            core::Plural(left_out_, "field of an event left out", "fields of events left out"));
    if (arguments_ > 0)
        sink_.file().remarks.push_back(core::Plural(arguments_, "argument of an event left out",
                                                    "arguments of events left out"));
}

}  // namespace comshu::format::chrome
