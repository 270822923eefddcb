#ifndef COMSHU_VERBS_H_
#define COMSHU_VERBS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace comshu {

// Does what a verb is for; returns the exit code, or throws CommandError. `command` is what stands
// behind the options of a verb that takes a command, empty for all others.
using VerbAction = std::function<int(const std::vector<std::string>& command)>;

// One verb of the command. All are in the table of verbs.cpp.
struct Verb {
    const char* name;
    const char* help;     // One line.
    const char* example;  // One or more command lines.
    // Adds the verb's options; they live as long as the action.
    VerbAction (*declare)(CLI::App& verb);
    bool takes_command = false;
    // An executable beside comshu that all words go to; null: none. Its options are declared for help.
    const char* program = nullptr;
};
const std::vector<Verb>& Verbs();

VerbAction DeclareRun(CLI::App& verb);
VerbAction DeclareList(CLI::App& verb);
VerbAction DeclareRead(CLI::App& verb);
VerbAction DeclareLink(CLI::App& verb);
VerbAction DeclareDiff(CLI::App& verb);
VerbAction DeclareDump(CLI::App& verb);
VerbAction DeclareTypes(CLI::App& verb);
VerbAction DeclareSql(CLI::App& verb);
VerbAction DeclareExport(CLI::App& verb);
VerbAction DeclareImport(CLI::App& verb);
VerbAction DeclareCtl(CLI::App& verb);
VerbAction DeclarePack(CLI::App& verb);
VerbAction DeclareInstrument(CLI::App& verb);
VerbAction DeclareFc(CLI::App& verb);
VerbAction DeclareCompletion(CLI::App& verb);

// Becomes the program of the verb; throws CommandError if it is not there.
int RunProgramOfVerb(const Verb& verb, const std::vector<std::string>& words);

}  // namespace comshu

#endif  // COMSHU_VERBS_H_
