#include "picl/line_writer.h"

#include <algorithm>

namespace comshu::format::picl {
namespace {

void PrintVerbose(const OldLine& line, FileOutput* out) {
    const OldRecordShape& shape = ShapeOf(line.record);
    out->Print("{}  clock {} {} node {}", shape.name, line.seconds, line.microseconds, line.node);
    if (line.record == kCompstats && line.count == 2) {
        // The compact form has idle time alone; the node was busy the rest of the time.
        const int64_t now = line.seconds * 1'000'000 + line.microseconds;
        const int64_t idle = line.values[0] * 1'000'000 + line.values[1];
        const int64_t busy = std::max<int64_t>(0, now - idle);
        out->Print(" busy {} {} idle {} {}\n", busy / 1'000'000, busy % 1'000'000, line.values[0],
                   line.values[1]);
        return;
    }
    std::string_view labels = shape.labels;
    for (uint8_t i = 0; i < line.count; ++i) {
        const size_t blank = std::min(labels.find(' '), labels.size());
        const std::string_view label = labels.substr(0, blank);
        labels.remove_prefix(std::min(blank + 1, labels.size()));
        if (label == "-")
            out->Print(" {}", line.values[i]);
        else
            out->Print(" {} {}", label, line.values[i]);
    }
    if (!line.text.empty()) {
        const bool needs_label = line.record == kTraceMarkArray && !line.text.starts_with("array");
        out->Print(" {}{}", needs_label ? "array " : "", line.text);
    }
    out->Write("\n");
}

}  // namespace

void PrintOldLine(const OldLine& line, bool verbose, FileOutput* out) {
    if (verbose) return PrintVerbose(line, out);
    out->Print("{} {} {} {}", line.record, line.seconds, line.microseconds, line.node);
    // The compact form has idle time alone.
    const bool stats = line.record == kCompstats && line.count == 4;
    for (uint8_t i = stats ? 2 : 0; i < line.count; ++i) out->Print(" {}", line.values[i]);
    if (!line.text.empty()) {
        std::string_view text = line.text;
        if (line.record == kTraceMarkArray && text.starts_with("array")) text.remove_prefix(5);
        while (text.starts_with(' ')) text.remove_prefix(1);
        out->Print(" {}", text);
    }
    out->Write("\n");
}

void PrintSeconds(int64_t ns, int decimals, FileOutput* out) {
    constexpr int64_t kNsPerSecond = 1'000'000'000;
    int64_t unit = kNsPerSecond;
    for (int i = 0; i < decimals; ++i) unit /= 10;
    const int64_t size = ns < 0 ? -ns : ns;
    const char* sign = ns < 0 ? "-" : "";
    if (decimals == 0) {
        out->Print("{}{}", sign, size / kNsPerSecond);
    } else {
        out->Print("{}{}.{:0{}}", sign, size / kNsPerSecond, size % kNsPerSecond / unit, decimals);
    }
}

}  // namespace comshu::format::picl
