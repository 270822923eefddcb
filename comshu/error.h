#ifndef COMSHU_ERROR_H_
#define COMSHU_ERROR_H_

#include <stdexcept>
#include <string>

namespace comshu {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

// Ends a verb. The message names the thing, the reason and what to do; main prints it.
class CommandError : public std::runtime_error {
public:
    explicit CommandError(const std::string& message, int exit_code = kExitFailed)
        : std::runtime_error(message), exit_code_(exit_code) {}
    int exit_code() const { return exit_code_; }

private:
    int exit_code_;
};

// The command line itself is wrong.
class UsageError : public CommandError {
public:
    explicit UsageError(const std::string& message) : CommandError(message, kExitUsage) {}
};

}  // namespace comshu

#endif  // COMSHU_ERROR_H_
