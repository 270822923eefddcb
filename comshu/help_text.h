// Help as it is printed, and manual pages: both from the model of the command.
#ifndef COMSHU_HELP_TEXT_H_
#define COMSHU_HELP_TEXT_H_

#include <string>
#include <vector>

#include "command_model.h"
#include "terminal.h"

namespace comshu {

std::string HelpText(const VerbModel& verb, const Terminal& terminal);
// Of the command without a verb.
std::string OverviewText(const std::vector<VerbModel>& verbs, const Terminal& terminal);

// comshu(1) and comshu-VERB(1), in the language of man(7).
std::string ManPage(const std::vector<VerbModel>& verbs, const std::string& version);
std::string ManPage(const VerbModel& verb, const std::string& version);

}  // namespace comshu

#endif  // COMSHU_HELP_TEXT_H_
