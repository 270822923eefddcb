#include "views/nested_time.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace comshu::read {
namespace {

void AddBlock(const Process& process, core::BlockDecoder* decoder, NestedTimes* times) {
    std::vector<uint64_t> parents;
    std::vector<uint64_t> columns[3];
    for (size_t type = 0; type < decoder->types().size(); ++type) {
        const core::RecordLayout* layout = decoder->types()[type].layout;
        if (layout == nullptr || layout->head != core::Head::kSpan || layout->layer.empty())
            continue;
        const auto column = static_cast<size_t>(layout->FindColumn("parent_distance"));
        if (!decoder->Values(type, column, &parents)) continue;
        if (std::all_of(parents.begin(), parents.end(), [](uint64_t p) { return p == 0; }))
            continue;
        static constexpr const char* kNames[] = {"begin", "end", "span"};
        bool sound = true;
        for (size_t i = 0; i < 3; ++i) {
            sound =
                sound && decoder->Values(type, static_cast<size_t>(layout->FindColumn(kNames[i])),
                                         &columns[i]);
        }
        if (!sound) continue;
        for (size_t row = 0; row < parents.size(); ++row) {
            if (parents[row] == 0 || columns[1][row] == 0) continue;
            const int64_t ns =
                process.scale.ToNs(columns[1][row]) - process.scale.ToNs(columns[0][row]);
            *times->Insert(process.CaptureSpanId(columns[2][row] - parents[row]), 0) += ns;
        }
    }
}

}  // namespace

NestedTimes SumNestedTimes(const Capture& capture) {
    const size_t workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<NestedTimes> parts(workers);
    capture.ForEachBlock(
        {}, workers, [&](size_t worker, const Block& block, core::BlockDecoder& decoder) {
            if (block.definitions()) return;
            AddBlock(*capture.processes()[block.process], &decoder, &parts[worker]);
        });
    for (size_t i = 1; i < workers; ++i) {
        parts[0].Reserve(parts[0].size() + parts[i].size());
        parts[i].ForEach([&](uint64_t span, int64_t ns) { *parts[0].Insert(span, 0) += ns; });
    }
    return std::move(parts[0]);
}

}  // namespace comshu::read
