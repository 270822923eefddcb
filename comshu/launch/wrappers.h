#ifndef COMSHU_LAUNCH_WRAPPERS_H_
#define COMSHU_LAUNCH_WRAPPERS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace comshu::launch {

// Index of the command that a wrapper at argv[at] starts (`timeout 5 CMD`, `env A=1 CMD`,
// `numactl -N 0 CMD` ...); nullopt if argv[at] is no wrapper that is known, or starts nothing.
// Tokens at and behind `end` belong to others.
std::optional<size_t> CommandInside(const std::vector<std::string>& argv, size_t at, size_t end);

// An `env` among the wrappers in front of a command.
struct EnvWrapper {
    size_t at = 0;                  // index of the word env
    size_t first_assignment = 0;    // where NAME=VALUE may be inserted
    bool clears = false;            // env -i
    bool removes_preload = false;   // env -u LD_PRELOAD
    std::optional<size_t> preload;  // index of its LD_PRELOAD=..., the one that counts
};

// Follows wrappers from argv[at] on to the command itself.
struct WrappedCommand {
    size_t command = 0;  // index of the first word that is no wrapper; `end` if there is none
    std::vector<EnvWrapper> envs;
};
WrappedCommand FollowWrappers(const std::vector<std::string>& argv, size_t at, size_t end);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_WRAPPERS_H_
