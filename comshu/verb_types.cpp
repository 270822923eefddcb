#include <memory>
#include <string>
#include <vector>

#include "comshu/read/dump.h"
#include "error.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclareTypes(CLI::App& verb) {
    struct Options {
        std::string type;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    verb.add_option("TYPE", options->type, "this record type alone");
    verb.add_flag("--json", options->json, "the same as data");
    return [options](const std::vector<std::string>&) {
        std::string error;
        if (!read::PrintTypes(nullptr, options->type, options->json, stdout, &error))
            throw CommandError(error);
        return 0;
    };
}

}  // namespace comshu
