#include "instrument/fc_side_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <sys/stat.h>

#include "instrument/output_file.h"

namespace comshu::fortran {
namespace {

std::string BaseOf(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

std::string SuffixOf(const std::string& name) {
    std::size_t dot = name.find_last_of('.');
    return dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
}

std::string WithoutSuffix(const std::string& path) {
    return path.substr(0, path.size() - SuffixOf(BaseOf(path)).size());
}

// The file of dependencies of a command that does not name it.
std::string DependencyFile(const CompilerCommand& command, std::size_t source_index) {
    if (!command.dependency_file.empty()) {
        return command.dependency_file;
    }
    const std::string& source = command.arguments[source_index];
    return WithoutSuffix(command.output.empty() ? BaseOf(source) : command.output) + ".d";
}

// As gcc writes a name into a rule.
std::string Quoted(const std::string& name) {
    std::string out;
    for (char c : name) {
        out += c == '$' ? "$$" : c == ' ' || c == '#' ? std::string("\\") + c : std::string(1, c);
    }
    return out;
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
}

}  // namespace

bool IsDependencyOption(const std::string& word) {
    for (const char* option : {"-MD", "-MMD", "-MP", "-MG", "-MF", "-MT", "-MQ"}) {
        if (word == option) {
            return true;
        }
    }
    return word.starts_with("-MF") || word.starts_with("-MT") || word.starts_with("-MQ");
}

std::vector<std::string> SideFileOptions(const CompilerCommand& command, std::size_t source_index) {
    std::vector<std::string> options;
    if (command.dependencies && command.dependency_file.empty()) {
        options.insert(options.end(), {"-MF", DependencyFile(command, source_index)});
    }
    if (command.side_files) {
        // By gcc's rules since 11, where these options are known.
        std::string source = BaseOf(command.arguments[source_index]);
        const std::string& output = command.output;
        std::string suffix = SuffixOf(source);
        std::string folder = FolderOf(output) + "/";
        std::string base = source;
        if (command.links) {
            std::string program = output.empty() ? "a.out" : output;
            if (output.empty() || program.ends_with(".exe")) {
                program.resize(program.size() - 4);
            }
            if (command.sources.size() > 1 || BaseOf(program) != WithoutSuffix(source)) {
                folder = program + "-";
            }
        } else if (!output.empty()) {
            base = WithoutSuffix(BaseOf(output)) + suffix;
        }
        options.insert(options.end(),
                       {"-dumpdir", folder, "-dumpbase", base, "-dumpbase-ext", suffix});
    }
    return options;
}

void MendDependencies(const CompilerCommand& command, std::size_t source_index,
                      const std::string& text, const std::string& object) {
    if (!command.dependencies) {
        return;
    }
    std::string path = DependencyFile(command, source_index);
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    std::string rules = ReadText(path);
    std::string before = rules;
    ReplaceAll(rules, Quoted(text), Quoted(command.arguments[source_index]));
    // gcc names the source's own object beside the one of -o.
    if (command.output.empty()) {
        ReplaceAll(rules, " " + Quoted(object) + ":", ":");
    }
    ReplaceAll(rules, Quoted(object), Quoted(command.output));
    if (rules != before) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << rules;
    }
}

void LeaveModules(const std::string& from, const std::string& to) {
    static constexpr const char* kFolder = ".comshu-modules";
    namespace fs = std::filesystem;
    const fs::path place = fs::path(to) / kFolder;
    std::error_code none;
    for (fs::directory_iterator file(fs::path(from) / kFolder, none), end; !none && file != end;
         file.increment(none)) {
        fs::path left = place / file->path().filename();
        std::string text = ReadText(file->path());
        // As compilers do: where nothing has changed nothing is to be made anew.
        if (text != ReadText(left)) {
            std::error_code ignored;
            fs::create_directory(place, ignored);
            WriteFiles({{left, std::move(text)}});
        }
    }
}

}  // namespace comshu::fortran
