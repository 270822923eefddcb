// The command `comshu`: finds the verb, runs it, says what went wrong.

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "completion.h"
#include "error.h"
#include "help_text.h"
#include "launch/launcher_shim.h"
#include "verbs.h"

namespace comshu {
namespace {

void PrintVerbs() {
    std::fputs(OverviewText(AllModels(), Terminal::Of(stdout)).c_str(), stdout);
}

// For the build: man pages and completion scripts, into an existing folder.
int WriteShellFiles(const std::string& folder) {
    const std::vector<VerbModel> verbs = AllModels();
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(folder + "/" + name) << text;
    };
    write("comshu.1", ManPage(verbs, COMSHU_VERSION));
    for (const VerbModel& verb : verbs) {
        write("comshu-" + verb.name + ".1", ManPage(verb, COMSHU_VERSION));
    }
    write("comshu", BashCompletion(verbs));
    write("_comshu", ZshCompletion(verbs));
    return 0;
}

// Takes the command off the end of the words of a verb: what is behind `--`, or else the first word
// that is neither an option nor the value of one, and all behind it.
std::vector<std::string> TakeCommand(const CLI::App& verb, std::vector<std::string>& words) {
    size_t at = 1;
    for (; at < words.size() && words[at] != "--" && words[at].starts_with("-"); ++at) {
        const std::string& word = words[at];
        bool joined =
            word.find('=') != std::string::npos || (!word.starts_with("--") && word.size() > 2);
        const CLI::Option* option = joined ? nullptr : verb.get_option_no_throw(word);
        if (option && option->get_items_expected_max() > 0) ++at;
    }
    if (at >= words.size()) return {};
    size_t command = words[at] == "--" ? at + 1 : at;
    std::vector<std::string> taken(words.begin() + command, words.end());
    words.resize(at);
    return taken;
}

// What no handler could catch, as in a thread of a library.
[[noreturn]] void Terminate() {
    const char* what = "an internal error";
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        what = "not enough memory";
    } catch (...) {
    }
    std::fprintf(stderr, "comshu: %s\n", what);
    _exit(kExitFailed);
}

// Output that was accepted may still fail on its way.
int AfterOutput(int exit_code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    std::fprintf(stderr, "comshu: the output cannot be written: %s\n", std::strerror(errno));
    return exit_code == 0 ? kExitFailed : exit_code;
}

// The verb whose program reads these words itself; null: none, or its help is asked for.
const Verb* VerbOfProgram(const std::vector<std::string>& words) {
    if (words.empty() || (words.size() > 1 && (words[1] == "--help" || words[1] == "-h")))
        return nullptr;
    for (const Verb& verb : Verbs()) {
        if (verb.program != nullptr && words[0] == verb.name) return &verb;
    }
    return nullptr;
}

// How many letters to change, add or take away.
size_t Distance(const std::string& a, const std::string& b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (size_t i = 0; i < a.size(); ++i) {
        size_t before = row[0]++;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t changed = before + (a[i] == b[j] ? 0 : 1);
            before = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, before + 1});
        }
    }
    return row.back();
}

// Of a word that is no verb: the one that was meant, or all of them.
std::string UnknownVerb(const std::string& word) {
    const std::vector<Verb>& verbs = Verbs();
    const auto nearest =
        std::min_element(verbs.begin(), verbs.end(), [&](const Verb& a, const Verb& b) {
            return Distance(word, a.name) < Distance(word, b.name);
        });
    const size_t distance = Distance(word, nearest->name);
    std::string text = "there is no verb '" + word + "'; ";
    if (2 * distance <= word.size())
        return text + "did you mean 'comshu " + nearest->name + "'? See 'comshu --help'";
    text += "there are";
    for (const Verb& verb : verbs)
        text.append(&verb == &verbs.front() ? " " : ", ").append(verb.name);
    return text + ". See 'comshu --help'";
}

int Main(int argc, char** argv) {
    std::set_terminate(Terminate);
    CLI::App app("comshu shows what a parallel program says to itself.", "comshu");
    app.set_version_flag("--version", "comshu " COMSHU_VERSION);
    app.require_subcommand(0, 1);
    app.formatter_fn([](const CLI::App*, const std::string&, CLI::AppFormatMode) {
        return OverviewText(AllModels(), Terminal::Of(stdout));
    });
    VerbAction action;
    std::vector<std::string> words(argv + 1, argv + argc);
    std::vector<std::string> command;
    if (const Verb* verb = VerbOfProgram(words)) {
        try {
            return RunProgramOfVerb(*verb, {words.begin() + 1, words.end()});
        } catch (const CommandError& error) {
            std::fprintf(stderr, "comshu %s: %s\n", verb->name, error.what());
            return error.exit_code();
        }
    }
    for (const Verb& verb : Verbs()) {
        CLI::App* sub = app.add_subcommand(verb.name, verb.help);
        sub->formatter_fn([&verb](const CLI::App*, const std::string&, CLI::AppFormatMode) {
            return HelpText(ModelOf(verb), Terminal::Of(stdout));
        });
        VerbAction run = verb.declare(*sub);
        sub->final_callback([&action, run] { action = run; });
        if (verb.takes_command && !words.empty() && words[0] == verb.name) {
            command = TakeCommand(*sub, words);
        }
    }
    const auto is_first = [&](const Verb& verb) { return words[0] == verb.name; };
    if (!words.empty() && !words[0].starts_with("-") &&
        std::none_of(Verbs().begin(), Verbs().end(), is_first)) {
        std::fprintf(stderr, "comshu: %s\n", UnknownVerb(words[0]).c_str());
        return kExitUsage;
    }
    try {
        // CLI11 takes the words from the end.
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::Success& success) {
        return AfterOutput(app.exit(success));
    } catch (const CLI::ParseError& error) {
        std::string verb;
        for (const CLI::App* sub : app.get_subcommands()) verb.append(" ").append(sub->get_name());
        std::fprintf(stderr, "comshu%s: %s; see 'comshu%s --help'\n", verb.c_str(), error.what(),
                     verb.c_str());
        return kExitUsage;
    }
    if (!action) {
        PrintVerbs();
        return AfterOutput(0);
    }
    std::string verb = app.get_subcommands().front()->get_name();
    try {
        return AfterOutput(action(command));
    } catch (const CommandError& error) {
        std::fprintf(stderr, "comshu %s: %s\n", verb.c_str(), error.what());
        return error.exit_code();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "comshu %s: %s\n", verb.c_str(), error.what());
        return kExitFailed;
    }
}

}  // namespace
}  // namespace comshu

int main(int argc, char** argv) {
    if (comshu::launch::IsLauncherShim(argv[0])) return comshu::launch::RunAsLauncher(argc, argv);

    if (argc == 3 && std::strcmp(argv[1], "--write-shell-files") == 0) {
        return comshu::WriteShellFiles(argv[2]);
    }
    return comshu::Main(argc, argv);
}
