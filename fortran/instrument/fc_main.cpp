// comshu-fc: compiles as the user's own command would, each Fortran source instrumented on the way.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "instrument/entry_interfaces.h"
#include "instrument/fc_command.h"
#include "instrument/fc_includes.h"
#include "instrument/fc_side_files.h"
#include "instrument/levels.h"
#include "instrument/output_file.h"
#include "instrument/process.h"
#include "instrument/registration.h"
#include "instrument/source_options.h"

namespace comshu::fortran {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kUsage =
    "usage: comshu fc [options] [--] COMPILER its-own-arguments\n"
    "  -dperf, -d0 ... -d4   level of instrumentation, with :1,5-7 for fragments (default -dperf)\n"
    "  -dbif1, -dbif2        at -d3, -d4: data of the iterations alone that the runtime chooses\n"
    "  --atomic keep|critical\n"
    "  --dbg-includes DIR    write dbg_vars.h and dbg_init.h of the documented scheme to DIR, too\n"
    "  --strict              a source that cannot be instrumented is an error\n"
    "  -v                    say what is done and what is left alone\n"
    "Example: make FC=\"comshu fc gfortran\"\n";

// Exit codes of shells.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

struct Options {
    Words instrument;      // passed on
    std::string includes;  // folder of dbg_vars.h and dbg_init.h
    bool strict = false;
    bool verbose = false;
};

std::string Line(const std::string& message) {
    return "comshu fc: " + message + "\n";
}

void Say(const std::string& message) {
    std::fputs(Line(message).c_str(), stderr);
}

int Fail(const std::string& message) {
    Say(message);
    return 1;
}

int UsageError(const std::string& message) {
    Say(message);
    return 2;
}

bool Exists(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0;
}

bool IsDirectory(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Removes a file that was not written as a whole; not /dev/null.
struct Unfinished {
    const std::string& path;
    bool is_whole = false;
    ~Unfinished() {
        struct stat status;
        if (!is_whole && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
            std::remove(path.c_str());
        }
    }
};

// Compiles the sources of one command.
class Driver {
public:
    Driver(const CompilerCommand& command, const Options& options)
        : command_(command), options_(options), own_(OwnFolder()) {}

    int Run() {
        if (command_.passes_by || command_.is_static) {
            if (command_.is_static && !command_.sources.empty()) {
                Say("a program linked with -static cannot be recorded: not instrumented");
            }
            return Original();
        }
        if (command_.static_variables && AsksForConditions()) {
            Say("local variables are static here: -dbif1 and -dbif2 do not hold");
        }
        if (!command_.sources.empty() && folder_.path().empty()) {
            Say("no folder for temporary files: not instrumented");
            return Original();
        }
        if (!command_.sources.empty() && !Exists(Instrumentor())) {
            Say(Instrumentor() +
                " is missing, without it nothing is instrumented: `make` in comshu's tree builds "
                "it "
                "where LLVM Flang's libraries are installed (libflang-19-dev, llvm-19-dev)");
            return options_.strict ? 1 : Original();
        }
        Words objects;
        int code = 0;
        for (std::size_t source : command_.sources) {
            // As a compiler does: what is wrong with the others is said, too.
            objects.push_back(ObjectOf(source));
            code = std::max(code, Source(source, objects.back()));
        }
        if (code != 0) {
            return code;
        }
        std::size_t all = command_.sources.size();
        if (instrumented_ + unchanged_ < all || (options_.verbose && all > 0)) {
            Say(std::to_string(instrumented_) + " of " + std::to_string(all) +
                (all == 1 ? " source" : " sources") + " instrumented" +
                (unchanged_ > 0 ? ", nothing inserted in " + std::to_string(unchanged_) : ""));
        }
        return command_.links ? LinkAll(objects) : 0;
    }

private:
    bool AsksForConditions() const {
        return std::any_of(options_.instrument.begin(), options_.instrument.end(),
                           [](const std::string& o) { return o.rfind("-dbif", 0) == 0; });
    }

    std::string Instrumentor() const { return own_ + "/comshu-instrument"; }

    int Original() {
        Words words{command_.compiler};
        words.insert(words.end(), command_.arguments.begin(), command_.arguments.end());
        return RunProcess(words, false).code;
    }

    std::string ObjectOf(std::size_t source) const {
        const std::string& path = command_.arguments[source];
        if (command_.links) {
            return folder_.path() + "/" + std::to_string(source) + "." + ObjectName(path);
        }
        return command_.output.empty() ? ObjectName(path) : command_.output;
    }

    // Compiles the original, whose messages of success may have been shown before, and then says why it is not
    // instrumented. Where it does not compile either that is all there is to say.
    int LeftAlone(std::size_t source, const std::string& object, const std::string& reason,
                  bool shown = false) {
        const std::string& path = command_.arguments[source];
        Finished original = RunProcess(CompileOne(command_, source, path, object), shown);
        if (command_.links) {
            MendDependencies(command_, source, path, object);
        }
        if (original.code != 0) {
            std::fputs(original.errors.c_str(), stderr);
            return original.code;
        }
        std::fputs(reason.c_str(), stderr);
        if (options_.strict) {
            const Unfinished removed{object};
            return Fail(path + " cannot be instrumented");
        }
        return 0;
    }

    // Where the compiler finds include files, as options. It is asked where a source has any.
    const Words& Includes(std::size_t source) {
        const std::string& path = command_.arguments[source];
        if (!asked_ && MayInclude(ReadText(path))) {
            asked_ = true;
            Words words = CompileOne(command_, source, path, folder_.path() + "/asked.o", true);
            words.push_back("-###");
            for (const std::string& folder : IncludeFolders(RunProcess(words, true).errors)) {
                includes_.push_back("-I" + folder);
            }
        }
        return includes_;
    }

    int Source(std::size_t source, const std::string& object) {
        const std::string& path = command_.arguments[source];
        if (std::string why = WhyUnreadable(path); !why.empty()) {
            std::string message = path + " cannot be read: " + why;
            // On a folder gfortran never ends; what else it can make of it is its own.
            return IsDirectory(path) ? Fail(message) : LeftAlone(source, object, Line(message));
        }
        std::string work = folder_.path() + "/" + std::to_string(source);
        if (mkdir(work.c_str(), 0700) != 0) {
            return Fail(work + ": cannot be made");
        }
        std::string text = work + "/" + path.substr(path.find_last_of('/') + 1);
        Words words{Instrumentor(), path, "-o", text, "--registration", work + "/unit.c"};
        for (const std::string& option : options_.instrument) {
            // The flag that holds around a loop would be the same for all threads.
            if (!command_.static_variables || option.rfind("-dbif", 0) != 0) {
                words.push_back(option);
            }
        }
        const Words& includes = Includes(source);
        words.insert(words.end(), includes.begin(), includes.end());
        words.insert(words.end(), command_.forwarded.begin(), command_.forwarded.end());
        bool fixed = command_.fixed_form.value_or(IsFixedFormName(path));
        words.push_back(fixed ? "--fixed" : "--free");
        words.push_back("--columns=" + std::to_string(command_.fixed_columns));
        if (!command_.openmp) {
            words.push_back("--no-openmp");
        }
        if (command_.preprocess.value_or(false)) {
            words.push_back("--preprocess");
        }
        if (command_.default_integer_8) {
            words.push_back("--default-integer-8");
        }
        if (command_.default_real_8) {
            words.push_back("--default-real-8");
        }
        if (NeedsEntryModule()) {
            words.push_back("--standard=" + command_.standard);
        }
        words.push_back("--underscores=" + std::to_string(command_.underscores));
        words.insert(words.end(), {"--modules=" + work, "--modules-from=" + command_.modules});
        if (options_.verbose) {
            words.push_back("-v");
        }
        Finished finished = RunProcess(words, true);
        if (finished.code != 0) {
            if (finished.crashed) {
                finished.errors += Line(path + ": comshu-instrument " + EndedBy(finished));
            }
            return LeftAlone(source, object, finished.errors);
        }
        int code = Compile(source, text, work, object, words);
        if (code == 0 && !options_.includes.empty()) {
            words[3] = work + "/documented" + text.substr(text.find_last_of('.'));
            words.insert(words.begin() + 4, {"--dbg-includes", options_.includes});
            Finished documented = RunProcess(words, true);
            if (documented.code != 0) {
                std::fputs(documented.errors.c_str(), stderr);
                if (access((options_.includes + "/").c_str(), W_OK) != 0 || options_.strict) {
                    return Fail("dbg_vars.h and dbg_init.h cannot be written to " +
                                options_.includes);
                }
                Say(path + " is not in dbg_vars.h and dbg_init.h");
            }
        }
        if (code == 0) {
            LeaveModules(work, command_.modules);
            std::fputs(finished.errors.c_str(), stderr);
        }
        return code;
    }

    // What a command that compiles the original says; it is shown.
    int Messages(std::size_t source, const std::string& work) {
        Finished original = RunProcess(
            CompileOne(command_, source, command_.arguments[source], work + "/original.o", true),
            true);
        std::fputs(original.errors.c_str(), stderr);
        return original.code;
    }

    bool TellsData() const {
        return std::any_of(
            options_.instrument.begin(), options_.instrument.end(),
            [](const std::string& o) { return o.starts_with("-d3") || o.starts_with("-d4"); });
    }

    // It passes objects of any type, which Fortran 2018 brought.
    bool NeedsEntryModule() const {
        return TellsData() && (command_.standard == "f95" || command_.standard == "f2003" ||
                               command_.standard == "f2008");
    }

    // Compiles the instrumented text. Messages are those of the original: it is compiled too where there
    // are any, and where they were asked for at a level that uses what is unused otherwise. `code`: of the
    // original, where that fails.
    Finished CompileText(std::size_t source, Words words, const std::string& work, int* code) {
        bool both = TellsData() && command_.asks_for_warnings;
        Finished compiled;
        if (!both) {
            compiled = RunProcess(words, true);
        }
        if (both || compiled.code != 0 || !compiled.errors.empty()) {
            *code = Messages(source, work);
            if (*code == 0 && (both || compiled.code != 0)) {
                words.push_back("-w");
                compiled = RunProcess(words, true);
            }
        }
        return compiled;
    }

    // Modules that the source uses may have names that are inserted; of those that none has.
    bool CompilesWithOtherNames(Words instrument, Words compile) {
        instrument.push_back("--names=comshu_dbg");
        compile.push_back("-w");  // its messages were shown
        return RunProcess(instrument, true).code == 0 && RunProcess(compile, true).code == 0;
    }

    // The entries that the unit defines are those of this object alone, whatever names other objects of the program
    // have; where objcopy is missing they are weak ones.
    static void HideEntries(const std::string& unit, const std::string& object) {
        Words words{"objcopy"};
        for (const std::string& name : NearEntries(ReadText(unit))) {
            words.push_back("--localize-symbol=" + name);
        }
        if (words.size() > 1) {
            words.push_back(object);
            RunProcess(words, true);
        }
    }

    // The instrumented text, with its registration unit in one object. Where the text does not
    // compile and the original does, the original it is. `instrument` made it.
    int Compile(std::size_t source, const std::string& text, const std::string& work,
                const std::string& object, Words instrument) {
        const std::string& path = command_.arguments[source];
        std::string part = work + "/text.o";
        Words words = CompileOne(command_, source, text, part);
        words.insert(words.begin() + 1, "-I" + FolderOf(path));
        if (command_.lto) {
            words.push_back("-fno-lto");
        }
        std::string entries = work + "/" + kEntryModule + ".f90";
        if (NeedsEntryModule() && Exists(entries)) {
            RunProcess({command_.compiler, "-fsyntax-only", "-J", work, entries}, true);
            words.insert(words.begin() + 1, "-I" + work);
        }
        int code = 0;
        Finished compiled = CompileText(source, words, work, &code);
        if (code != 0) {
            // Once more, to leave what it leaves by itself: dependencies, say.
            RunProcess(CompileOne(command_, source, path, object), true);
            return code;
        }
        if (compiled.code != 0 && !CompilesWithOtherNames(std::move(instrument), words)) {
            std::string reason = compiled.crashed ? "the compiler " + EndedBy(compiled)
                                                  : FirstError(compiled.errors);
            std::string message =
                Line(path + ": its instrumented text does not compile" +
                     (reason.empty() ? "" : " (" + reason + ")") + ", left alone");
            if (options_.strict || options_.verbose) {
                message = compiled.errors + message;
            }
            return LeftAlone(source, object, message, true);
        }
        MendDependencies(command_, source, text, part);
        std::string unit = work + "/unit.o";
        const char* cc = std::getenv("COMSHU_CC");
        Finished joined = RunProcess(
            {cc && *cc ? cc : "cc", "-O2", "-c", "-fPIC", work + "/unit.c", "-o", unit}, true);
        if (joined.code == 0) {
            Unfinished unfinished{object};
            std::string both = work + "/both.o";
            joined = RunProcess({"ld", "-r", part, unit, "-o", both}, true);
            if (joined.code == 0) {
                HideEntries(work + "/unit.c", both);
                joined = RunProcess({"ld", "-r", both, "-o", object}, true);
            }
            unfinished.is_whole = joined.code == 0;
        }
        if (joined.code != 0) {
            return LeftAlone(
                source, object,
                joined.errors + Line(path + ": its constructs cannot be registered "
                                            "(COMSHU_CC names a C compiler), left alone"));
        }
        ++(ReadText(text) == ReadText(path) ? unchanged_ : instrumented_);
        return 0;
    }

    int LinkAll(const Words& objects) {
        Words words = Link(command_, objects);
        std::string library = own_ + "/../lib/comshu";
        if (char* real = realpath(library.c_str(), nullptr)) {
            library = real;
            std::free(real);
        }
        words.insert(words.end(),
                     {"-L" + library, "-lcomshu_dbg", "-Wl,--enable-new-dtags,-rpath," + library});
        return RunProcess(words, false).code;
    }

    const CompilerCommand& command_;
    const Options& options_;
    std::string own_;
    PrivateFolder folder_;
    Words includes_;
    bool asked_ = false;
    std::size_t instrumented_ = 0;
    std::size_t unchanged_ = 0;  // compiled as they are: nothing has its place there
};

int Main(int argc, char** argv) {
    Options options;
    int at = 1;
    for (; at < argc; ++at) {
        std::string word = argv[at];
        Levels ignored;
        if (word == "--help" || word == "-h") {
            std::fputs(kUsage, stdout);
            return 0;
        }
        if (word == "--") {
            ++at;
            break;
        }
        if (word == "--strict") {
            options.strict = true;
        } else if (word == "-v") {
            options.verbose = true;
        } else if (word == "--dbg-includes" && at + 1 < argc) {
            options.includes = argv[++at];
        } else if (word.rfind("--dbg-includes=", 0) == 0) {
            options.includes = word.substr(word.find('=') + 1);
        } else if (word == "--atomic" || word.rfind("--atomic=", 0) == 0) {
            std::string mode =
                word == "--atomic" ? at + 1 < argc ? argv[++at] : "" : word.substr(9);
            if (mode != "keep" && mode != "critical") {
                return UsageError("--atomic is keep or critical");
            }
            options.instrument.push_back("--atomic=" + mode);
        } else if (ParseLevelOption(word, &ignored)) {
            options.instrument.push_back(word);
        } else if (word[0] == '-') {
            return UsageError(word + ": no such option (comshu fc --help)");
        } else {
            break;
        }
    }
    if (!options.includes.empty()) {
        // As in the documented scheme, unless it was asked for otherwise.
        options.instrument.insert(options.instrument.begin(), {"--atomic", "critical"});
    }
    if (at >= argc) {
        return UsageError("no compiler is given (comshu fc --help)");
    }
    const std::string compiler = argv[at];
    if (int error = CannotRun(compiler)) {
        if (IsFortranSource(compiler)) {
            return UsageError("the compiler is missing before " + compiler +
                              ": comshu fc gfortran " + compiler + " ...");
        }
        Say(compiler + ": this compiler cannot be run (" + std::strerror(error) +
            "); comshu fc wants one that is on PATH, or its whole path, as in: comshu fc gfortran "
            "a.f90");
        return error == EACCES ? kCannotRun : kNotFound;
    }
    CompilerCommand command = ParseCompilerCommand(Words(argv + at, argv + argc));
    int signal = 0;
    try {
        const SignalsUnwind unwind;
        return Driver(command, options).Run();
    } catch (const Interrupted& interrupted) {
        signal = interrupted.signal;
    }
    std::raise(signal);
    return 128 + signal;
}

}  // namespace
}  // namespace comshu::fortran

int main(int argc, char** argv) {
    return comshu::fortran::Main(argc, argv);
}
