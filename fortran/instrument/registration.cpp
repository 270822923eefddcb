#include "instrument/registration.h"

#include <cstdio>

namespace comshu::fortran {
namespace {

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

}  // namespace

std::string RegistrationUnit(const std::string& source, int64_t first_handle,
                             const std::vector<std::string>& contexts) {
    std::string out =
        "struct comshu_dbg_string { const char* text; unsigned length; };\n"
        "struct comshu_dbg_unit {\n"
        "    unsigned size, version;\n"
        "    const char* source;\n"
        "    long long first_handle;\n"
        "    unsigned count;\n"
        "    const struct comshu_dbg_string* strings;\n"
        "    struct comshu_dbg_unit* next;\n"
        "};\n"
        "void comshu_dbg_register(struct comshu_dbg_unit*);\n"
        "void comshu_dbg_unregister(struct comshu_dbg_unit*);\n"
        "static const struct comshu_dbg_string strings[] = {\n";
    for (const std::string& context : contexts) {
        out += "    {" + Quoted(context) + ", " + std::to_string(context.size()) + "},\n";
    }
    out += "    {0, 0}\n};\n";
    out += "static struct comshu_dbg_unit unit = {sizeof unit, 1, " + Quoted(source) + ",\n    " +
           std::to_string(first_handle) + "LL, " + std::to_string(contexts.size()) +
           ", strings, 0};\n";
    out +=
        "__attribute__((constructor)) static void enter(void) { comshu_dbg_register(&unit); }\n"
        "__attribute__((destructor)) static void leave(void) { comshu_dbg_unregister(&unit); }\n";
    return out;
}

}  // namespace comshu::fortran
