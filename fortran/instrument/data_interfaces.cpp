#include "instrument/data_interfaces.h"

#include <array>

namespace comshu::fortran {
namespace {

// Dummy arguments of each entry: h handle, t thread, v variable's handle, b bounds, a address, f first
// element, p position, r whether it is read, w an array or a section of one: its descriptor, m a logical array.
struct DataEntry {
    const char* name;
    const char* arguments;
};
constexpr std::array<DataEntry, 19> kDataEntries{{
    {"dbg_regvar", "hta"},
    {"dbg_regarr", "htba"},
    {"dbg_unregarr", "hta"},
    {"dbg_regparvar", "htap"},
    {"dbg_regpararr", "htbap"},
    {"dbg_read_var", "htav"},
    {"dbg_read_arr", "htavf"},
    {"dbg_write_var_begin", "htav"},
    {"dbg_write_var_end", "htav"},
    {"dbg_write_arr_begin", "htavf"},
    {"dbg_write_arr_end", "htavf"},
    {"dbg_funcparvar", "htpavr"},
    {"dbg_funcpararr", "htpavfr"},
    {"dbg_read_whole", "htwv"},
    {"dbg_write_whole_begin", "htwv"},
    {"dbg_write_whole_end", "htwv"},
    {"dbg_read_masked", "htwvm"},
    {"dbg_write_masked_begin", "htwvm"},
    {"dbg_write_masked_end", "htwvm"},
}};

std::string Pick(const std::string& arguments, const std::string& wanted) {
    std::string out;
    for (char c : arguments) {
        if (wanted.find(c) != std::string::npos) {
            out += (out.empty() ? "" : ",") + std::string(1, c);
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> DataInterfaces(const std::set<std::string>& names) {
    std::vector<std::string> lines;
    for (const DataEntry& entry : kDataEntries) {
        if (!names.count(entry.name)) {
            continue;
        }
        std::string name = entry.name;
        std::string all = entry.arguments;
        bool whole = all.find('w') != std::string::npos;
        lines.push_back("subroutine " + name + "(" + Pick(all, all) + ")" +
                        (whole ? " bind(c,name='" + name + "_')" : ""));
        if (whole) {
            // A kind that is known to be one of C's: others are warned of.
            lines.push_back("use, intrinsic :: iso_c_binding, only: c_int64_t");
        }
        lines.push_back((whole ? "integer(c_int64_t) :: " : "integer(8) :: ") + Pick(all, "htv") +
                        (all.find('b') != std::string::npos ? ",b(*)" : ""));
        lines.push_back(whole ? "type(*), dimension(..), intent(in) :: " + Pick(all, "wm")
                              : "type(*), intent(in) :: " + Pick(all, "af"));
        std::string small = Pick(all, "pr");
        if (!small.empty()) {
            lines.push_back("integer(4) :: " + small);
        }
        lines.push_back("end subroutine");
    }
    if (!lines.empty()) {
        lines.insert(lines.begin(), "interface");
        lines.push_back("end interface");
    }
    return lines;
}

}  // namespace comshu::fortran
