// The option that chooses how the rows of an answer are printed.
#ifndef COMSHU_RESULT_FORMAT_H_
#define COMSHU_RESULT_FORMAT_H_

#include <CLI/CLI.hpp>

#include <map>
#include <string>

#include "comshu/read/text_output.h"

namespace comshu {

// What `format` holds stays the default and is what `table` means.
inline void AddResultFormat(CLI::App& verb, read::ResultFormat* format) {
    const std::map<std::string, read::ResultFormat> formats = {
        {"table", *format}, {"csv", read::ResultFormat::kCsv}, {"json", read::ResultFormat::kJson}};
    verb.add_option("--format", *format, "table, csv or json")
        ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case));
}

}  // namespace comshu

#endif  // COMSHU_RESULT_FORMAT_H_
