#include "source_resolver.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace comshu {
namespace {

char* debug_folders = nullptr;  // Null: the folders that elfutils knows.

const Dwfl_Callbacks kCallbacks = {
    .find_elf = nullptr,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_folders,
};

std::string Demangled(const char* name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string result = status == 0 ? text : name;
    std::free(text);
    return result;
}

std::string Hex(const unsigned char* bytes, int count) {
    std::string text;
    char digits[3];
    for (int i = 0; i < count; ++i) {
        std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
        text += digits;
    }
    return text;
}

// Empty if this is no function.
std::string NameOfFunction(Dwarf_Die* scope) {
    const int tag = dwarf_tag(scope);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) return "";
    Dwarf_Attribute attribute;
    const char* text = dwarf_formstring(dwarf_attr_integrate(scope, DW_AT_name, &attribute));
    return text == nullptr ? "" : text;
}

// The name of the innermost function, inlined ones included, that covers an address.
std::string FunctionFromDwarf(Dwarf_Die* unit, Dwarf_Addr address) {
    Dwarf_Die* scopes = nullptr;
    int count = dwarf_getscopes(unit, address, &scopes);
    std::string name;
    for (int i = 0; i < count && name.empty(); ++i) name = NameOfFunction(&scopes[i]);
    std::free(scopes);
    return name;
}

void LineFromDwarf(Dwarf_Die* unit, Dwarf_Addr address, SourceLine* place) {
    Dwarf_Line* line = dwarf_getsrc_die(unit, address);
    int number = 0;
    const char* file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    if (file == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return;
    Dwarf_Attribute attribute;
    const char* folder =
        file[0] == '/' ? nullptr : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    place->file = folder != nullptr ? std::string(folder) + "/" + file : file;
    place->line = static_cast<unsigned>(number);
}

// Its calls are inlined and stand for those who made them.
constexpr std::string_view kStandsForCaller = "/comshu/comshu.h";

// Goes from an inlined call in that header out to the place of the call in the program.
void LeaveHeader(Dwarf_Die* unit, Dwarf_Addr address, SourceLine* place) {
    if (!place->file.ends_with(kStandsForCaller)) return;
    // Outside of an inlined function this gives where that was defined, not where it was called.
    Dwarf_Die* scopes = nullptr;
    int count = dwarf_getscopes(unit, address, &scopes);
    const auto* inlined = std::find_if(scopes, scopes + std::max(count, 0), [](Dwarf_Die& scope) {
        return dwarf_tag(&scope) == DW_TAG_inlined_subroutine;
    });
    if (count <= 0 || inlined == scopes + count) {
        std::free(scopes);
        return;
    }
    Dwarf_Die innermost = *inlined;
    std::free(scopes);
    scopes = nullptr;
    count = dwarf_getscopes_die(&innermost, &scopes);
    Dwarf_Files* files = nullptr;
    if (dwarf_getsrcfiles(unit, &files, nullptr) != 0) files = nullptr;
    for (int i = 0; i < count && place->file.ends_with(kStandsForCaller); ++i) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
        Dwarf_Attribute attribute;
        Dwarf_Word file = 0;
        Dwarf_Word line = 0;
        if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &file) != 0 ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &line) != 0) {
            break;
        }
        const char* name =
            files == nullptr ? nullptr : dwarf_filesrc(files, file, nullptr, nullptr);
        if (name == nullptr) break;
        place->file = name;
        if (name[0] != '/') {
            const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
            if (folder != nullptr) place->file = std::string(folder) + "/" + name;
        }
        place->line = static_cast<unsigned>(line);
        place->function.clear();
        for (int outer = i + 1; outer < count && place->function.empty(); ++outer)
            place->function = NameOfFunction(&scopes[outer]);
    }
    std::free(scopes);
}

}  // namespace

class SourceResolver::File {
public:
    File(const std::string& path, const std::string& build_id) {
        dwfl_ = dwfl_begin(&kCallbacks);
        if (!dwfl_) return;
        dwfl_report_begin(dwfl_);
        module_ = dwfl_report_offline(dwfl_, path.c_str(), path.c_str(), -1);
        dwfl_report_end(dwfl_, nullptr, nullptr);
        if (!module_ || !dwfl_module_getelf(module_, &bias_) || !HasBuildId(build_id)) {
            module_ = nullptr;
        }
    }
    ~File() {
        if (dwfl_) dwfl_end(dwfl_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    const SourceLine& Resolve(uint64_t address) {
        auto [found, is_new] = lines_.try_emplace(address);
        if (is_new && module_) found->second = LookUp(address + bias_);
        return found->second;
    }

private:
    bool HasBuildId(const std::string& wanted) {
        const unsigned char* bytes = nullptr;
        GElf_Addr where;
        int count = dwfl_module_build_id(module_, &bytes, &where);
        return wanted.empty() || count <= 0 || Hex(bytes, count) == wanted;
    }

    SourceLine LookUp(Dwarf_Addr address) {
        SourceLine result;
        if (Dwfl_Line* line = dwfl_module_getsrc(module_, address)) {
            int number = 0;
            const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
            if (file && number > 0) {
                const char* folder = file[0] == '/' ? nullptr : dwfl_line_comp_dir(line);
                result.file = folder ? std::string(folder) + "/" + file : file;
                result.line = static_cast<unsigned>(number);
            }
        }
        Dwarf_Addr dwarf_bias = 0;
        if (Dwarf_Die* unit = UnitOf(address, &dwarf_bias)) {
            if (result.file.empty()) LineFromDwarf(unit, address - dwarf_bias, &result);
            result.function = FunctionFromDwarf(unit, address - dwarf_bias);
            LeaveHeader(unit, address - dwarf_bias, &result);
        }
        if (result.function.empty()) result.function = Symbol(address);
        return result;
    }

    // Compilers like clang write no index of addresses: then every unit is asked.
    Dwarf_Die* UnitOf(Dwarf_Addr address, Dwarf_Addr* bias) {
        if (Dwarf_Die* unit = dwfl_module_addrdie(module_, address, bias)) return unit;
        Dwarf_Die* unit = nullptr;
        while ((unit = dwfl_module_nextcu(module_, unit, bias)) != nullptr) {
            if (dwarf_haspc(unit, address - *bias) == 1) return unit;
        }
        return nullptr;
    }

    std::string Symbol(Dwarf_Addr address) {
        GElf_Off offset = 0;
        GElf_Sym symbol;
        const char* name =
            dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
        if (!name) return "";
        char distance[32];
        std::snprintf(distance, sizeof distance, "+0x%llx",
                      static_cast<unsigned long long>(offset));
        return Demangled(name) + distance;
    }

    Dwfl* dwfl_ = nullptr;
    Dwfl_Module* module_ = nullptr;
    GElf_Addr bias_ = 0;
    std::map<uint64_t, SourceLine> lines_;
};

SourceResolver::SourceResolver() = default;
SourceResolver::~SourceResolver() = default;

SourceResolver::File& SourceResolver::Open(const std::string& path, const std::string& build_id) {
    std::unique_ptr<File>& file = files_[{path, build_id}];
    if (!file) file = std::make_unique<File>(path, build_id);
    return *file;
}

const SourceLine& SourceResolver::Resolve(const std::string& path, const std::string& build_id,
                                          uint64_t address) {
    return Open(path, build_id).Resolve(address);
}

}  // namespace comshu
