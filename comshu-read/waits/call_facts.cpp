#include "waits/call_facts.h"

#include <algorithm>

namespace comshu::read {
namespace {

bool IsCall(const core::RecordLayout* layout) {
    return layout != nullptr && layout->head == core::Head::kSpan && !layout->layer.empty();
}

bool ReadColumn(core::BlockDecoder* decoder, size_t type, const core::RecordLayout& layout,
                std::string_view name, std::vector<uint64_t>* values) {
    const int column = layout.FindColumn(name);
    return column >= 0 && decoder->Values(type, static_cast<size_t>(column), values);
}

// Neighbours in a block are mostly neighbours in the list.
size_t PlaceAmong(const std::vector<uint64_t>& spans, uint64_t span, size_t hint) {
    if (hint > 0 && spans[hint - 1] >= span) hint = 0;
    for (int steps = 0; steps < 8 && hint < spans.size() && spans[hint] < span; ++steps) ++hint;
    if (hint < spans.size() && spans[hint] >= span && (hint == 0 || spans[hint - 1] < span))
        return hint;
    return static_cast<size_t>(std::lower_bound(spans.begin(), spans.end(), span) - spans.begin());
}

}  // namespace

int CallLookup::NameColumn(const core::RecordLayout& layout) {
    const int name = layout.FindColumn("name");
    if (name >= 0 && layout.columns[static_cast<size_t>(name)].artifact == "text") return name;
    return layout.FindColumn("function");
}

const std::string* CallLookup::NameOf(const Process& process, const core::RecordLayout& layout,
                                      int index, uint64_t value) {
    const core::Column& column = layout.columns[static_cast<size_t>(index)];
    const std::lock_guard lock(names_mutex_);
    const auto [found, is_new] = names_.try_emplace({&column, value});
    if (!is_new) return &found->second;
    const auto& enums = process.schema().enums();
    const auto type = static_cast<size_t>(column.enum_index);
    if (column.artifact == "text") {
        found->second = capture_.artifacts().Text(value);
    } else if (column.enum_index >= 0 && type < enums.size()) {
        for (const auto& [number, name] : enums[type].values) {
            if (number == static_cast<int64_t>(value)) found->second = name;
        }
    }
    return &found->second;
}

std::vector<CallFacts> CallLookup::Find(const std::vector<uint64_t>& spans, int64_t t0_ns,
                                        int64_t t1_ns) {
    std::vector<CallFacts> facts(spans.size());
    BlockFilter filter;
    filter.t0_ns = t0_ns;
    filter.t1_ns = t1_ns;
    capture_.ForEachBlock(filter, 0, [&](size_t, const Block& block, core::BlockDecoder& decoder) {
        if (block.definitions()) return;
        const Process& process = *capture_.processes()[block.process];
        std::vector<uint64_t> ids, begins, ends, names, callers;
        std::vector<std::pair<size_t, size_t>> hits;  // Row and place.
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const core::RecordLayout* layout = decoder.types()[type].layout;
            if (!IsCall(layout) || !ReadColumn(&decoder, type, *layout, "span", &ids)) continue;
            hits.clear();
            size_t place = 0;
            for (size_t row = 0; row < ids.size(); ++row) {
                const uint64_t span = process.CaptureSpanId(ids[row]);
                place = PlaceAmong(spans, span, place);
                if (place < spans.size() && spans[place] == span) hits.emplace_back(row, place);
            }
            if (hits.empty()) continue;
            const int name = NameColumn(*layout);
            const int caller = layout->FindColumn("caller");
            names.clear();
            if (name >= 0 && !decoder.Values(type, static_cast<size_t>(name), &names))
                names.clear();
            const bool has_callers = ReadColumn(&decoder, type, *layout, "caller", &callers);
            const bool has_times = ReadColumn(&decoder, type, *layout, "begin", &begins) &&
                                   ReadColumn(&decoder, type, *layout, "end", &ends);
            uint64_t last = 0;
            const std::string* last_name = nullptr;
            for (const auto& [row, at] : hits) {
                CallFacts& call = facts[at];
                call.process = block.process;
                call.thread = block.header.thread;
                call.layer = &layout->layer;
                if (!names.empty()) {
                    if (last_name == nullptr || names[row] != last) {
                        last = names[row];
                        last_name = NameOf(process, *layout, name, last);
                    }
                    call.name = last_name;
                }
                call.has_caller =
                    has_callers &&
                    !layout->columns[static_cast<size_t>(caller)].IsNull(callers[row]);
                if (call.has_caller) call.caller = callers[row];
                if (has_times && ends[row] != 0) {
                    call.duration_ns =
                        process.scale.ToNs(ends[row]) - process.scale.ToNs(begins[row]);
                }
            }
        }
    });
    return facts;
}

void CallLookup::ForEachNamed(const std::function<bool(const std::string& name)>& takes,
                              const std::function<void(uint64_t span)>& visit) {
    std::mutex visiting;
    capture_.ForEachBlock({}, 0, [&](size_t, const Block& block, core::BlockDecoder& decoder) {
        if (block.definitions()) return;
        const Process& process = *capture_.processes()[block.process];
        std::vector<uint64_t> names, ids;
        for (size_t type = 0; type < decoder.types().size(); ++type) {
            const core::RecordLayout* layout = decoder.types()[type].layout;
            const int name = IsCall(layout) ? NameColumn(*layout) : -1;
            if (name < 0 || !decoder.Values(type, static_cast<size_t>(name), &names)) continue;
            std::map<uint64_t, bool> taken;
            for (size_t row = 0; row < names.size(); ++row) {
                if (row == 0 || names[row] != names[row - 1]) taken.try_emplace(names[row]);
            }
            bool any = false;
            for (auto& [value, is_taken] : taken) {
                is_taken = takes(*NameOf(process, *layout, name, value));
                any = any || is_taken;
            }
            if (!any || !ReadColumn(&decoder, type, *layout, "span", &ids)) continue;
            const std::lock_guard lock(visiting);
            for (size_t row = 0; row < ids.size(); ++row) {
                if (taken[names[row]]) visit(process.CaptureSpanId(ids[row]));
            }
        }
    });
}

}  // namespace comshu::read
