// What help, man pages and shell completion are made from: the verbs and options as they are declared.
#ifndef COMSHU_COMMAND_MODEL_H_
#define COMSHU_COMMAND_MODEL_H_

#include <string>
#include <vector>

#include "verbs.h"

namespace comshu {

struct OptionModel {
    std::vector<std::string>
        names;          // "-o", "--output"; of a positional argument what stands for it.
    std::string value;  // DIR, NAME[,NAME]; empty for a flag.
    std::vector<std::string> choices;
    std::string help;
    bool required = false;
};

struct VerbModel {
    std::string name;
    std::string help;  // One line.
    std::string example;
    bool takes_command = false;
    std::vector<OptionModel> arguments;
    std::vector<OptionModel> options;

    // The command line as it is written: comshu run [OPTIONS] -- COMMAND...
    std::string Usage() const;
};

VerbModel ModelOf(const Verb& verb);
std::vector<VerbModel> AllModels();

// "-o, --output DIR"
std::string Signature(const OptionModel& option);

std::string Joined(const std::vector<std::string>& words, const char* between);

}  // namespace comshu

#endif  // COMSHU_COMMAND_MODEL_H_
