#include "instrument/registration.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "comshu/fortran/dbg_table.h"

namespace comshu::fortran {
namespace {

constexpr const char* kNear = "NEAR ";

std::string Quoted(const std::string& text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '?') {
            char octal[8];
            std::snprintf(octal, sizeof octal, "\\%03o", c);
            out += octal;
        } else {
            out.push_back(static_cast<char>(c));
        }
    }
    return out + "\"";
}

constexpr bool HasDescriptor(std::string_view parameters) {
    return parameters.find("const void") != std::string_view::npos;
}

struct UnitEntry {
    std::string_view name;       // As gfortran makes it of the Fortran one.
    std::string_view arguments;  // "(h, t)": all are pointers.
    bool bound;                  // Its interface says how it is called: it takes descriptors.
    std::size_t offset;          // In the table.
};
constexpr UnitEntry kUnitEntries[] = {
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    {#fortran_name, #arguments, HasDescriptor(#parameters), offsetof(comshu_dbg_table, field)},
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
};

// As the text calls it.
std::string CalledAs(const UnitEntry& entry, const CallNames& calls) {
    constexpr std::size_t kHead = 4;  // dbg_
    return calls.head + std::string(entry.name.substr(kHead, entry.name.size() - kHead - 1));
}

std::string Repeated(std::size_t count, const std::string& before, bool numbered) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        out += (i > 0 ? ", " : "") + before + (numbered ? std::to_string(i) : "");
    }
    return out;
}

// Hidden: calls go here without the detour that lets others take their place.
std::string NearEntry(const UnitEntry& entry, const CallNames& calls) {
    std::size_t count = entry.arguments == "()"
                            ? 0
                            : 1 + static_cast<std::size_t>(std::count(entry.arguments.begin(),
                                                                      entry.arguments.end(), ','));
    std::string types = count == 0 ? "void" : Repeated(count, "void*", false);
    std::string head = "void " + CalledAs(entry, calls) +
                       std::string(entry.bound ? 1 : calls.underscores, '_') + "(";
    return kNear + head + types + ");\n" + head +
           (count == 0 ? "void" : Repeated(count, "void* a", true)) + ") {\n" +
           "    const char* table = __atomic_load_n(&comshu_dbg_here, __ATOMIC_ACQUIRE);\n" +
           "    if (__builtin_expect(table != 0, 0))\n" + "        (*(void (*const*)(" + types +
           "))(const void*)(table + " + std::to_string(entry.offset) + "))(" +
           Repeated(count, "a", true) + ");\n}\n";
}

}  // namespace

std::string RegistrationUnit(const std::string& source, const std::string& folder,
                             int64_t first_handle, const std::vector<std::string>& contexts,
                             const std::string& text, const CallNames& calls) {
    std::string out =
        "struct comshu_dbg_string { const char* text; unsigned length; };\n"
        "struct comshu_dbg_unit {\n"
        "    unsigned size, version;\n"
        "    const char* source;\n"
        "    long long first_handle;\n"
        "    unsigned count;\n"
        "    const struct comshu_dbg_string* strings;\n"
        "    struct comshu_dbg_unit* next;\n"
        "    const char** here;\n"
        "    const char* folder;\n"
        "};\n"
        "__attribute__((weak, visibility(\"hidden\"))) const char* comshu_dbg_here;\n"
        "#define NEAR __attribute__((weak, visibility(\"hidden\")))\n"
        "void comshu_dbg_register(struct comshu_dbg_unit*);\n"
        "void comshu_dbg_unregister(struct comshu_dbg_unit*);\n"
        "static const struct comshu_dbg_string strings[] = {\n";
    for (const std::string& context : contexts) {
        out += "    {" + Quoted(context) + ", " + std::to_string(context.size()) + "},\n";
    }
    out += "    {0, 0}\n};\n";
    out += "static struct comshu_dbg_unit unit = {sizeof unit, " +
           std::to_string(COMSHU_DBG_VERSION) + ", " + Quoted(source) + ",\n    " +
           std::to_string(first_handle) + "LL, " + std::to_string(contexts.size()) +
           ", strings, 0, &comshu_dbg_here, " + (folder.empty() ? "0" : Quoted(folder)) + "};\n";
    for (const UnitEntry& entry : kUnitEntries) {
        if (text.find(CalledAs(entry, calls)) != std::string::npos) {
            out += NearEntry(entry, calls);
        }
    }
    out +=
        "__attribute__((constructor)) static void enter(void) { comshu_dbg_register(&unit); }\n"
        "__attribute__((destructor)) static void leave(void) { comshu_dbg_unregister(&unit); }\n";
    return out;
}

std::vector<std::string> NearEntries(const std::string& unit) {
    std::vector<std::string> names;
    const std::string head = std::string("\n") + kNear + "void ";
    for (std::size_t at = 0; (at = unit.find(head, at)) != std::string::npos;) {
        at += head.size();
        names.push_back(unit.substr(at, unit.find('(', at) - at));
    }
    return names;
}

}  // namespace comshu::fortran
