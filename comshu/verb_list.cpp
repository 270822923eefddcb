#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "provider_registry.h"
#include "run_option.h"
#include "terminal.h"
#include "verbs.h"

namespace comshu {
namespace {

std::string Aliases(const ProviderInfo& provider) {
    std::string text;
    for (std::string_view alias : provider.aliases) {
        if (!text.empty()) text += ' ';
        text += alias;
    }
    return text;
}

// Where the column SHOWS begins.
constexpr size_t kShows = 35;
constexpr size_t kNarrowestShows = 25;

std::string Fitted(const std::string& text, size_t width) {
    return Wrapped(text, std::max(width, kShows + kNarrowestShows) - kShows, kShows);
}

void PrintTable() {
    // Whoever filters lines wants them whole.
    const Terminal terminal = Terminal::Of(stdout);
    const size_t width = terminal.is_terminal ? terminal.width : std::string::npos;
    std::printf("%-9s %-19s %-4s %s\n", "PROVIDER", "ALIASES", "HERE", "SHOWS");
    for (const ProviderInfo& provider : Providers()) {
        Availability here = CanWorkHere(provider);
        std::printf("%-9s %-19s %-4s %s\n", std::string(provider.name).c_str(),
                    Aliases(provider).c_str(), here.works ? "yes" : "no",
                    Fitted(std::string(provider.shows), width).c_str());
        const auto below = [&](const std::string& text) {
            std::printf("%*s%s\n", static_cast<int>(kShows), "", Fitted(text, width).c_str());
        };
        if (!here.detail.empty()) below((here.works ? "(for " : "(") + here.detail + ")");
        for (const RunOption& option : RunOptionList()) {
            if (option.provider != provider.name) continue;
            below(option.flag + " " + option.values + ": " + option.HelpText());
        }
    }
}

nlohmann::json OptionsJson(const std::string& provider) {
    nlohmann::json list = nlohmann::json::array();
    for (const RunOption& option : RunOptionList()) {
        if (option.provider != provider) continue;
        list.push_back({{"flag", option.flag},
                        {"variable", option.variable},
                        {"values", option.values},
                        {"default", option.standard},
                        {"help", option.help}});
    }
    return list;
}

void PrintJson() {
    nlohmann::json list = nlohmann::json::array();
    for (const ProviderInfo& provider : Providers()) {
        Availability here = CanWorkHere(provider);
        list.push_back({{"name", provider.name},
                        {"aliases", provider.aliases},
                        {"shows", provider.shows},
                        {"works", here.works},
                        {"detail", here.detail},
                        {"options", OptionsJson(std::string(provider.name))}});
    }
    std::printf("%s\n", list.dump(2).c_str());
}

}  // namespace

VerbAction DeclareList(CLI::App& verb) {
    auto json = std::make_shared<bool>(false);
    verb.add_flag("--json", *json, "the same as data");
    auto options = std::make_shared<bool>(false);
    verb.add_flag("--options", *options,
                  "a table of all options of comshu run that set the recorder");
    return [json, options](const std::vector<std::string>&) {
        if (*options) {
            std::printf("%s", OptionTable().c_str());
        } else if (*json) {
            PrintJson();
        } else {
            PrintTable();
        }
        return 0;
    };
}

}  // namespace comshu
