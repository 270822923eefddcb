#include "paraver/record_writer.h"

#include <algorithm>
#include <tuple>

namespace comshu::format::paraver {
namespace {

constexpr int kRunningState = 1;

}  // namespace

void RecordWriter::ThreadStarts(int64_t t, Place place) {
    Lane& lane = lanes_[place];
    if (!lane.is_seen) Run(t, place);
    lane.is_seen = true;
}

void RecordWriter::CallBegins(int64_t t, Place place, uint64_t call, uint64_t parent,
                              int64_t call_end_ns, int state) {
    const bool is_outer = !open_.contains(parent);
    open_[call] = is_outer;
    if (!is_outer) return;
    Lane& lane = lanes_[place];
    lane.is_seen = true;
    ++lane.outer_calls;
    EndRun(t, &lane);
    Add({t, Kind::kState, false, place, call_end_ns, state});
}

void RecordWriter::CallEnds(int64_t t, Place place, uint64_t call) {
    const auto found = open_.find(call);
    if (found == open_.end()) return;
    const bool is_outer = found->second;
    open_.erase(found);
    if (!is_outer) return;
    if (--lanes_[place].outer_calls == 0) Run(t, place);
}

void RecordWriter::Event(int64_t t, Place place, int64_t type, int64_t value) {
    Add({t, Kind::kEvent, false, place, type, value});
}

void RecordWriter::Send(const Message& message) {
    Add({message.sent_ns, Kind::kMessage, false, message.from, message.received_ns, message.bytes,
         message.tag, message.to, message.send_end_ns, message.posted_ns});
}

void RecordWriter::Finish() {
    for (auto& [place, lane] : lanes_) EndRun(end_ns_, &lane);
    CloseTime();
    WriteReady();
}

void RecordWriter::Run(int64_t t, Place place) {
    Add({t, Kind::kState, true, place, 0, kRunningState});
    lanes_[place].pending = written_ + waiting_.size() - 1;
}

void RecordWriter::EndRun(int64_t t, Lane* lane) {
    if (lane->pending == Lane::kNone) return;
    Record& state = waiting_[lane->pending - written_];
    state.is_pending = false;
    state.a = t;
    lane->pending = Lane::kNone;
}

void RecordWriter::Add(const Record& record) {
    const int64_t t = std::max<int64_t>(0, record.t);
    if (time_begin_ < written_ + waiting_.size() && waiting_.back().t != t) {
        CloseTime();
        WriteReady();
        if (waiting_.size() > held_) {
            CutRuns(t);
            WriteReady();
        }
    }
    waiting_.push_back(record);
    waiting_.back().t = t;
}

// The records of a time are together: they get their order.
void RecordWriter::CloseTime() {
    const auto first = waiting_.begin() + static_cast<ptrdiff_t>(time_begin_ - written_);
    std::stable_sort(first, waiting_.end(), [](const Record& a, const Record& b) {
        return std::tie(a.kind, a.place) < std::tie(b.kind, b.place);
    });
    size_t number = time_begin_;
    for (auto it = first; it != waiting_.end(); ++it, ++number) {
        if (it->is_pending) lanes_[it->place].pending = number;
    }
    time_begin_ = number;
}

void RecordWriter::CutRuns(int64_t t) {
    for (auto& [place, lane] : lanes_) {
        if (lane.pending == Lane::kNone) continue;
        EndRun(t, &lane);
        waiting_.push_back({t, Kind::kState, true, place, 0, kRunningState});
        lane.pending = written_ + waiting_.size() - 1;
    }
}

void RecordWriter::WriteReady() {
    while (!waiting_.empty() && written_ < time_begin_ && !waiting_.front().is_pending) {
        Write(waiting_.front());
        waiting_.pop_front();
        ++written_;
    }
}

void RecordWriter::Write(const Record& record) {
    const int64_t task = record.place.rank + 1;
    const int64_t thread = record.place.thread + 1;
    switch (record.kind) {
        case Kind::kState:
            if (record.a <= record.t) return;
            out_.Print("1:0:1:{}:{}:{}:{}:{}\n", task, thread, record.t, record.a, record.b);
            break;
        case Kind::kEvent:
            out_.Print("2:0:1:{}:{}:{}:{}:{}\n", task, thread, record.t, record.a, record.b);
            break;
        case Kind::kMessage:
            out_.Print("3:0:1:{}:{}:{}:{}:0:1:{}:{}:{}:{}:{}:{}\n", task, thread, record.t,
                       std::max(record.t, record.send_end), record.to.rank + 1,
                       record.to.thread + 1, std::max<int64_t>(0, record.posted),
                       std::max<int64_t>({0, record.posted, record.a}), record.b, record.tag);
    }
    ++records_;
}

}  // namespace comshu::format::paraver
