// The part of `comshu read` that shows chosen answers instead of the report.
#ifndef COMSHU_READ_SECTIONS_H_
#define COMSHU_READ_SECTIONS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "comshu/read/host_clock.h"

namespace comshu {

struct SectionOptions {
    std::vector<std::string> sections;
    std::string window;
    std::vector<std::string> ranks;
    std::string where;
    read::ClockChoice clock = read::ClockChoice::kMeasured;
};

void DeclareSections(CLI::App& verb, SectionOptions* options);

// What was asked for, as text, or with `json` as one object: section, table, rows. With `explain` the
// queries are printed and nothing is opened.
void ShowSections(const SectionOptions& options, const std::vector<std::string>& folders, bool json,
                  bool explain);

// Sentences under tables, each with a line before it.
void ShowRemarks(const std::vector<std::string>& remarks);

}  // namespace comshu

#endif  // COMSHU_READ_SECTIONS_H_
