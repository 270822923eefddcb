#include <memory>
#include <string>
#include <vector>

#include "comshu/read/export.h"
#include "error.h"
#include "reading.h"
#include "verbs.h"

namespace comshu {

VerbAction DeclareExport(CLI::App& verb) {
    struct Options {
        std::vector<std::string> folders;
        std::string parquet;
        std::string csv;
        std::string table;
    };
    auto options = std::make_shared<Options>();
    verb.add_option("DIR", options->folders,
                    "folders of captures, exported as one, or an export folder")
        ->required();
    CLI::Option* parquet = verb.add_option("--parquet", options->parquet,
                                           "the folder (with --table: the file) to write, Parquet");
    verb.add_option("--csv", options->csv, "the same as CSV")->excludes(parquet);
    verb.add_option("--table", options->table, "this table or view alone");
    return [options](const std::vector<std::string>&) {
        if (options->parquet.empty() && options->csv.empty()) {
            throw UsageError("give --parquet OUT or --csv OUT: where to write");
        }
        const std::unique_ptr<read::Database> database = OpenDatabase(options->folders);
        const bool to_parquet = !options->parquet.empty();
        std::string error;
        if (!read::Export(database.get(),
                          to_parquet ? read::ExportFormat::kParquet : read::ExportFormat::kCsv,
                          to_parquet ? options->parquet : options->csv, options->table, &error)) {
            throw CommandError(error);
        }
        if (database->capture() != nullptr) WarnOfProblems("export", *database->capture());
        return 0;
    };
}

}  // namespace comshu
