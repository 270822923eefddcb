#include "comshu/read/open_span.h"

#include <algorithm>

#include "definitions.h"

namespace comshu::read {
namespace {

std::optional<uint64_t> Known(const core::RecordLayout& layout, Fields* fields, size_t row,
                              std::string_view name) {
    const int column = layout.FindColumn(name);
    if (column < 0) return std::nullopt;
    const uint64_t value = fields->Get(row, name);
    if (layout.columns[static_cast<size_t>(column)].IsNull(value)) return std::nullopt;
    return value;
}

std::optional<int64_t> KnownSigned(const core::RecordLayout& layout, Fields* fields, size_t row,
                                   std::string_view name) {
    const auto value = Known(layout, fields, row, name);
    if (!value) return std::nullopt;
    return static_cast<int64_t>(*value);
}

std::string NameOf(const Capture& capture, const Process& process, const core::RecordLayout& layout,
                   Fields* fields, size_t row) {
    const int function = layout.FindColumn("function");
    const auto& enums = process.schema().enums();
    if (function >= 0) {
        const int index = layout.columns[static_cast<size_t>(function)].enum_index;
        const auto value = static_cast<int64_t>(fields->Get(row, "function"));
        if (index >= 0 && static_cast<size_t>(index) < enums.size()) {
            for (const auto& [number, name] : enums[static_cast<size_t>(index)].values) {
                if (number == value) return name;
            }
        }
    }
    const int name = layout.FindColumn("name");
    if (name >= 0 && layout.columns[static_cast<size_t>(name)].artifact == "text")
        return capture.artifacts().Text(fields->Get(row, "name"));
    return layout.table;
}

}  // namespace

std::vector<OpenSpan> OpenSpans(const Capture& capture) {
    std::vector<OpenSpan> spans;
    for (const Block& block : capture.blocks()) {
        core::BlockDecoder decoder = capture.DecoderFor(block);
        std::vector<uint8_t> sequence;
        if (!block.open_spans || !capture.OpenBlock(block, &decoder) ||
            !decoder.Sequence(&sequence)) {
            continue;
        }
        const Process& process = *capture.processes()[block.process];
        std::vector<Fields> fields;
        for (size_t t = 0; t < decoder.types().size(); ++t) fields.emplace_back(&decoder, t);
        std::vector<size_t> rows(decoder.types().size());
        uint32_t depth = 0;
        for (const uint8_t type : sequence) {
            const size_t row = rows[type]++;
            const core::RecordLayout* layout = decoder.types()[type].layout;
            if (layout == nullptr || layout->head != core::Head::kSpan) continue;
            Fields& of_type = fields[type];
            if (of_type.Get(row, "end") != 0) continue;  // It has returned.
            OpenSpan span;
            span.process = block.process;
            span.thread = block.header.thread;
            span.depth = depth++;
            const uint64_t id = of_type.Get(row, "span");
            const uint64_t distance = of_type.Get(row, "parent_distance");
            span.span_id = process.CaptureSpanId(id);
            span.parent_id = distance == 0 ? 0 : process.CaptureSpanId(id - distance);
            span.record = layout->table;
            span.name = NameOf(capture, process, *layout, &of_type, row);
            span.begin_ns = process.scale.ToNs(of_type.Get(row, "begin"));
            span.open_ns = std::max<int64_t>(0, capture.StoodUntilNs(process) - span.begin_ns);
            span.peer = KnownSigned(*layout, &of_type, row, "peer");
            span.world_peer = KnownSigned(*layout, &of_type, row, "world_peer");
            span.tag = KnownSigned(*layout, &of_type, row, "tag");
            span.root = KnownSigned(*layout, &of_type, row, "root");
            span.comm = Known(*layout, &of_type, row, "comm");
            span.bytes = Known(*layout, &of_type, row, "bytes");
            span.request = Known(*layout, &of_type, row, "request");
            span.caller = Known(*layout, &of_type, row, "caller");
            spans.push_back(std::move(span));
        }
    }
    return spans;
}

}  // namespace comshu::read
