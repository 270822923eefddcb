// What the verbs that read captures share.
#ifndef COMSHU_READING_H_
#define COMSHU_READING_H_

#include <memory>
#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "comshu/read/database.h"

namespace comshu {

// Both throw CommandError when the folders cannot be read.
std::unique_ptr<read::Capture> OpenCapture(const std::vector<std::string>& folders);
std::unique_ptr<read::Database> OpenDatabase(
    const std::vector<std::string>& folders,
    read::ClockChoice clock = read::ClockChoice::kMeasured);

// What is damaged or missing, on stderr.
void WarnOfProblems(const char* verb, const read::Capture& capture);

// Says so, on stderr, if nobody completed a capture whose program is gone.
void HintAtPack(const char* verb, const read::Capture& capture);

}  // namespace comshu

#endif  // COMSHU_READING_H_
