#include <charconv>
#include <string_view>

#include "comshu/analysis/sections.h"

namespace comshu::analysis {

std::optional<ShortList> ShortListOf(const SectionTable& table) {
    constexpr std::string_view kLimit = " LIMIT ";
    const std::string_view sql = table.sql;
    const size_t at = sql.rfind(kLimit);
    if (at == sql.npos) return std::nullopt;
    ShortList list;
    const char* end = sql.data() + sql.size();
    const auto [last, code] = std::from_chars(sql.data() + at + kLimit.size(), end, list.most);
    if (code != std::errc() || last != end) return std::nullopt;
    list.all = sql.substr(0, at);
    return list;
}

}  // namespace comshu::analysis
