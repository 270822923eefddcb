#include "report/openmp.h"

#include <algorithm>

#include <fmt/core.h>

#include "comshu/read/number_text.h"

namespace comshu::read {
namespace {

constexpr size_t kMostRegions = 4;

std::string PlaceText(const Report::Openmp::Place& place) {
    return place.source.text.empty() ? "?" : Printable(place.source.text);
}

}  // namespace

bool IsOpenmpAlone(const Report& report) {
    const Report::Openmp& openmp = report.openmp;
    return report.facts.mpi_spans == 0 && !(openmp.regions.empty() && openmp.waits.empty());
}

void RenderOpenmp(const Report& report, Page* page) {
    const Report::Openmp& openmp = report.openmp;
    if (openmp.regions.empty() && openmp.waits.empty()) return;
    uint64_t executions = 0;
    for (const Report::Openmp::Place& region : openmp.regions) executions += region.count;
    page->Heading("Parallel regions of OpenMP",
                  fmt::format("{}, executed {}", Plural(openmp.regions.size(), "region"),
                              Plural(executions, "time")));
    // Regions are executed rank by rank, and a rank's follow one another but for those inside others.
    const double run = static_cast<double>(report.facts.duration_ns) *
                       static_cast<double>(std::max<uint64_t>(1, report.facts.ranks));
    constexpr size_t kCount = 14, kTime = 11, kShare = 20, kLeast = 12;
    const size_t place =
        std::max(kLeast + kCount + kTime + kShare + 2, page->width()) - 2 - kCount - kTime - kShare;
    for (size_t i = 0; i < openmp.regions.size() && i < kMostRegions; ++i) {
        const Report::Openmp::Place& region = openmp.regions[i];
        const std::string share = ShareText(static_cast<double>(region.ns), run) + " of the run";
        page->Line(PadRight(Shorten(PlaceText(region), place, true), place) +
                   PadLeft(Plural(region.count, "time"), kCount) +
                   PadLeft(DurationText(region.ns), kTime) + PadLeft(share, kShare));
    }
    if (openmp.regions.size() > kMostRegions)
        page->Line(fmt::format("({} more)", openmp.regions.size() - kMostRegions));
    int64_t waited = 0;
    double threads = 0;
    for (const Report::RankTime& rank : report.ranks) {
        waited += rank.openmp_wait_ns;
        threads += static_cast<double>(rank.total_ns);
    }
    std::string text =
        fmt::format("threads waited {} for each other, {} of their time", DurationText(waited),
                    ShareText(static_cast<double>(waited), threads));
    if (!openmp.waits.empty() && openmp.waits.front().ns > 0) {
        const Report::Openmp::Place& most = openmp.waits.front();
        text += fmt::format("; most: {}, {}, {}", Printable(most.name), PlaceText(most),
                            DurationText(most.ns));
    }
    page->Paragraph(text);
    std::string paths;
    for (const std::string& path : report.facts.paths) paths += path + " ";
    page->Paragraph(
        fmt::format("by region, loop, thread and interval: comshu read {}--section "
                    "openmp",
                    Printable(paths)));
}

}  // namespace comshu::read
