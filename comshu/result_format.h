// The option that chooses how the rows of an answer are printed.
#ifndef COMSHU_RESULT_FORMAT_H_
#define COMSHU_RESULT_FORMAT_H_

#include <CLI/CLI.hpp>

#include <map>
#include <string>

#include "choice_option.h"
#include "comshu/read/text_output.h"

namespace comshu {

// What `format` holds stays the default and is what `table` means.
inline void AddResultFormat(CLI::App& verb, read::ResultFormat* format) {
    const std::map<std::string, read::ResultFormat> formats = {
        {"table", *format}, {"csv", read::ResultFormat::kCsv}, {"json", read::ResultFormat::kJson}};
    AddChoice(verb, "--format", format, formats, "table, csv or json");
}

}  // namespace comshu

#endif  // COMSHU_RESULT_FORMAT_H_
