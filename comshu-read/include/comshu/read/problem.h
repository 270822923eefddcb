// What is wrong with a capture.
#ifndef COMSHU_READ_PROBLEM_H_
#define COMSHU_READ_PROBLEM_H_

#include <cstdint>
#include <string>

namespace comshu::read {

enum class ProblemKind : uint8_t {
    kMissing,  // Records are missing; how many and of which calls is not known.
    kDamage,   // Something of the files is damaged or not as it should be.
    kClock,
    kInput,  // Of what was given to be read.
};
// As in column `kind` of table `problem`: missing, damage, clock, input.
const char* KindName(ProblemKind kind);

struct Problem {
    ProblemKind kind = ProblemKind::kDamage;
    std::string text;  // One line.
};

// Of a `capture.json`.
inline std::string DamagedDescription(const std::string& path) {
    return path + ": cannot be read: how the run was started and ended is not known";
}

}  // namespace comshu::read

#endif  // COMSHU_READ_PROBLEM_H_
