#ifndef COMSHU_LAUNCH_ENVIRONMENT_H_
#define COMSHU_LAUNCH_ENVIRONMENT_H_

#include <map>
#include <string>

namespace comshu::launch {

// The environment of a process, as the planning sees it: a copy that tests can make up.
using Environment = std::map<std::string, std::string>;

// The environment of this process.
Environment CurrentEnvironment();

// A variable's value; empty if it is not set.
std::string Value(const Environment& environment, const std::string& name);

struct Variable {
    std::string name;
    std::string value;
    bool operator==(const Variable&) const = default;
};

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_ENVIRONMENT_H_
