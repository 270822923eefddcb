#include "instrument/entry_interfaces.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace comshu::fortran {
namespace {

struct Entry {
    std::string_view name;        // with gfortran's underscore behind
    std::string_view parameters;  // "(const int64_t* h, int64_t* t)", of C
};
constexpr Entry kEntries[] = {
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    {#fortran_name, #parameters},
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
};

bool Has(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

// Names of the dummy arguments, all and by their type.
struct Dummies {
    std::string all;
    std::string wide;         // INTEGER(8)
    std::string narrow;       // INTEGER(4)
    std::string addresses;    // of anything
    std::string descriptors;  // of arrays of anything
};

void AddTo(std::string& list, const std::string& name) {
    list += (list.empty() ? "" : ",") + name;
}

Dummies DummiesOf(std::string_view parameters) {
    Dummies dummies;
    int number = 0;
    for (std::size_t begin = 0; begin < parameters.size() && Has(parameters, "*");) {
        std::size_t end = std::min(parameters.find(',', begin), parameters.size());
        std::string_view one = parameters.substr(begin, end - begin);
        begin = end + 1;
        std::string name = "dbg" + std::to_string(++number);
        AddTo(dummies.all, name);
        if (Has(one, "int64_t")) {
            AddTo(dummies.wide, name + (Has(one, "bounds") ? "(*)" : ""));
        } else if (Has(one, "int32_t")) {
            AddTo(dummies.narrow, name);
        } else {
            AddTo(Has(one, "const void") ? dummies.descriptors : dummies.addresses, name);
        }
    }
    return dummies;
}

// What stands behind `dbg_`.
std::string TailOf(const std::string& name) {
    return name.substr(std::string_view("dbg_").size());
}

Dummies DummiesOfEntry(const std::string& name) {
    for (const Entry& entry : kEntries) {
        if (entry.name.substr(0, entry.name.size() - 1) == name) {
            return DummiesOf(entry.parameters);
        }
    }
    return {};  // of what is no entry of the runtime
}

}  // namespace

bool IsEntry(const std::string& name) {
    return std::any_of(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) {
        return entry.name.substr(0, entry.name.size() - 1) == name;
    });
}

namespace {

std::vector<std::string> Body(const std::string& entry) {
    const Dummies dummies = DummiesOfEntry(entry);
    // `dbg_init_handles` is a procedure of the program.
    const std::string name = IsEntry(entry) ? kSymbolHead + TailOf(entry) : entry;
    std::vector<std::string> lines{"subroutine " + name + "(" + dummies.all + ")"};
    auto declare = [&](const std::string& type, const std::string& names) {
        if (!names.empty()) {
            lines.push_back(type + " :: " + names);
        }
    };
    if (dummies.descriptors.empty()) {
        declare("integer(8)", dummies.wide);
    } else {
        // A kind that is known to be one of C's: others are warned of.
        lines.back() += " bind(c,name='" + name + "_')";
        lines.push_back("use, intrinsic :: iso_c_binding, only: c_int64_t");
        declare("integer(c_int64_t)", dummies.wide);
    }
    declare("integer(4)", dummies.narrow);
    declare("type(*), intent(in)", dummies.addresses);
    declare("type(*), dimension(..), intent(in)", dummies.descriptors);
    lines.push_back("end subroutine");
    return lines;
}

std::string Joined(const std::vector<std::string>& statements) {
    std::string line;
    for (const std::string& statement : statements) {
        line += (line.empty() ? "" : "; ") + statement;
    }
    return line;
}

}  // namespace

std::string HeadOfInstrumented(const std::string& text) {
    static constexpr std::string_view kDummy = "(dbg1";
    static constexpr std::string_view kSubroutine = "subroutine ";
    for (std::size_t at = 0; (at = text.find(kDummy, at)) != std::string::npos; ++at) {
        std::size_t begin = text.rfind(kSubroutine, at);
        if (begin == std::string::npos) {
            continue;
        }
        begin += kSubroutine.size();
        if (at - begin > 63) {  // longer than a name
            continue;
        }
        std::string name = text.substr(begin, at - begin);
        for (std::size_t i = 0; (i = name.find('_', i)) != std::string::npos; ++i) {
            if (IsEntry("dbg" + name.substr(i))) {
                return name.substr(0, i + 1);
            }
        }
    }
    return "";
}

std::vector<std::string> EntryInterfaces(const std::set<std::string>& names, bool fixed,
                                         const std::string& head) {
    std::vector<std::string> lines;
    for (const std::string& name : names) {
        std::vector<std::string> block = Body(name);
        block.insert(block.begin(),
                     IsEntry(name) ? "interface " + head + TailOf(name) : "interface");
        block.push_back("end interface");
        if (fixed) {
            // Cards that a semicolon ends are not continued.
            lines.insert(lines.end(), block.begin(), block.end());
        } else {
            lines.push_back(Joined(block));
        }
    }
    return lines;
}

std::vector<std::string> EntryUse(const std::set<std::string>& names, const std::string& head) {
    constexpr std::size_t kOfOne = 8;  // statements of old standards have few lines
    std::vector<std::string> lines;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (!IsEntry(name)) {
            continue;
        }
        if (count++ % kOfOne == 0) {
            lines.push_back("use " + std::string(kEntryModule) + ", only: ");
        } else {
            lines.back() += ", ";
        }
        lines.back() += head + TailOf(name) + " => " + kSymbolHead + TailOf(name);
    }
    return lines;
}

std::string EntryModule() {
    std::string text = "module " + std::string(kEntryModule) + "\ninterface\n";
    for (const Entry& entry : kEntries) {
        for (const std::string& line :
             Body(std::string(entry.name.substr(0, entry.name.size() - 1)))) {
            text += line + "\n";
        }
    }
    return text + "end interface\nend module\n";
}

}  // namespace comshu::fortran
