#include "instrument/fc_command.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <set>

#include "instrument/fc_side_files.h"
#include "instrument/source_options.h"

namespace comshu::fortran {
namespace {

// Options whose value is the next word.
const std::set<std::string> kWithValue{"-o",
                                       "-I",
                                       "-J",
                                       "-D",
                                       "-U",
                                       "-L",
                                       "-l",
                                       "-x",
                                       "-MF",
                                       "-MT",
                                       "-MQ",
                                       "-include",
                                       "-dumpdir",
                                       "-dumpbase",
                                       "-dumpbase-ext",
                                       "-aux-info",
                                       "-T",
                                       "-u",
                                       "-z",
                                       "-B",
                                       "-Xlinker",
                                       "-isystem",
                                       "-specs",
                                       "-Xassembler",
                                       "-module",
                                       "-idirafter",
                                       "-iquote",
                                       "-isysroot",
                                       "-arch",
                                       "-wrapper",
                                       "-Xpreprocessor",
                                       "-fintrinsic-modules-path"};

// What makes the compiler write files beside the object.
constexpr std::array<const char*, 8> kSideFiles{"--coverage",   "-coverage",    "-ftest-coverage",
                                                "-fprofile-",   "-fdump-",      "-save-temps",
                                                "--save-temps", "-fstack-usage"};

bool IsOneOf(const std::string& word, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

void Option(const std::string& word, CompilerCommand* command) {
    if (word == "-c") {
        command->compile_only = true;
    } else if (IsOneOf(word, {"-E", "-S", "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion",
                              "-dumpmachine", "--help", "-###"})) {
        command->passes_by = true;
    } else if (IsOneOf(word, {"-fopenmp", "-qopenmp", "-openmp", "-mp", "-xopenmp"})) {
        command->openmp = true;
    } else if (IsOneOf(word, {"-ffixed-form", "-fixed", "-Mfixed"})) {
        command->fixed_form = true;
    } else if (IsOneOf(word, {"-ffree-form", "-free", "-Mfree"})) {
        command->fixed_form = false;
    } else if (word.starts_with("-ffixed-line-length-")) {
        std::string width = word.substr(20);
        command->fixed_columns = width == "none" || width == "0" ? 10000 : std::atoi(width.c_str());
    } else if (IsOneOf(word, {"-extend-source", "-Mextend"})) {
        command->fixed_columns = 132;
    } else if (IsOneOf(word, {"-cpp", "-fpp"})) {
        command->preprocess = true;
    } else if (IsOneOf(word, {"-nocpp", "-nofpp"})) {
        command->preprocess = false;
    } else if (IsOneOf(word, {"-fdefault-integer-8", "-i8"})) {
        command->default_integer_8 = true;
    } else if (IsOneOf(word, {"-fdefault-real-8", "-r8"})) {
        command->default_real_8 = true;
    } else if (IsOneOf(word, {"-fno-automatic", "-save", "-Msave"})) {
        command->static_variables = true;
    } else if (IsOneOf(word, {"-fno-underscoring", "-Mnounderscoring"})) {
        command->underscores = 0;
    } else if (word == "-funderscoring") {
        command->underscores = 1;
    } else if (IsOneOf(word, {"-fsecond-underscore", "-Msecond_underscore"})) {
        command->underscores = command->underscores == 0 ? 0 : 2;
    } else if (word.starts_with("-std=")) {
        command->standard = word.substr(5);
    } else if (word.starts_with("-flto")) {
        command->lto = true;
    } else if ((word.starts_with("-W") && word.find(',') == std::string::npos &&
                !word.starts_with("-Wno-")) ||
               word.starts_with("-pedantic")) {
        command->asks_for_warnings = true;
    } else if (word == "-static") {
        command->is_static = true;
    } else if (IsOneOf(word, {"-MD", "-MMD"})) {
        command->dependencies = true;
    } else if (word.starts_with("-MF")) {
        command->dependency_file = word.substr(3);
    } else if (std::any_of(kSideFiles.begin(), kSideFiles.end(),
                           [&](const char* head) { return word.starts_with(head); })) {
        command->side_files = true;
    }
}

}  // namespace

CompilerCommand ParseCompilerCommand(const std::vector<std::string>& words) {
    CompilerCommand command;
    if (words.empty()) {
        return command;
    }
    command.compiler = words[0];
    command.arguments.assign(words.begin() + 1, words.end());
    bool inputs = false;
    bool places_side_files = false;
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        const std::string& word = command.arguments[i];
        bool valued = kWithValue.count(word) > 0;
        std::string value =
            valued && i + 1 < command.arguments.size() ? command.arguments[i + 1] : "";
        if (word == "-o") {
            command.output = value;
        } else if (IsOneOf(word, {"-I", "-D", "-U"})) {
            command.forwarded.insert(command.forwarded.end(), {word, value});
        } else if (word == "-MF") {
            command.dependency_file = value;
        } else if (IsOneOf(word, {"-dumpdir", "-dumpbase", "-dumpbase-ext"})) {
            places_side_files = true;
        } else if (word == "-J" || word == "-module") {
            command.modules = value;
        } else if (word.starts_with("-J") && word.size() > 2) {
            command.modules = word.substr(2);
        } else if (word.starts_with("-I") || word.starts_with("-D") || word.starts_with("-U")) {
            command.forwarded.push_back(word);
        } else if (word == "-x" || word[0] == '@') {
            command.passes_by = true;  // a language of the user's choice; words we cannot see
        } else if (word.starts_with("-o") && word.size() > 2 && !word.starts_with("-openmp")) {
            command.output = word.substr(2);
        } else if (word[0] == '-') {
            Option(word, &command);
        } else {
            inputs = true;
            if (IsFortranSource(word)) {
                command.sources.push_back(i);
            }
        }
        i += valued ? 1 : 0;
    }
    command.passes_by |= !inputs;
    command.side_files &= !places_side_files;
    command.links = !command.compile_only && !command.passes_by;
    return command;
}

std::vector<std::string> CompileOne(const CompilerCommand& command, std::size_t source_index,
                                    const std::string& source, const std::string& object,
                                    bool aside) {
    std::vector<std::string> words{command.compiler};
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        const std::string& word = command.arguments[i];
        if (aside && IsDependencyOption(word)) {
            i += kWithValue.count(word);
            continue;
        }
        bool is_source =
            std::find(command.sources.begin(), command.sources.end(), i) != command.sources.end();
        if (word == "-o") {
            ++i;
        } else if (is_source) {
            if (i == source_index) {
                words.push_back(source);
            }
        } else if (kWithValue.count(word) && i + 1 < command.arguments.size()) {
            words.push_back(word);
            words.push_back(command.arguments[++i]);
        } else if (word[0] == '-' && word != "-c" && !word.starts_with("-l") &&
                   !word.starts_with("-Wl,") &&
                   !(word.starts_with("-o") && !word.starts_with("-openmp"))) {
            words.push_back(word);
        }
    }
    if (!aside) {
        std::vector<std::string> side = SideFileOptions(command, source_index);
        words.insert(words.end(), side.begin(), side.end());
    }
    words.insert(words.end(), {"-c", "-o", object});
    return words;
}

std::vector<std::string> Link(const CompilerCommand& command,
                              const std::vector<std::string>& objects) {
    std::vector<std::string> words{command.compiler};
    std::size_t next = 0;
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        bool is_source =
            std::find(command.sources.begin(), command.sources.end(), i) != command.sources.end();
        words.push_back(is_source ? objects[next++] : command.arguments[i]);
    }
    return words;
}

std::string FirstError(const std::string& messages) {
    std::string place;
    std::size_t end = 0;
    for (std::size_t at = 0; at < messages.size(); at = end + 1) {
        end = std::min(messages.find('\n', at), messages.size());
        std::string line = messages.substr(at, end - at);
        for (const char* word : {"Fatal Error: ", "Error: ", "fatal error: ", "error: "}) {
            std::size_t found = line.find(word);
            if (found == 0) {
                return place + line;
            }
            if (found != std::string::npos) {
                return line;  // with its place
            }
        }
        // `a.f90:12:3:`, and what it is about follows in lines of its own.
        std::size_t last = line.find_last_not_of(" :");
        std::size_t colon = line.find(':');
        if (!line.empty() && line.back() == ':' && colon < last &&
            std::isdigit(static_cast<unsigned char>(line[last]))) {
            place = line.substr(0, line.find(':', colon + 1)) + ": ";
        }
    }
    return "";
}

std::string FolderOf(const std::string& path) {
    std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string ObjectName(const std::string& source) {
    std::string name = source.substr(source.find_last_of('/') + 1);
    return name.substr(0, name.find_last_of('.')) + ".o";
}

}  // namespace comshu::fortran
