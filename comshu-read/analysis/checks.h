// What must hold of every capture: the assertions of tests/asserts, made into the program by the build.
#ifndef COMSHU_ANALYSIS_CHECKS_H_
#define COMSHU_ANALYSIS_CHECKS_H_

#include <vector>

namespace comshu::analysis {

struct Check {
    const char* name;
    const char* what;  // That must hold.
    const char* sql;   // The rows that break it.
};
const std::vector<Check>& Checks();

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_CHECKS_H_
