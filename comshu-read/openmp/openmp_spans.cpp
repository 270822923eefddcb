#include "openmp/openmp_spans.h"

#include <algorithm>
#include <string_view>

namespace comshu::read {
namespace {

// Columns of one record type of an opened block; one that is not there or damaged is all zeros.
class TypeColumns {
public:
    TypeColumns(core::BlockDecoder* decoder, size_t type) : decoder_(decoder), type_(type) {}

    size_t rows() const { return decoder_->types()[type_].count; }
    std::vector<uint64_t> Get(std::string_view name, uint64_t* null = nullptr) const {
        const core::RecordLayout* layout = decoder_->types()[type_].layout;
        std::vector<uint64_t> values;
        const int column = layout->FindColumn(name);
        if (column < 0 || !decoder_->Values(type_, static_cast<size_t>(column), &values))
            values.assign(rows(), 0);
        if (null != nullptr && column >= 0) {
            const core::Column& field = layout->columns[static_cast<size_t>(column)];
            for (uint64_t& value : values) {
                if (field.IsNull(value)) value = *null;
            }
        }
        return values;
    }

private:
    core::BlockDecoder* decoder_;
    size_t type_;
};

bool IsSpanOfOpenmp(const core::RecordLayout& layout) {
    return layout.layer == "openmp" && layout.FindColumn("construct") >= 0;
}

}  // namespace

uint32_t OpenmpLane::Find(uint64_t number) const {
    const auto found = std::lower_bound(
        spans.begin(), spans.end(), number,
        [](const OpenmpSpan& span, uint64_t wanted) { return span.number < wanted; });
    return found == spans.end() || found->number != number
               ? kNoSpan
               : static_cast<uint32_t>(found - spans.begin());
}

const OpenmpLoop* OpenmpLane::FindLoop(uint64_t number) const {
    const auto found = std::lower_bound(
        loops.begin(), loops.end(), number,
        [](const OpenmpLoop& loop, uint64_t wanted) { return loop.number < wanted; });
    return found == loops.end() || found->number != number ? nullptr : &*found;
}

OpenmpSpans::OpenmpSpans(const Capture& capture) {
    const bool any = std::any_of(
        capture.tables().begin(), capture.tables().end(), [&](const RecordTable& table) {
            return table.layer == "openmp" &&
                   std::any_of(
                       capture.blocks().begin(), capture.blocks().end(), [&](const Block& block) {
                           return !block.definitions() && capture.MayHold(block, table.record);
                       });
        });
    if (!any) return;
    for (const Block& block : capture.blocks()) {
        core::BlockDecoder decoder = capture.DecoderFor(block);
        if (!capture.OpenBlock(block, &decoder)) continue;
        if (block.definitions()) {
            AddSchedules(capture, block, &decoder);
        } else {
            AddBlock(capture, block, &decoder);
        }
    }
    Link();
}

void OpenmpSpans::AddSchedules(const Capture& capture, const Block& block,
                               core::BlockDecoder* decoder) {
    for (size_t type = 0; type < decoder->types().size(); ++type) {
        const core::RecordLayout* layout = decoder->types()[type].layout;
        if (layout == nullptr || layout->name != "OmpConstruct") continue;
        const TypeColumns columns(decoder, type);
        const std::vector<uint64_t> constructs = columns.Get("construct");
        const std::vector<uint64_t> contexts = columns.Get("context");
        for (size_t row = 0; row < columns.rows(); ++row) {
            const std::string& context = capture.artifacts().Text(contexts[row]);
            Schedule schedule = Schedule::other;
            if (context.find("*schedule=DYNAMIC*") != context.npos) schedule = Schedule::dynamic;
            if (context.find("*schedule=GUIDED*") != context.npos) schedule = Schedule::guided;
            if (schedule != Schedule::other)
                schedules_[{block.process, constructs[row]}] = schedule;
        }
    }
}

void OpenmpSpans::AddBlock(const Capture& capture, const Block& block,
                           core::BlockDecoder* decoder) {
    const Process& process = *capture.processes()[block.process];
    const auto [found, is_new] = lane_of_.try_emplace(std::pair(block.process, block.header.thread),
                                                      static_cast<uint32_t>(lanes_.size()));
    if (is_new) {
        lanes_.emplace_back();
        lanes_.back().process = block.process;
        lanes_.back().thread = block.header.thread;
    }
    OpenmpLane& lane = lanes_[found->second];
    const int64_t last_ns = capture.LastNs(process);
    for (size_t type = 0; type < decoder->types().size(); ++type) {
        const core::RecordLayout* layout = decoder->types()[type].layout;
        if (layout == nullptr) continue;
        const TypeColumns columns(decoder, type);
        if (layout->name == "OmpIteration" || layout->name == "OmpChunk") {
            const std::vector<uint64_t> spans = columns.Get("span");
            const std::vector<uint64_t> indexes =
                columns.Get(layout->name == "OmpChunk" ? "first" : "index");
            const std::vector<uint64_t> counts = columns.Get("iterations");
            for (size_t row = 0; row < columns.rows(); ++row)
                lane.iterations.push_back(
                    {spans[row], static_cast<int64_t>(indexes[row]), counts[row]});
            continue;
        }
        if (layout->head != core::Head::kSpan || layout->layer.empty()) continue;
        const bool is_openmp = IsSpanOfOpenmp(*layout);
        uint64_t none = 0;
        const std::vector<uint64_t> begins = columns.Get("begin");
        const std::vector<uint64_t> ends = columns.Get("end");
        const std::vector<uint64_t> spans = columns.Get("span");
        const std::vector<uint64_t> parents = columns.Get("parent_distance");
        const std::vector<uint64_t> constructs = columns.Get("construct");
        const std::vector<uint64_t> functions = columns.Get("function");
        const std::vector<uint64_t> regions =
            columns.Get(layout->name == "OmpInterval" ? "index" : "region");
        const std::vector<uint64_t> numbers = columns.Get("thread_num");
        const std::vector<uint64_t> sizes = columns.Get("team_size");
        if (layout->name == "OmpLoop") {
            const std::vector<uint64_t> firsts = columns.Get("first", &none);
            const std::vector<uint64_t> lasts = columns.Get("last", &none);
            const std::vector<uint64_t> steps = columns.Get("step", &none);
            const std::vector<uint64_t> chunks = columns.Get("chunk", &none);
            const std::vector<uint64_t> callers = columns.Get("caller");
            for (size_t row = 0; row < columns.rows(); ++row)
                lane.loops.push_back({spans[row], static_cast<int64_t>(firsts[row]),
                                      static_cast<int64_t>(steps[row]),
                                      static_cast<int64_t>(chunks[row]),
                                      callers[row] != 0 && steps[row] == 1 ? lasts[row] + 1 : 0});
        }
        for (size_t row = 0; row < columns.rows(); ++row) {
            OpenmpSpan span;
            span.number = spans[row];
            // Until Link: how far back the parent is.
            span.parent = static_cast<uint32_t>(parents[row]);
            span.begin_ns = process.scale.ToNs(begins[row]);
            span.end_ns =
                ends[row] == 0 ? std::max(span.begin_ns, last_ns) : process.scale.ToNs(ends[row]);
            span.is_openmp = is_openmp;
            if (is_openmp) {
                span.function = static_cast<OmpFunction>(functions[row]);
                span.construct = constructs[row];
                span.region = regions[row];
                span.thread_num = static_cast<uint32_t>(numbers[row]);
                span.team_size = static_cast<uint32_t>(sizes[row]);
            }
            lane.spans.push_back(span);
        }
    }
}

void OpenmpSpans::Link() {
    for (uint32_t l = 0; l < lanes_.size(); ++l) {
        OpenmpLane& lane = lanes_[l];
        std::sort(lane.spans.begin(), lane.spans.end(),
                  [](const OpenmpSpan& a, const OpenmpSpan& b) { return a.number < b.number; });
        for (uint32_t i = 0; i < lane.spans.size(); ++i) {
            OpenmpSpan& span = lane.spans[i];
            span.parent = span.parent == 0 ? kNoSpan : lane.Find(span.number - span.parent);
            if (span.is_openmp && span.function == OmpFunction::parallel && span.region != 0)
                regions_[{lane.process, span.region}] = {l, i};
        }
        LinkLoops(&lane);
    }
    for (OpenmpLane& lane : lanes_) lane.omp_thread = NumberOf(lane);
}

uint32_t OpenmpSpans::PartAround(const OpenmpLane& lane, uint32_t span) {
    uint32_t i = lane.spans[span].parent;
    while (i != kNoSpan &&
           !(lane.spans[i].is_openmp && lane.spans[i].function == OmpFunction::implicit_task))
        i = lane.spans[i].parent;
    return i;
}

uint32_t OpenmpSpans::NumberOf(const OpenmpLane& lane) const {
    uint32_t number = kNoTeamNumber;
    for (uint32_t i = 0; i < lane.spans.size(); ++i) {
        const OpenmpSpan& span = lane.spans[i];
        if (!span.is_openmp || span.function != OmpFunction::implicit_task ||
            span.thread_num == kNoTeamNumber || PartAround(lane, i) != kNoSpan)
            continue;
        const SpanPlace region = Region(lane.process, span.region);
        if (region.span != kNoSpan && PartAround(lanes_[region.lane], region.span) != kNoSpan)
            continue;
        if (number != kNoTeamNumber && number != span.thread_num) return kNoTeamNumber;
        number = span.thread_num;
    }
    return number;
}

void OpenmpSpans::LinkLoops(OpenmpLane* lane) const {
    std::sort(lane->loops.begin(), lane->loops.end(),
              [](const OpenmpLoop& a, const OpenmpLoop& b) { return a.number < b.number; });
    if (schedules_.empty()) return;
    for (OpenmpLoop& loop : lane->loops) {
        const OpenmpSpan& span = lane->spans[lane->Find(loop.number)];
        const auto schedule = schedules_.find({lane->process, span.construct});
        if (span.function != OmpFunction::loop || schedule == schedules_.end()) continue;
        // What GUIDED gives shrinks from one chunk to the next; DYNAMIC gives single iterations.
        if (schedule->second == Schedule::guided) {
            loop.chunk = 0;
        } else if (loop.chunk == 0) {
            loop.chunk = 1;
        }
    }
}

SpanPlace OpenmpSpans::Region(uint32_t process, uint64_t region) const {
    const auto found = regions_.find({process, region});
    return region == 0 || found == regions_.end() ? SpanPlace{} : found->second;
}

}  // namespace comshu::read
