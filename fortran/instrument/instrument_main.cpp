// comshu-instrument: one Fortran source in, the instrumented source and its registration unit out.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <malloc.h>

#include "instrument/documented_scheme.h"
#include "instrument/entry_interfaces.h"
#include "instrument/instrument.h"
#include "instrument/output_file.h"
#include "instrument/process.h"
#include "instrument/registration.h"
#include "instrument/source_options.h"

namespace comshu::fortran {
namespace {

constexpr const char* kUsage =
    "usage: comshu instrument SOURCE [-o FILE] [options]\n"
    "  -o FILE               instrumented source (default: SOURCE with .dbg before its suffix)\n"
    "  --registration FILE   C file that registers the constructs (default: FILE.c)\n"
    "  -dperf, -d0 ... -d4   level for the whole source (default -dperf)\n"
    "  -dLEVEL:1,5-7         level for these fragments (CDVM$ DEBUG n)\n"
    "  -dbif1, -dbif2        at -d3, -d4: data of the iterations alone that the runtime chooses, "
    "by\n"
    "                        conditions or by copies of the bodies, with :1,5-7 for fragments\n"
    "  --levels              print which events each level has\n"
    "  --atomic keep|critical\n"
    "  --dbg-includes DIR    the documented scheme: dbg_vars.h and dbg_init.h in DIR\n"
    "  --fixed, --free       source form (default: by the suffix)\n"
    "  --columns N           of fixed form (default 72)\n"
    "  --no-openmp           directives are comments\n"
    "  --no-line-markers\n"
    "  --preprocess          preprocess, whatever the suffix\n"
    "  --names HEAD          what is inserted has names that begin so (default dbg)\n"
    "  --underscores N       that the compiler puts behind names: 0 of -fno-underscoring, 2 of "
    "-fsecond-underscore\n"
    "  --standard f95        what is inserted is of this standard, also f2003, f2008 (default "
    "f2018):\n"
    "                        comshu_dbg_entries.f90, written beside it, is compiled before it\n"
    "  --default-integer-8, --default-real-8\n"
    "  --modules DIR         compiled modules are found and left there (levels d3, d4)\n"
    "  --modules-from DIR    compiled modules are found there, too\n"
    "  -I DIR, -D NAME[=VALUE], -U NAME\n"
    "  -v                    say what is left alone and why\n";

constexpr int kUsageError = 2;

struct CommandLine {
    std::string source;
    std::string output;
    std::string registration;
    std::string includes;  // folder of dbg_vars.h and dbg_init.h
    std::optional<bool> fixed;
    int underscores = 1;
    bool preprocess = false;
    bool verbose = false;
    ReadOptions read;
    InstrumentOptions instrument;
};

std::string WithSuffix(const std::string& path, const std::string& word) {
    std::size_t dot = path.find_last_of('.');
    return path.substr(0, dot) + "." + word + (dot == std::string::npos ? "" : path.substr(dot));
}

// 0, or the exit code with a message written.
int Fail(const std::string& message) {
    std::fprintf(stderr, "comshu instrument: %s\n", message.c_str());
    return 1;
}

// Of lower-case letters, since names are compared so; short enough for what comes behind.
bool IsName(const std::string& word) {
    return word.size() <= 10 && word[0] >= 'a' && word[0] <= 'z' &&
           word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

class Parser {
public:
    Parser(int argc, char** argv) : arguments_(argv + 1, argv + argc) {}

    // Empty: all right.
    std::string Parse(CommandLine* line) {
        for (; at_ < arguments_.size(); ++at_) {
            std::string error = One(line);
            if (!error.empty()) {
                return error;
            }
        }
        if (line->source.empty()) {
            return "no source is given (comshu instrument --help)";
        }
        return "";
    }

private:
    // The value of `-o FILE`, `-oFILE`, `--word FILE` or `--word=FILE`.
    bool Value(std::string_view option, std::string* value) {
        const std::string& argument = arguments_[at_];
        if (argument == option) {
            if (at_ + 1 < arguments_.size()) {
                *value = arguments_[++at_];
                return true;
            }
            return false;
        }
        bool word = option.substr(0, 2) == "--";
        std::string head = std::string(option) + (word ? "=" : "");
        if (argument.size() > head.size() && argument.compare(0, head.size(), head) == 0) {
            *value = argument.substr(head.size());
            return true;
        }
        return false;
    }

    std::string One(CommandLine* line) {
        const std::string argument = arguments_[at_];
        std::string value;
        if (argument == "--fixed" || argument == "--free") {
            line->fixed = argument == "--fixed";
        } else if (argument == "--no-openmp") {
            line->read.openmp = false;
            line->instrument.openmp = false;
        } else if (argument == "--no-line-markers") {
            line->instrument.line_markers = false;
        } else if (argument == "--preprocess") {
            line->preprocess = true;
        } else if (argument == "--default-integer-8") {
            line->read.default_integer = 8;
        } else if (argument == "--default-real-8") {
            line->read.default_real = 8;
        } else if (Value("--modules", &value)) {
            line->read.module_output = value;
        } else if (Value("--modules-from", &value)) {
            line->read.module_input = value;
        } else if (argument == "-v") {
            line->verbose = true;
        } else if (argument == "-bind0" || argument == "-bind1") {
            line->instrument.bind = argument.back() - '0';
        } else if (Value("--bind", &value)) {
            if (value != "0" && value != "1") {
                return "--bind is 0 or 1";
            }
            line->instrument.bind = value[0] - '0';
        } else if (Value("--names", &value)) {
            if (!IsName(value)) {
                return "--names " + value + ": the begin of a name is wanted";
            }
            line->instrument.names = value;
        } else if (Value("--underscores", &value)) {
            if (value != "0" && value != "1" && value != "2") {
                return "--underscores is 0, 1 or 2";
            }
            line->underscores = value[0] - '0';
        } else if (Value("--standard", &value)) {
            static const std::map<std::string, int> kYears{
                {"f95", 1995}, {"f2003", 2003}, {"f2008", 2008}, {"f2018", 2018}};
            auto year = kYears.find(value);
            if (year == kYears.end()) {
                return "--standard is f95, f2003, f2008 or f2018";
            }
            line->instrument.standard = year->second;
        } else if (Value("--columns", &value)) {
            line->read.fixed_columns = std::atoi(value.c_str());
            if (line->read.fixed_columns < 8) {
                return "--columns " + value + ": a number above 7 is wanted";
            }
        } else if (Value("--atomic", &value)) {
            if (value != "keep" && value != "critical") {
                return "--atomic is keep or critical";
            }
            line->instrument.atomic =
                value == "critical" ? AtomicMode::kCritical : AtomicMode::kKeep;
        } else if (Value("--dbg-includes", &value)) {
            line->includes = value;
            line->instrument.documented_scheme = true;
            line->instrument.atomic = AtomicMode::kCritical;
        } else if (Value("--registration", &value)) {
            line->registration = value;
        } else if (argument.compare(0, 2, "-d") == 0) {
            if (!ParseLevelOption(argument, &line->instrument.levels)) {
                return argument +
                       ": levels are -dperf and -d0 to -d4, conditions -dbif1 and -dbif2, with "
                       ":1,5-7 for "
                       "fragments";
            }
        } else if (Value("-o", &value)) {
            line->output = value;
        } else if (Value("-I", &value)) {
            line->read.include_directories.push_back(value);
        } else if (Value("-D", &value)) {
            line->read.definitions.push_back(value);
        } else if (Value("-U", &value)) {
            line->read.undefinitions.push_back(value);
        } else if (argument.size() > 1 && argument[0] == '-') {
            return argument + ": no such option (comshu instrument --help)";
        } else if (!line->source.empty()) {
            return "one source at a time: " + line->source + ", " + argument;
        } else {
            line->source = argument;
        }
        return "";
    }

    std::vector<std::string> arguments_;
    std::size_t at_ = 0;
};

void Print(const Diagnostic& d) {
    std::string place = d.file;
    if (d.line > 0) {
        place += ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
    }
    std::fprintf(stderr, "%s: %s\n", place.c_str(), d.message.c_str());
}

OutputFile EntryModuleBeside(const std::string& text) {
    auto path = std::filesystem::path(text).replace_filename(kEntryModule);
    return {path.concat(".f90"), EntryModule()};
}

// The text of the documented scheme refers to places in the array of handles: it is made twice, first
// to know how many there are.
std::string WriteDocumented(const CommandLine& line, const SourceModel& model,
                            Instrumented result) {
    DocumentedScheme scheme(line.includes);
    std::string error = scheme.Open();
    if (!error.empty()) {
        return error;
    }
    InstrumentOptions options = line.instrument;
    options.first_array_index = scheme.Reserve(line.source, result.contexts.size());
    result = Instrument(model, options);
    if (result.has_main) {
        result.text += "      include 'dbg_init.h'\n";
    }
    std::vector<OutputFile> files;
    files.push_back({line.output, std::move(result.text)});
    if (line.instrument.standard < 2018) {
        files.push_back(EntryModuleBeside(line.output));
    }
    error = WriteFiles(files);
    return error.empty() ? scheme.Write(line.source, result.contexts, result.scratch) : error;
}

// A text that was instrumented before stays what it is, and so does the unit beside it.
int GiveBack(const CommandLine& line, std::string text, const std::string& entries) {
    std::fprintf(stderr, "%s: instrumented already, given back as it is\n", line.source.c_str());
    std::string unit = ReadText(line.source + ".c");
    if (unit.find("comshu_dbg_register") == std::string::npos) {
        std::error_code unknown;
        unit = RegistrationUnit(line.source, std::filesystem::current_path(unknown).string(), 0, {},
                                text, {entries, line.underscores});
    }
    std::vector<OutputFile> files{{line.output, std::move(text)}};
    if (line.includes.empty()) {
        files.push_back({line.registration, std::move(unit)});
    }
    std::string error = WriteFiles(std::move(files));
    return error.empty() ? 0 : Fail(error);
}

// The file that a message of Flang does not find.
std::string MissingFile(const std::string& message) {
    static const std::string kHead = "Source file '";
    std::size_t begin = message.find(kHead);
    std::size_t end = message.find("' was not found");
    return begin == std::string::npos || end == std::string::npos
               ? ""
               : message.substr(begin + kHead.size(), end - begin - kHead.size());
}

std::string HintOf(const CommandLine& line, const std::string& missing) {
    std::vector<std::filesystem::path> folders{std::filesystem::path(line.source).parent_path()};
    folders.insert(folders.end(), line.read.include_directories.begin(),
                   line.read.include_directories.end());
    for (const std::filesystem::path& folder : folders) {
        std::filesystem::path path = folder / missing;
        std::error_code ignored;
        if (std::filesystem::exists(path, ignored)) {
            return path.string() + " cannot be read: " + WhyUnreadable(path);
        }
    }
    return "-I FOLDER says where include files are; `comshu fc COMPILER` finds those of the "
           "compiler";
}

int Run(CommandLine& line) {
    line.read.fixed_form = line.fixed.value_or(IsFixedFormName(line.source));
    if (line.preprocess || IsPreprocessedName(line.source)) {
        std::vector<std::string> macros = CompilerMacros(line.read.openmp);
        line.read.definitions.insert(line.read.definitions.begin(), macros.begin(), macros.end());
    }
    if (std::string why = WhyUnreadable(line.source); !why.empty()) {
        return Fail(line.source + " cannot be read: " + why);
    }
    if (line.output.empty()) {
        line.output = WithSuffix(line.source, "dbg");
    }
    if (line.registration.empty()) {
        line.registration = line.output + ".c";
    }
    for (const std::string& written : {line.output, line.registration}) {
        if (IsSameFile(line.source, written)) {
            return Fail(written + " is the source " + line.source +
                        ": the instrumented text needs a file of its own (-o FILE)");
        }
    }
    if (IsSameFile(line.output, line.registration)) {
        return Fail(line.output + ": -o and --registration need a file each");
    }
    std::string text = ReadText(line.source);
    std::string entries = HeadOfInstrumented(text);
    if (!entries.empty()) {
        return GiveBack(line, std::move(text), entries);
    }
    line.instrument.preprocessed = line.preprocess || IsPreprocessedName(line.output);
    line.read.data = line.instrument.levels.MayHaveData();
    SourceModel model = ReadSource(line.source, line.read);
    // The parse tree took a hundred times what the source takes: it goes back to the system, since our next
    // big blocks get pages of their own.
    malloc_trim(0);
    if (!model.parsed) {
        std::string missing;
        for (const Diagnostic& d : model.diagnostics) {
            if (d.error) {
                Print(d);
                std::string name = MissingFile(d.message);
                missing = name.empty() ? missing : name;
            }
        }
        if (!missing.empty()) {
            std::fprintf(stderr, "comshu instrument: %s\n", HintOf(line, missing).c_str());
        }
        return Fail(line.source + " is not instrumented");
    }
    Instrumented result = Instrument(model, line.instrument);
    bool wrong = false;
    for (const Diagnostic& d : result.diagnostics) {
        std::fprintf(stderr, "%s:%d: %s\n", d.file.c_str(), d.line, d.message.c_str());
        wrong |= d.error;
    }
    if (wrong) {
        return Fail(line.source + " is not instrumented");
    }
    if (line.verbose) {
        if (model.unknown_accesses > 0) {
            std::string names;
            for (const std::string& name : model.unknown) {
                names += " " + name;
            }
            std::fprintf(stderr, "%s: %d reads and writes are not seen, of%s\n",
                         line.source.c_str(), model.unknown_accesses, names.c_str());
        }
        for (const Skipped& skipped : result.skipped) {
            std::fprintf(stderr, "%s:%d: %s is left alone: %s\n", skipped.file.c_str(),
                         skipped.line, skipped.what.c_str(), skipped.why.c_str());
        }
    } else {
        auto constructs = std::count_if(result.skipped.begin(), result.skipped.end(),
                                        [](const Skipped& skipped) { return skipped.construct; });
        if (constructs > 0) {
            std::fprintf(stderr,
                         "%s: %d OpenMP construct%s or program unit%s left alone (-v says why)\n",
                         line.source.c_str(), static_cast<int>(constructs),
                         constructs == 1 ? "" : "s", constructs == 1 ? " is" : "s are");
        }
    }
    std::string error;
    if (!line.includes.empty()) {
        error = WriteDocumented(line, model, std::move(result));
        return error.empty() ? 0 : Fail(error);
    }
    std::error_code unknown;
    std::string unit = RegistrationUnit(
        line.source, std::filesystem::current_path(unknown).string(), result.first_handle,
        result.contexts, result.text, {kSymbolHead, line.underscores});
    std::vector<OutputFile> files;  // a list of them would hold copies
    files.push_back({line.output, std::move(result.text)});
    files.push_back({line.registration, std::move(unit)});
    if (result.changed && line.instrument.standard < 2018) {
        files.push_back(EntryModuleBeside(line.output));
    }
    error = WriteFiles(files);
    return error.empty() ? 0 : Fail(error);
}

// Flang ends its process where it meets what it has not learned yet.
int RunGuarded(CommandLine& line) {
    Finished finished = RunApart([&] { return Run(line); });
    if (!finished.crashed) {
        std::fputs(finished.errors.c_str(), stderr);
        return finished.code;
    }
    std::size_t at = finished.errors.find("fatal internal error");
    if (at == std::string::npos && !EndedByFault(finished)) {
        return Fail(line.source + " is not instrumented: the process that reads it " +
                    EndedBy(finished));
    }
    std::string reason = at == std::string::npos
                             ? "its process " + EndedBy(finished)
                             : finished.errors.substr(at, finished.errors.find('\n', at) - at);
    return Fail(line.source + " is not instrumented: LLVM Flang fails on it (" + reason + ")" +
                (line.instrument.levels.MayHaveData()
                     ? "; it may be read at levels below -d3, which need less of Flang"
                     : ""));
}

int Main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0) {
            std::fputs(kUsage, stdout);
            return 0;
        }
        if (std::strcmp(argv[i], "--levels") == 0) {
            std::fputs(LevelTable().c_str(), stdout);
            return 0;
        }
    }
    CommandLine line;
    std::string error = Parser(argc, argv).Parse(&line);
    if (!error.empty()) {
        Fail(error);
        return kUsageError;
    }
    return RunGuarded(line);
}

}  // namespace
}  // namespace comshu::fortran

int main(int argc, char** argv) {
    return comshu::fortran::Main(argc, argv);
}
