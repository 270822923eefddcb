#include "instrument/source_model.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

#include "flang/Parser/parsing.h"
#include "llvm/Support/raw_ostream.h"

#include "instrument/flang_items.h"
#include "instrument/flang_messages.h"
#include "instrument/flang_places.h"
#include "instrument/flang_symbols.h"
#include "instrument/line_markers.h"
#include "instrument/unknown_directives.h"

namespace comshu::fortran {
namespace {

namespace parser = Fortran::parser;

std::string ReadFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::string Folder(const std::string& path) {
    std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// A file that Flang reads in the place of the source, where it would stumble over that.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view text) : file_(memfd_create("source", MFD_CLOEXEC)) {
        while (file_ >= 0 && !text.empty()) {
            ssize_t written = write(file_, text.data(), text.size());
            if (written <= 0) {
                close(file_);
                file_ = -1;
                return;
            }
            text.remove_prefix(written);
        }
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() {
        if (file_ >= 0) {
            close(file_);
        }
    }
    // Empty: there is none.
    std::string path() const { return file_ < 0 ? "" : "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

struct Parsed {
    parser::AllSources sources;
    parser::AllCookedSources cooked{sources};
    parser::Parsing parsing{cooked};
    const parser::SourceFile* file = nullptr;

    Parsed(const std::string& path, const parser::Options& options) {
        file = parsing.Prescan(path, options);
        if (file && !parsing.messages().AnyFatalError()) {
            std::string ignored;
            llvm::raw_string_ostream out(ignored);
            parsing.Parse(out);
        }
    }
    bool IsWhole() {
        return file && !parsing.messages().AnyFatalError() && parsing.consumedWholeFile() &&
               parsing.parseTree();
    }
};

parser::Options ParseOptions(const ReadOptions& options) {
    parser::Options parse;
    parse.isFixedForm = options.fixed_form;
    parse.fixedFormColumns = options.fixed_columns;
    parse.searchDirectories = options.include_directories;
    if (options.openmp) {
        parse.features.Enable(Fortran::common::LanguageFeature::OpenMP);
        parse.predefinitions.emplace_back("_OPENMP", "201511");
    }
    for (const std::string& definition : options.definitions) {
        std::size_t equals = definition.find('=');
        if (equals == std::string::npos) {
            parse.predefinitions.emplace_back(definition, "1");
        } else {
            parse.predefinitions.emplace_back(definition.substr(0, equals),
                                              definition.substr(equals + 1));
        }
    }
    for (const std::string& name : options.undefinitions) {
        parse.predefinitions.emplace_back(name, std::nullopt);
    }
    return parse;
}

}  // namespace

SourceModel ReadSource(const std::string& path, const ReadOptions& options) {
    SourceModel model;
    model.path = path;
    model.fixed_form = options.fixed_form;
    model.fixed_columns = options.fixed_columns;
    model.text = ReadFile(path);

    parser::Options parse = ParseOptions(options);
    std::string read_path = path;
    std::unique_ptr<MemoryFile> in_place;
    std::map<std::string, std::string> file_names;  // that Flang has, and what they stand for
    std::string text = LineMarkers::WithPlainNames(model.text, &file_names);
    std::vector<RenamedDirective> renamed;
    if (options.openmp) {
        text = WithKnownDirectives(text, options.fixed_form, &renamed);
    }
    if (text != model.text) {
        in_place = std::make_unique<MemoryFile>(text);
        if (!in_place->path().empty()) {
            read_path = in_place->path();
            file_names[read_path] = path;
            parse.searchDirectories.insert(parse.searchDirectories.begin(), Folder(path));
        }
    }
    text = {};
    auto parsed = std::make_unique<Parsed>(read_path, parse);
    if (!parsed->IsWhole()) {
        // PARAMETER without parentheses: in fixed form it may be an assignment, too.
        parser::Options old = parse;
        old.features.Enable(Fortran::common::LanguageFeature::OldStyleParameter);
        auto again = std::make_unique<Parsed>(read_path, old);
        if (again->IsWhole()) {
            parsed = std::move(again);
            parse = old;
        }
    }
    CopyMessages(parsed->parsing.messages(), parsed->cooked, model);
    auto name_file = [&](std::string& file) {
        auto name = file_names.find(file);
        if (name != file_names.end()) {
            file = name->second;
        }
    };
    for (Diagnostic& d : model.diagnostics) {
        name_file(d.file);
    }
    if (!parsed->IsWhole()) {
        if (std::none_of(model.diagnostics.begin(), model.diagnostics.end(),
                         [](const Diagnostic& d) { return d.error; })) {
            model.diagnostics.push_back({path, 1, 1, "cannot be parsed", true});
        }
        return model;
    }
    parser::Program& program = *parsed->parsing.parseTree();
    ListItems(program, parsed->cooked, parsed->file, model);
    NameDirectives(renamed, &model);
    model.parsed = true;
    if (options.data) {
        CookedPlaces places(model.text, parsed->cooked, parsed->file);
        ReadSymbols(program, parsed->cooked, parse.features, places, options, model);
        for (DataSymbol& symbol : model.symbols) {
            name_file(symbol.file);
        }
    }
    return model;
}

}  // namespace comshu::fortran
