// Two captures of one program: what got better and what got worse.
#ifndef COMSHU_ANALYSIS_COMPARE_H_
#define COMSHU_ANALYSIS_COMPARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::analysis {

struct CompareOptions {
    double threshold = 0.1;   // A change of less than this share of what it was is none.
    double min_share = 0.01;  // Nor is one of less than this share of the time of all threads.
};

enum class Verdict : uint8_t { kSame, kBetter, kWorse, kChanged };
const char* VerdictText(Verdict verdict);

// `group`: run, efficiency, messages, call, line. What is missing on one side is NaN.
struct Difference {
    std::string group;
    std::string name;
    std::string unit;
    double before = 0;
    double after = 0;
    Verdict verdict = Verdict::kSame;
};

// Compares run time, time in MPI, waiting, efficiencies, messages, and the time of each call and each
// source line (by the file's name without its folders). Counts are never worse, only changed.
bool Compare(read::Database* before, read::Database* after, const CompareOptions& options,
             std::vector<Difference>* differences, std::string* error);

// A sentence where the captures do not hold the same of their runs: layers, or the level at which OpenMP was
// told. Empty where they do, or where that is not known.
bool WhatDiffersInRecording(read::Database* before, read::Database* after, std::string* remark,
                            std::string* error);

// A temporary table `difference` with these rows, in order.
bool MakeDifferenceTable(read::Database* database, const std::vector<Difference>& differences,
                         std::string* error);

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_COMPARE_H_
