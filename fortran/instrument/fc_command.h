#pragma once

#include <optional>
#include <string>
#include <vector>

namespace comshu::fortran {

// A compiler's command line, as far as `comshu fc` must understand it: gfortran's options, and those
// of ifx that mean the same.
struct CompilerCommand {
    std::string compiler;
    std::vector<std::string> arguments;  // all, as given
    std::vector<std::size_t> sources;    // indexes of Fortran sources
    std::string output;                  // of -o
    bool compile_only = false;           // -c
    bool links = false;
    bool passes_by = false;  // -E, -S, --version, @file ...: nothing for us to do
    bool is_static = false;
    bool openmp = false;
    std::string standard;  // of -std=
    bool lto = false;
    bool asks_for_warnings = false;  // by options
    bool dependencies = false;       // -MD, -MMD
    std::string dependency_file;     // of -MF
    bool side_files = false;         // that are named after the object: coverage, dumps
    bool static_variables = false;   // local ones, where nothing else is said
    int underscores = 1;             // behind names that have one
    bool default_integer_8 = false;
    bool default_real_8 = false;
    std::string modules = ".";  // where the compiler leaves .mod files
    std::optional<bool> fixed_form;
    int fixed_columns = 72;
    std::optional<bool> preprocess;
    std::vector<std::string> forwarded;  // -I, -D, -U for the instrumentor
};

CompilerCommand ParseCompilerCommand(const std::vector<std::string>& words);

// The command that compiles one source of it: `source` in the place of the original, an object file
// as output. `aside`: nothing is kept of it but its messages.
std::vector<std::string> CompileOne(const CompilerCommand& command, std::size_t source_index,
                                    const std::string& source, const std::string& object,
                                    bool aside = false);

// What a compiler says first of why it refuses a text: `a.f90:12: Error: ...`. Empty: nothing.
std::string FirstError(const std::string& messages);

// The command that links: objects in the place of the sources.
std::vector<std::string> Link(const CompilerCommand& command,
                              const std::vector<std::string>& objects);

// Folder part of a path, "." without one; name of the object that -c makes of a source.
std::string FolderOf(const std::string& path);
std::string ObjectName(const std::string& source);

}  // namespace comshu::fortran
