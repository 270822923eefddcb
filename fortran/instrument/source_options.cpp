#include "instrument/source_options.h"

#include <algorithm>
#include <array>

namespace comshu::fortran {
namespace {

std::string Suffix(const std::string& path) {
    std::size_t slash = path.find_last_of('/');
    std::size_t dot = path.find_last_of('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) {
        return "";
    }
    return path.substr(dot + 1);
}

template <std::size_t n>
bool IsIn(const std::string& suffix, const std::array<const char*, n>& suffixes) {
    return std::any_of(suffixes.begin(), suffixes.end(),
                       [&](const char* s) { return suffix == s; });
}

constexpr std::array<const char*, 8> kFixed{"f", "for", "ftn", "F", "FOR", "FTN", "fpp", "FPP"};
constexpr std::array<const char*, 8> kFree{"f90", "f95", "f03", "f08", "F90", "F95", "F03", "F08"};

}  // namespace

bool IsFixedFormName(const std::string& path) {
    return IsIn(Suffix(path), kFixed);
}

bool IsFortranSource(const std::string& path) {
    return IsFixedFormName(path) || IsIn(Suffix(path), kFree);
}

bool IsPreprocessedName(const std::string& path) {
    std::string suffix = Suffix(path);
    return suffix == "fpp" || (!suffix.empty() && suffix[0] == 'F');
}

std::vector<std::string> CompilerMacros(bool openmp) {
    std::vector<std::string> macros{"__GFORTRAN__=1", "__GNUC__=12",  "__linux__=1", "__linux=1",
                                    "__unix__=1",     "__x86_64__=1", "__LP64__=1",  "_LP64=1"};
    if (openmp) {
        macros.push_back("_OPENMP=201511");
    }
    return macros;
}

}  // namespace comshu::fortran
