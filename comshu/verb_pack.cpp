#include <memory>
#include <string>
#include <vector>

#include "error.h"
#include "launch/finish.h"
#include "launch/job.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclarePack(CLI::App& verb) {
    auto folders = std::make_shared<std::vector<std::string>>();
    verb.add_option("DIR", *folders, "folders of captures")->required();
    return [folders](const std::vector<std::string>&) {
        bool complete = true;
        for (const std::string& folder : *folders) {
            const bool all = launch::CompleteCapture("pack", folder, launch::HostName());
            if (all) launch::SetCompleted(folder);
            complete = complete && all;
        }
        return complete ? 0 : kExitFailed;
    };
}

}  // namespace comshu
