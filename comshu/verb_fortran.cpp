// Verbs that are programs of their own, beside this one: they carry a Fortran compiler's front end, or
// stand for a compiler and take its arguments as they are.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "error.h"
#include "verbs.h"

namespace comshu {
namespace fs = std::filesystem;
namespace {

// Help, manual page and completion know the options from here; the program reads its words itself.
void Show(CLI::App& verb, const char* name, const char* value, const char* help) {
    static std::string ignored;
    verb.add_option(name, ignored, std::string(help))->type_name(value);
}
void ShowFlag(CLI::App& verb, const char* name, const char* help) {
    verb.add_flag(name)->description(help);
}

void ShowLevels(CLI::App& verb) {
    Show(verb, "-d", "LEVEL",
         "how much: perf (-dperf, without it), 0 to 4 (-d3); bif1 or bif2 beside -d3 or -d4 "
         "(-dbif1): "
         "data of the iterations alone that the run chooses; -d3:1,5-7 for these fragments");
    Show(verb, "--atomic", "keep|critical",
         "ATOMIC stays, or becomes a critical section (keep; critical with --dbg-includes)");
    ShowFlag(verb, "-v", "say what is left alone and why");
}

}  // namespace

int RunProgramOfVerb(const Verb& verb, const std::vector<std::string>& words) {
    std::error_code error;
    const fs::path own = fs::read_symlink("/proc/self/exe", error);
    const std::string program = (own.parent_path() / verb.program).string();
    std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    if (errno == ENOENT) {
        throw CommandError(program +
                           " is not there. `make` builds it (`make demo` alone does not), if LLVM "
                           "Flang (Debian: libflang-19-dev llvm-19-dev) is found when comshu is "
                           "configured");
    }
    throw CommandError(program + ": " + std::strerror(errno));
}

VerbAction DeclareInstrument(CLI::App& verb) {
    Show(verb, "SOURCE", "SOURCE", "a Fortran source, fixed or free form");
    Show(verb, "-o", "FILE", "the instrumented source (SOURCE with .dbg before its suffix)");
    Show(verb, "--registration", "FILE", "C file that registers the constructs (FILE.c)");
    ShowLevels(verb);
    Show(verb, "--dbg-includes", "DIR",
         "the documented scheme: dbg_vars.h and dbg_init.h in DIR, which instrumented text "
         "includes");
    ShowFlag(verb, "--levels", "print which events each level has");
    Show(verb, "--bind", "0|1", "which Fortran types have a code: without INTEGER*8, or with (1)");
    ShowFlag(verb, "--fixed", "fixed form, whatever the suffix");
    ShowFlag(verb, "--free", "free form, whatever the suffix");
    Show(verb, "--columns", "N", "of fixed form (72)");
    ShowFlag(verb, "--preprocess", "preprocess, whatever the suffix");
    ShowFlag(verb, "--no-openmp", "directives are comments");
    ShowFlag(verb, "--no-line-markers", "none that keep messages on the lines of SOURCE");
    Show(verb, "--names", "HEAD", "what is inserted has names that begin so (dbg)");
    Show(verb, "--underscores", "N",
         "that the compiler puts behind names: 0 of -fno-underscoring, 2 of -fsecond-underscore "
         "(1)");
    ShowFlag(verb, "--default-integer-8", "as the compiler's -fdefault-integer-8");
    ShowFlag(verb, "--default-real-8", "as the compiler's -fdefault-real-8");
    Show(verb, "--modules", "DIR", "compiled modules are found and left there (levels 3, 4)");
    Show(verb, "--modules-from", "DIR", "compiled modules are found there, too");
    Show(verb, "--standard", "f95|f2003|f2008|f2018",
         "what is inserted is of this standard (f2018); before it comshu_dbg_entries.f90, which is "
         "written beside it, is compiled first");
    Show(verb, "-I", "DIR", "where include files and modules lie");
    Show(verb, "-D", "NAME[=VALUE]", "a macro");
    Show(verb, "-U", "NAME", "no such macro");
    return nullptr;
}

VerbAction DeclareFc(CLI::App& verb) {
    ShowLevels(verb);
    Show(verb, "--dbg-includes", "DIR",
         "write dbg_vars.h and dbg_init.h of the documented scheme to DIR, too");
    ShowFlag(verb, "--strict", "a source that cannot be instrumented is an error");
    return nullptr;
}

}  // namespace comshu
