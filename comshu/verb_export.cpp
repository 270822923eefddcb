#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#ifdef COMSHU_HAVE_FORMATS
#include "comshu/core/count_text.h"
#include "comshu/format/export.h"
#endif
#include "comshu/read/export.h"
#include "comshu/read/partitioned_export.h"
#include "comshu/read/pending_file.h"
#include "clock_option.h"
#include "error.h"
#include "number_range.h"
#include "progress.h"
#include "reading.h"
#include "verbs.h"

namespace comshu {
namespace {

struct ExportOptions {
    std::vector<std::string> folders;
    std::string parquet;
    std::string csv;
    std::string table;
    uint32_t rank_group = 0;
    std::string picl;
    std::string picl_form;
    std::string chrome;
    std::string perfetto;
    std::string paraver;
    std::string otf2;
    bool force = false;
    read::ClockChoice clock = read::ClockChoice::kMeasured;
};

std::vector<std::string> FilesOfParaver(const std::string& path) {
#ifdef COMSHU_HAVE_FORMATS
    if (!path.empty()) return format::ParaverFiles(path);
#endif
    return {path};
}

// Files alone: a folder that is there is refused by who makes it; devices and pipes are no files.
void CheckOverwriting(const ExportOptions& options) {
    if (options.force) return;
    const bool one_table = !options.table.empty();
    std::vector<std::string> paths = FilesOfParaver(options.paraver);
    paths.insert(paths.end(), {one_table ? options.parquet : "", one_table ? options.csv : "",
                               options.picl, options.chrome, options.perfetto});
    for (const std::string& path : paths) {
        std::error_code code;
        if (!path.empty() && std::filesystem::is_regular_file(path, code))
            throw CommandError(path + ": exists; --force writes over it");
    }
}

#ifdef COMSHU_HAVE_FORMATS

void DeclareFormats(CLI::App& verb, ExportOptions* options) {
    CLI::Option* picl = verb.add_option("--picl", options->picl, "the PICL file to write");
    verb.add_option("--picl-form", options->picl_form,
                    "compact, verbose or 1992; without it as it was imported, else compact")
        ->check(CLI::IsMember({"compact", "verbose", "1992"}))
        ->needs(picl);
    verb.add_option("--chrome", options->chrome,
                    "the file of Chrome trace JSON to write (chrome://tracing, Perfetto)");
    verb.add_option("--perfetto", options->perfetto, "the Perfetto trace to write");
    verb.add_option("--paraver", options->paraver,
                    "the Paraver trace to write (.prv; .pcf and .row beside it)");
    verb.add_option("--otf2", options->otf2,
                    "the folder of the OTF2 archive to make (Vampir, Scalasca)");
}

format::PiclForm FormOf(const std::string& form) {
    return form == "compact"   ? format::PiclForm::kCompact
           : form == "verbose" ? format::PiclForm::kVerbose
           : form == "1992"    ? format::PiclForm::k1992
                               : format::PiclForm::kAsImported;
}

// Each target that is asked for.
void ExportFormats(const ExportOptions& options, read::Database* database) {
    const auto write = [&](const std::string& path, auto write_to) {
        if (path.empty()) return;
        format::ExportResult result;
        std::string error;
        std::optional<Progress> progress(std::in_place, "export", "writing " + path);
        const bool written = write_to(path, &result, &error);
        progress.reset();
        if (!written) throw CommandError(error);
        // Not among the records that go down a pipe.
        std::error_code code;
        const bool is_pipe = !std::filesystem::is_regular_file(path, code) &&
                             !std::filesystem::is_directory(path, code);
        std::fprintf(is_pipe ? stderr : stdout, "%s: %s\n", path.c_str(),
                     core::Plural(result.records, "record").c_str());
        for (const std::string& remark : result.remarks)
            std::fprintf(stderr, "comshu export: %s: %s\n", path.c_str(), remark.c_str());
    };
    write(options.picl, [&](const std::string& path, auto* result, auto* error) {
        return format::ExportPicl(database, path, FormOf(options.picl_form), result, error);
    });
    write(options.chrome, [&](const std::string& path, auto* result, auto* error) {
        return format::ExportChrome(database, path, result, error);
    });
    write(options.perfetto, [&](const std::string& path, auto* result, auto* error) {
        return format::ExportPerfetto(database, path, result, error);
    });
    write(options.paraver, [&](const std::string& path, auto* result, auto* error) {
        return format::ExportParaver(database, path, result, error);
    });
    write(options.otf2, [&](const std::string& path, auto* result, auto* error) {
        return format::ExportOtf2(database, path, result, error);
    });
}

#else

void DeclareFormats(CLI::App&, ExportOptions*) {}
void ExportFormats(const ExportOptions&, read::Database*) {}

#endif

}  // namespace

VerbAction DeclareExport(CLI::App& verb) {
    auto options = std::make_shared<ExportOptions>();
    verb.add_option("DIR", options->folders,
                    "folders of captures, exported as one, or an export folder")
        ->required();
    CLI::Option* parquet = verb.add_option("--parquet", options->parquet,
                                           "the folder (with --table: the file) to write, Parquet");
    verb.add_option("--csv", options->csv, "the same as CSV")->excludes(parquet);
    CLI::Option* table = verb.add_option("--table", options->table, "this table or view alone");
    verb.add_option("--rank-group", options->rank_group,
                    "Parquet in a folder per table and N ranks, for Spark, Trino and ClickHouse")
        ->type_name("N")
        ->check(NumberFrom(1, std::numeric_limits<int32_t>::max()))
        ->needs(parquet)
        ->excludes(table);
    AddClockOption(verb, &options->clock);
    DeclareFormats(verb, options.get());
    verb.add_flag("--force", options->force, "write over files that exist");
    return [options](const std::vector<std::string>&) {
        const bool tables = !options->parquet.empty() || !options->csv.empty();
        if (!tables && options->picl.empty() && options->chrome.empty() &&
            options->perfetto.empty() && options->paraver.empty() && options->otf2.empty()) {
            throw UsageError("give --parquet OUT, --csv OUT or another format: where to write");
        }
        if (!tables && !options->table.empty()) {
            throw UsageError("--table chooses what --parquet or --csv write; give one of them");
        }
        CheckOverwriting(*options);
        // A file too large is an error like a full disk.
        std::signal(SIGXFSZ, SIG_IGN);
        read::SayWhenInterrupted("comshu export: interrupted; nothing is left half-written");
        std::optional<Progress> progress(std::in_place, "export", "opening the capture");
        const std::unique_ptr<read::Database> database =
            OpenDatabase(options->folders, options->clock);
        progress.reset();
        ExportFormats(*options, database.get());
        if (!tables) return 0;
        const bool to_parquet = !options->parquet.empty();
        std::string error;
        if (!database->CheckAll(&error)) throw CommandError(error);
        progress.emplace("export", "writing tables");
        const bool written =
            options->rank_group != 0
                ? read::ExportPartitioned(database.get(), options->parquet, options->rank_group,
                                          &error, options->folders.front())
                : read::Export(database.get(),
                               to_parquet ? read::ExportFormat::kParquet : read::ExportFormat::kCsv,
                               to_parquet ? options->parquet : options->csv, options->table, &error,
                               options->folders.front());
        progress.reset();
        if (!written) throw CommandError(error);
        if (database->capture() != nullptr) WarnOfProblems("export", *database->capture());
        return 0;
    };
}

}  // namespace comshu
