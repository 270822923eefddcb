#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comshu/read/dump.h"
#include "error.h"
#include "progress.h"
#include "reading.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclareDump(CLI::App& verb) {
    struct Options {
        std::vector<std::string> folders;
        read::DumpOptions dump;
    };
    auto options = std::make_shared<Options>();
    verb.add_option("DIR", options->folders, "folders of captures, read as one")->required();
    verb.add_option("--type", options->dump.type, "the records of this type alone");
    verb.add_flag("--json", options->dump.json, "one JSON object a line");
    return [options](const std::vector<std::string>&) {
        std::optional<Progress> progress(std::in_place, "dump", "opening the capture");
        const std::unique_ptr<read::Capture> capture = OpenCapture(options->folders);
        progress.reset();
        std::string error;
        if (!read::Dump(*capture, options->dump, stdout, &error)) throw CommandError(error);
        WarnOfProblems("dump", *capture);
        return 0;
    };
}

}  // namespace comshu
