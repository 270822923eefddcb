#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/pack.h"
#include "error.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclarePack(CLI::App& verb) {
    auto folders = std::make_shared<std::vector<std::string>>();
    verb.add_option("DIR", *folders, "folders of captures")->required();
    return [folders](const std::vector<std::string>&) {
        read::PackResult result;
        std::string error;
        if (!read::PackCapture(*folders, &result, &error)) throw CommandError(error);
        for (const std::string& left : result.left)
            std::fprintf(stderr, "comshu pack: left as it is: %s\n", left.c_str());
        std::printf("%zu streams packed, %zu were already; %llu bytes, %llu before\n",
                    result.packed, result.already,
                    static_cast<unsigned long long>(result.bytes_after),
                    static_cast<unsigned long long>(result.bytes_before));
        return result.left.empty() ? 0 : kExitFailed;
    };
}

}  // namespace comshu
