// Export as Chrome trace JSON, so that chrome://tracing and Perfetto show every span and every arrow.
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "chrome/json_text.h"
#include "comshu/format/export.h"
#include "text/file_output.h"
#include "timeline/timeline.h"

namespace comshu::format {
namespace {

using chrome::JsonText;

// Numbers of extra rows and of second processes of a rank begin here.
constexpr uint64_t kExtra = 1'000'000;

// Microseconds, with all digits.
std::string Time(int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

class ChromeWriter : public TimelineVisitor {
public:
    ChromeWriter(const Timeline& timeline, FileOutput* out) : timeline_(timeline), out_(*out) {
        for (const TimelineProcess& process : timeline.processes()) {
            const uint64_t pid = process.is_first_of_rank && process.rank >= 0
                                     ? static_cast<uint64_t>(process.rank)
                                     : kExtra + process.process_id;
            pids_[process.process_id] = pid;
            Event();
            out_.Print(
                R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", pid,
                JsonText(process.name));
            Event();
            out_.Print(
                R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
                pid, process.rank);
        }
    }

    void Row(const TimelineRow& row, const std::string& name) override {
        const std::string shown = row.lane == 0
                                      ? (name.empty() ? fmt::format("thread {}", row.thread) : name)
                                      : fmt::format("{} (overlap {})", name, row.lane);
        Event();
        out_.Print(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                   Pid(row), Tid(row), JsonText(shown));
        Event();
        out_.Print(
            R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
            Pid(row), Tid(row), row.thread * 100 + std::min(row.lane, 99u));
    }

    void Begin(const TimelineSpan& span) override {
        const uint64_t pid = Pid(span.row);
        const uint64_t tid = Tid(span.row);
        const int64_t length = span.end_ns - span.begin_ns;
        Event();
        out_.Print(R"({{"ph":"X","name":{},"cat":{},"ts":{},"dur":{},"pid":{},"tid":{})",
                   JsonText(span.name), JsonText(span.category), Time(span.begin_ns), Time(length),
                   pid, tid);
        Arguments(span);
        out_.Write("}");
        // An arrow begins and ends strictly inside its span.
        const int64_t inside = length > 1 ? 1 : 0;
        for (const TimelineMessage& message : span.sends)
            Flow("s", message, span.begin_ns + inside, pid, tid, "");
        for (const TimelineMessage& message : span.receives)
            Flow("f", message, length == 1 ? span.begin_ns : span.end_ns - inside, pid, tid,
                 R"(,"bp":"e")");
    }
    void End(const TimelineSpan&) override {}

    void Mark(const TimelineEvent& mark) override {
        Event();
        out_.Print(R"({{"ph":"i","s":"t","name":{},"ts":{},"pid":{},"tid":{})", JsonText(mark.name),
                   Time(mark.time_ns), Pid(mark.row), Tid(mark.row));
        if (IsNumber(mark.value)) out_.Print(R"(,"args":{{"value":{}}})", mark.value);
        out_.Write("}");
    }
    void Counter(const TimelineEvent& counter) override {
        if (!IsNumber(counter.value)) return;
        const std::string name =
            counter.row.thread == 0
                ? counter.name
                : fmt::format("{} (thread {})", counter.name, counter.row.thread);
        Event();
        out_.Print(R"({{"ph":"C","name":{},"ts":{},"pid":{},"tid":{},"args":{{"value":{}}}}})",
                   JsonText(name), Time(counter.time_ns), Pid(counter.row), Tid(counter.row),
                   counter.value);
    }

    uint64_t events() const { return events_; }
    // Values that JSON has no number for.
    uint64_t no_numbers() const { return no_numbers_; }

private:
    uint64_t Pid(const TimelineRow& row) const {
        const auto found = pids_.find(row.process_id);
        return found == pids_.end() ? kExtra + row.process_id : found->second;
    }
    static uint64_t Tid(const TimelineRow& row) { return row.thread + kExtra * row.lane; }

    bool IsNumber(double value) {
        no_numbers_ += !std::isfinite(value);
        return std::isfinite(value);
    }

    void Event() { out_.Write(events_++ == 0 ? "\n" : ",\n"); }

    void Flow(const char* phase, const TimelineMessage& message, int64_t ns, uint64_t pid,
              uint64_t tid, const char* more) {
        if (message.backward) return;
        Event();
        out_.Print(
            R"({{"ph":"{}","name":"message","cat":"message","id":{},"ts":{},"pid":{},"tid":{}{}}})",
            phase, message.id, Time(ns), pid, tid, more);
    }

    void Arguments(const TimelineSpan& span) {
        std::string text;
        const auto add_text = [&](const char* name, const std::string& value) {
            text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, value);
        };
        const auto add = [&](const char* name, int64_t value) {
            if (value != TimelineSpan::kNone) add_text(name, std::to_string(value));
        };
        add("bytes", span.bytes);
        for (const TimelineCollective& collective : span.starts) {
            add("bytes_in", collective.bytes_in);
            add("bytes_out", collective.bytes_out);
        }
        add("peer", span.peer);
        add("tag", span.tag);
        add("root", span.root);
        const std::string comm = timeline_.CommText(span);
        if (!comm.empty()) add_text("comm", JsonText(comm));
        if (!span.source.empty()) add_text("source", JsonText(span.source));
        if (span.failed) add_text("failed", "true");
        if (span.unwound) add_text("unwound", "true");
        if (span.is_open) add_text("never_ended", "true");
        if (!text.empty()) out_.Print(R"(,"args":{{{}}})", text);
    }

    const Timeline& timeline_;
    FileOutput& out_;
    std::map<uint32_t, uint64_t> pids_;
    uint64_t events_ = 0;
    uint64_t no_numbers_ = 0;
};

}  // namespace

bool ExportChrome(read::Database* database, const std::string& path, ExportResult* result,
                  std::string* error) {
    Timeline timeline(database, path);
    timeline.WithCollectives();
    if (!timeline.Prepare(error)) return false;
    FileOutput out(path);
    out.Write(R"({"displayTimeUnit":"ns","traceEvents":[)");
    ChromeWriter writer(timeline, &out);
    if (!timeline.Visit(&writer, error)) return false;
    out.Write("\n]}\n");
    result->records = writer.events();
    TimelineRemarks(timeline, true, result);
    result->Say(writer.no_numbers(), "value of a counter or mark is not finite: left out",
                "values of counters or marks are not finite: left out");
    return out.Finish(error);
}

}  // namespace comshu::format
