#include "picl/old_reader.h"

#include <charconv>
#include <cstdlib>

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "picl/line_pieces.h"
#include "picl/values.h"
#include "text/tokens.h"

namespace comshu::format::picl {
namespace {

using schema::ImportCategory;
using schema::MpiFunction;

// Truncated to microseconds by PICL, so that a pair may differ by one.
constexpr uint64_t kStampNs = 1000;

// Lines with other labels that are told one by one.
constexpr uint64_t kLabelsTold = 3;

enum CounterName {
    kIdle,
    kBusy,
    kReceived,
    kReceivedVolume,
    kSent,
    kSentVolume,
    kProbed,
    kMarkArray,
    kSpace
};
constexpr const char* kCounterNames[] = {"idle",       "busy",       "received", "received bytes",
                                         "sent",       "sent bytes", "probed",   "trace_mark_array",
                                         "trace bytes"};

}  // namespace

OldReader::OldReader(TraceSink* sink, bool has_host) : sink_(*sink), has_host_(has_host) {
    names_.push_back(sink_.writer().Text("unknown record"));
    for (int32_t record = 1; record <= kLastOldRecord; ++record)
        names_.push_back(sink_.writer().Text(ShapeOf(record).name));
    for (size_t i = 0; i < std::size(kCounterNames); ++i)
        counter_names_[i] = sink_.writer().Text(kCounterNames[i]);
}

int32_t OldReader::RankOf(int64_t node) const {
    if (node == kHostNode) return 0;
    // What is of all nodes has its place with the first one.
    return static_cast<int32_t>(node == kAllNodes ? 0 : node) + (has_host_ ? 1 : 0);
}

int32_t OldReader::PeerOf(int64_t node) const {
    return node == kAllNodes ? kAnySource : RankOf(node);
}

OldReader::Node* OldReader::GetNode(int64_t number) {
    if (number == last_number_) return last_node_;
    const int64_t key = number == kAllNodes ? 0 : number;
    std::unique_ptr<Node>& node = nodes_[key];
    if (node == nullptr) {
        node = std::make_unique<Node>();
        node->lane = sink_.writer().GetLane(RankOf(key), 0);
        sink_.writer().NameRank(RankOf(key),
                                key == kHostNode ? "host" : fmt::format("node {}", key));
    }
    last_number_ = number;
    last_node_ = node.get();
    return last_node_;
}

bool OldReader::SkipRaw(std::string_view text) {
    constexpr size_t kFullRow = 9;
    Tokens words(text);
    // Where it found the damage.
    if (words.peek() == '(') {
        ++raw_lines_;
        return true;
    }
    size_t numbers = 0;
    for (; !words.done(); ++numbers) {
        if (words.Next().find_first_not_of("-0123456789") == std::string_view::npos) continue;
        EndRaw();
        return false;
    }
    raw_lines_ += numbers > 0;
    if (numbers < kFullRow) EndRaw();
    return true;
}

void OldReader::EndRaw() {
    if (raw_.file == nullptr) return;
    raw_.file->illegal += raw_lines_;
    sink_.Report(raw_, fmt::format("a damaged trace buffer: {} of raw data left out",
                                   core::Plural(raw_lines_, "line")));
    raw_ = {};
    raw_lines_ = 0;
}

void OldReader::Line(std::string_view text, uint64_t number) {
    if (raw_.file != nullptr) {
        if (raw_.file != &sink_.file())
            EndRaw();
        else if (SkipRaw(text))
            return;
    }
    size_t blanks = 0;
    while (blanks < text.size() && IsBlank(text[blanks])) ++blanks;
    if (blanks == text.size()) return;
    OldLine line;
    LineError error;
    if (!ParseOldLine(text, &line, &error)) {
        if (text.find(" is not a legal record type") != text.npos) {
            ++sink_.file().illegal;
            raw_ = {&sink_.file(), number, line.record_column};
            return;
        }
        sink_.Illegal(number, error.column, error.text);
        return;
    }
    if (line.odd_label != 0 && ++odd_labels_ <= kLabelsTold)
        sink_.Report(number, line.odd_label, "another label than PICL writes here");
    comments_ += line.has_comment;
    ++sink_.file().records;
    sink_.SeeTime(line.ns());
    Node* node = GetNode(line.node);
    Handle(node, line, number);
    KeepRecord(node, line, text, number);
}

void OldReader::KeepRecord(Node* node, const OldLine& line, std::string_view text,
                           uint64_t number) {
    const uint64_t inside = node->open.empty() ? 0 : node->open.back().span;
    const schema::EventHead head(TickOf(line.ns()), inside);
    const auto number_of_node = static_cast<int32_t>(line.node);
    const auto form = line.verbose ? schema::PiclForm::verbose : schema::PiclForm::compact;
    if (node->file != nullptr && node->file != &sink_.file())
        KeepBeginningOfFile(&sink_, node->lane, head, number, number_of_node, form);
    node->file = &sink_.file();
    uint64_t text_id = 0;
    if (line.keep_text) {
        text_id =
            KeepLine(&sink_, node->lane, head, number, number_of_node, form, Tokens(text).rest());
    }
    sink_.writer().Add(
        node->lane,
        schema::PiclRecord(head, number, text_id, line.values[0], line.values[1], line.values[2],
                           line.values[3], line.values[4], line.record, kNoNumber, number_of_node,
                           kNoNumber, kNoNumber, line.count, 6, form));
}

void OldReader::Handle(Node* node, const OldLine& line, uint64_t number) {
    const uint64_t tick = TickOf(line.ns());
    switch (line.record) {
        case kCompstats:
        case kCommstats:
            return Stats(node, line);
        case kSend:
        case kRecv:
        case kSync:
            return Begin(node, line, number, true);
        case kRecvBlocking:
            return Begin(node, line, number, false);
        case kRecvWaking:
            return Wake(node, line, number);
        case kBlockBegin:
            return Begin(node, line, number, false);
        case kBlockEnd:
            return EndBlock(node, line, number);
        case kTraceFlush:
        case kTraceFiles:
            return Interval(node, line);
        case kTraceMark:
            if (const auto name = named_.find(line.values[0]); name != named_.end())
                return Mark(node, tick, name->second, 0);
            return Mark(node, tick, names_[kTraceMark], static_cast<double>(line.values[0]));
        case kTraceMessage:
            if (!NameNumber(line.text)) Mark(node, tick, names_[kTraceMessage], 0);
            return;
        case kTraceMarkArray:
            return MarkArray(node, line);
        case kTraceExit:
            EndCall(node, 0);
            Count(node, tick, counter_names_[kSpace], static_cast<double>(line.values[0]));
            return Mark(node, tick, names_[kTraceExit], 0);
        case kUnknownName:
            ++sink_.file().unknown;
            return Mark(node, tick, names_[0], 0);
        default:
            if (line.record > kLastOldRecord) {
                ++sink_.file().unknown;
                return Mark(node, tick, names_[0], line.record);
            }
            return Mark(node, tick, names_[static_cast<size_t>(line.record)],
                        line.count > 0 ? static_cast<double>(line.values[0]) : 0);
    }
}

void OldReader::Begin(Node* node, const OldLine& line, uint64_t number, bool is_call) {
    // A receive may wait within a call that has said when it began: MPI_Sendrecv is a send and a receive.
    const bool goes_on = line.record == kRecvBlocking && node->call >= 0 &&
                         node->open[static_cast<size_t>(node->call)].has_first_stats;
    if (!goes_on) EndCall(node, 0);
    Open open;
    open.span = node->lane->NextSpan();
    open.begin = TickOf(line.ns());
    open.record = line.record;
    open.place = {&sink_.file(), number, line.record_column};
    for (size_t i = 0; i < 3; ++i) open.values[i] = line.values[i];
    node->open.push_back(open);
    if (is_call) {
        node->call = static_cast<int>(node->open.size()) - 1;
        ++calls_;
    }
}

// The call whose end is to come ends; `tick` 0: it has no length.
void OldReader::EndCall(Node* node, uint64_t tick) {
    if (node->call < 0) return;
    const auto index = static_cast<size_t>(node->call);
    node->call = -1;
    if (tick == 0) {
        tick = node->open[index].begin;
        ++ended_early_;
    }
    Close(node, index, std::max(tick, node->open[index].begin));
}

void OldReader::Stats(Node* node, const OldLine& line) {
    const uint64_t tick = TickOf(line.ns());
    const auto& v = line.values;
    if (line.record == kCommstats) {
        for (size_t i = 0; i < 5; ++i)
            Count(node, tick, counter_names_[kReceived + i], static_cast<double>(v[i]));
        return;
    }
    const auto seconds = [&](size_t at) {
        return static_cast<double>(v[at]) + static_cast<double>(v[at + 1]) / 1e6;
    };
    if (line.count == 4) Count(node, tick, counter_names_[kBusy], seconds(0));
    Count(node, tick, counter_names_[kIdle], seconds(line.count == 4 ? 2 : 0));
    if (node->call < 0) return;
    Open& call = node->open[static_cast<size_t>(node->call)];
    if (!call.has_first_stats && tick <= call.begin + kStampNs) {
        call.has_first_stats = true;
    } else {
        EndCall(node, tick);
    }
}

void OldReader::Wake(Node* node, const OldLine& line, uint64_t number) {
    EndCall(node, 0);
    const uint64_t tick = TickOf(line.ns());
    for (size_t i = node->open.size(); i-- > 0;) {
        Open& open = node->open[i];
        if (open.record != kRecvBlocking) continue;
        open.values[2] = line.values[2];
        open.posted_tag = open.values[0];
        open.values[0] = line.values[0];
        open.values[1] = line.values[1];
        open.record = kRecvWaking;
        return Close(node, i, std::max(tick, open.begin));
    }
    sink_.Report(number, line.record_column,
                 "recv_waking without recv_blocking before it: taken as a receive");
    Begin(node, line, number, false);
    Close(node, node->open.size() - 1, tick);
}

void OldReader::EndBlock(Node* node, const OldLine& line, uint64_t number) {
    EndCall(node, 0);
    const uint64_t tick = TickOf(line.ns());
    for (size_t i = node->open.size(); i-- > 0;) {
        const Open& open = node->open[i];
        if (open.record != kBlockBegin || open.values[0] != line.values[0]) continue;
        return Close(node, i, std::max(tick, open.begin));
    }
    sink_.Report(number, line.field_column,
                 fmt::format("block_end of type {} that has not begun", line.values[0]));
}

void OldReader::Interval(Node* node, const OldLine& line) {
    constexpr int64_t kMostMicroseconds = 1'000'000'000'000;
    int64_t end = line.ns();
    if (std::abs(line.values[0]) < kMostSeconds && std::abs(line.values[1]) < kMostMicroseconds)
        end = std::max(end, line.values[0] * 1'000'000'000 + line.values[1] * 1000);
    Open open;
    open.span = node->lane->NextSpan();
    open.begin = TickOf(line.ns());
    open.record = line.record;
    node->open.push_back(open);
    sink_.SeeTime(end);
    Close(node, node->open.size() - 1, TickOf(end));
}

void OldReader::Mark(Node* node, uint64_t tick, uint64_t name, double value) {
    const uint64_t inside = node->open.empty() ? 0 : node->open.back().span;
    sink_.writer().Add(node->lane, schema::Mark({tick, inside}, name, value));
}

void OldReader::Count(Node* node, uint64_t tick, uint64_t name, double value) {
    const uint64_t inside = node->open.empty() ? 0 : node->open.back().span;
    sink_.writer().Add(node->lane, schema::Counter({tick, inside}, name, value));
}

void OldReader::MarkArray(Node* node, const OldLine& line) {
    const uint64_t tick = TickOf(line.ns());
    // A negative size: PICL had no room for the values.
    if (line.values[0] < 0)
        return Mark(node, tick, sink_.writer().Text("trace_mark_array failed"),
                    static_cast<double>(line.values[0]));
    Tokens rest(line.text);
    int64_t value = 0;
    for (int64_t left = line.values[0]; left > 0 && !rest.done();) {
        if (rest.NextInteger(&value)) {
            Mark(node, tick, names_[kTraceMarkArray], static_cast<double>(value));
            --left;
        } else {
            rest.Next();
        }
    }
}

// True if it is the name of a block or mark.
bool OldReader::NameNumber(std::string_view text) {
    if (!text.starts_with(kNameBegins)) return false;
    text.remove_prefix(kNameBegins.size());
    int64_t number = 0;
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || number < 0) return false;
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    if (!text.starts_with(kNameFollows)) return false;
    const uint64_t name = sink_.KeepText(text.substr(kNameFollows.size()));
    if (name != 0) named_[number] = block_names_[number] = name;
    return true;
}

uint64_t OldReader::BlockName(int64_t type) {
    switch (type) {
        case -1:
            return sink_.writer().Text("barrier");
        case -2:
            return sink_.writer().Text("bcast0");
        case -3:
            return sink_.writer().Text("bcast1");
        case -4:
            return sink_.writer().Text("global_op");
        default:
            break;
    }
    uint64_t& name = block_names_[type];
    if (name == 0) name = sink_.KeepText(fmt::format("block {}", type));
    return name;
}

void OldReader::Close(Node* node, size_t index, uint64_t end) {
    const Open open = node->open[index];
    // What is still open and began before encloses it.
    const uint64_t parent = index == 0 ? 0 : node->open[index - 1].span;
    node->open.erase(node->open.begin() + static_cast<ptrdiff_t>(index));
    if (node->call > static_cast<int>(index)) --node->call;
    const schema::SpanHead head(open.begin, end, open.span,
                                static_cast<uint32_t>(parent == 0 ? 0 : open.span - parent),
                                schema::SpanFlags{});
    WriteSpan(node, open, head);
}

template <typename Record>
void OldReader::Put(Node* node, const Record& record, bool is_open) {
    if (is_open) {
        sink_.writer().AddOpen(node->lane, record);
    } else {
        sink_.writer().Add(node->lane, record);
    }
}

void OldReader::WriteSpan(Node* node, const Open& open, const schema::SpanHead& head) {
    const bool is_open = head.end() == 0;
    const uint64_t name = names_[static_cast<size_t>(open.record)];
    const auto& v = open.values;
    constexpr uint64_t kWorld = CaptureWriter::kWorld;
    switch (open.record) {
        case kSend: {
            const int32_t peer = PeerOf(v[0]);
            return Put(node,
                       schema::ImportPointToPoint(head, name, kWorld, BytesOf(v[2]), 0,
                                                  Narrow(v[1]), peer, peer, kNoNumber,
                                                  MpiFunction::MPI_Send, ImportCategory::p2p),
                       is_open);
        }
        case kRecv:
        case kRecvWaking: {
            const int32_t peer = PeerOf(v[0]);
            const bool waited = open.record == kRecvWaking;
            return Put(node,
                       schema::ImportReceive(
                           head, waited ? names_[kRecvBlocking] : name, kWorld, BytesOf(v[2]),
                           Narrow(v[1]), peer, peer,
                           Narrow(open.posted_tag == kNotPosted ? v[1] : open.posted_tag),
                           kAnySource, kNoNumber, MpiFunction::MPI_Recv,
                           waited ? ImportCategory::wait : ImportCategory::p2p),
                       is_open);
        }
        case kRecvBlocking:
            // It never woke.
            return Put(node,
                       schema::ImportReceive(head, name, kWorld, kNoBytes, Narrow(v[0]), kAnySource,
                                             kAnySource, Narrow(v[0]), kAnySource, kNoNumber,
                                             MpiFunction::MPI_Recv, ImportCategory::wait),
                       is_open);
        case kSync:
            return Put(
                node,
                schema::ImportCollective(head, name, kWorld, 0, 0, kNoNumber, kNoNumber,
                                         MpiFunction::MPI_Barrier, ImportCategory::collective),
                is_open);
        case kTraceFlush:
        case kTraceFiles:
            return Put(node, schema::ImportState(head, name, open.record, ImportCategory::other),
                       is_open);
        default:
            break;
    }
    const uint64_t block = BlockName(v[0]);
    if (v[0] >= 0) {
        return Put(node, schema::ImportState(head, block, Narrow(v[0]), ImportCategory::user),
                   is_open);
    }
    const MpiFunction function = v[0] == -1   ? MpiFunction::MPI_Barrier
                                 : v[0] == -4 ? MpiFunction::MPI_Reduce
                                              : MpiFunction::MPI_Bcast;
    const uint64_t bytes = v[0] == -1 ? 0 : kNoBytes;
    Put(node,
        schema::ImportCollective(head, block, kWorld, bytes, bytes, kNoNumber, Narrow(v[0]),
                                 function, ImportCategory::collective),
        is_open);
}

void OldReader::Finish() {
    EndRaw();
    OpenEnds never_ended;
    for (auto& [number, node] : nodes_) {
        EndCall(node.get(), 0);
        // The outermost first: as they lie on a stack.
        while (!node->open.empty()) {
            const Open open = node->open.front();
            node->open.erase(node->open.begin());
            never_ended.Add(open.place);
            WriteSpan(node.get(), open,
                      schema::SpanHead(open.begin, 0, open.span, 0, schema::SpanFlags{}));
        }
    }
    never_ended.Tell(&sink_, "state");
    if (odd_labels_ > kLabelsTold)
        sink_.file().remarks.push_back(
            fmt::format("{} lines have other labels than PICL writes", odd_labels_));
    if (comments_ > 0)
        sink_.file().remarks.push_back(core::Plural(comments_, "comment behind a record left out",
                                                    "comments behind records left out"));
    if (ended_early_ > 0) {
        sink_.file().remarks.push_back(
            fmt::format("{} of {} without a record of the end: no length", ended_early_,
                        core::Plural(calls_, "call")));
    }
}

}  // namespace comshu::format::picl
