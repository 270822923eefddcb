// Completion scripts of shells, from the model of the command.
#ifndef COMSHU_COMPLETION_H_
#define COMSHU_COMPLETION_H_

#include <string>
#include <vector>

#include "command_model.h"

namespace comshu {

std::string BashCompletion(const std::vector<VerbModel>& verbs);
std::string ZshCompletion(const std::vector<VerbModel>& verbs);

}  // namespace comshu

#endif  // COMSHU_COMPLETION_H_
