#ifndef COMSHU_READ_FAILURES_H_
#define COMSHU_READ_FAILURES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comshu/read/process.h"

namespace comshu::read {

constexpr std::string_view kFailuresSuffix = ".failures";

// Reads <pass>/<host>.failures, in which each `comshu run` that stood around a process left how that
// failed: "pid signal exit-code ns" (CLOCK_REALTIME). Sets `signal`, `failed_ns` and, where the process
// did not tell it, `exit_code` of the image that the number had then. A shell between the two ends with
// 128 + signal, so a process alone below the number is meant as well.
void ReadFailures(const std::string& path, int64_t start_realtime_ns,
                  const std::vector<std::unique_ptr<Process>>& processes);

}  // namespace comshu::read

#endif  // COMSHU_READ_FAILURES_H_
