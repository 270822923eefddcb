#include "comshu/core/count_text.h"
#include "comshu/format/export.h"

namespace comshu::format {

void ExportResult::Say(uint64_t count, const std::string& one, const std::string& many,
                       const std::string& rest) {
    if (count > 0) remarks.push_back(core::Plural(count, one, many) + rest);
}

}  // namespace comshu::format
