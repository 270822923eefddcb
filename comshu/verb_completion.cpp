#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "command_model.h"
#include "completion.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclareCompletion(CLI::App& verb) {
    auto shell = std::make_shared<std::string>();
    verb.add_option("SHELL", *shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    return [shell](const std::vector<std::string>&) {
        const std::vector<VerbModel> verbs = AllModels();
        const std::string script = *shell == "bash" ? BashCompletion(verbs) : ZshCompletion(verbs);
        std::fputs(script.c_str(), stdout);
        return 0;
    };
}

}  // namespace comshu
