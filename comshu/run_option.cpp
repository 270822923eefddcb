#include "run_option.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <string_view>

#include "comshu/core/engine_options.h"
#include "comshu/core/option_text.h"
#include "provider_registry.h"

namespace comshu {
namespace {

template <typename Info>
RunOption OptionOf(std::string_view provider, const Info& info) {
    std::string flag = "--";
    if (!provider.empty()) flag.append(provider).append(".");
    flag.append(info.name);
    return {std::string(provider),
            flag,
            std::string(info.variable),
            std::string(info.values),
            std::string(info.standard),
            std::string(info.help),
            info.type,
            info.least,
            info.largest};
}

// The section of an ELF file; empty if it has none.
std::string SectionOf(const std::string& path, std::string_view wanted) {
    std::string content;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return content;
    elf_version(EV_CURRENT);
    Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
    size_t names = 0;
    if (elf != nullptr && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) == nullptr) continue;
            const char* name = elf_strptr(elf, names, header.sh_name);
            if (name == nullptr || name != wanted) continue;
            const Elf_Data* data = elf_rawdata(section, nullptr);
            if (data != nullptr && data->d_buf != nullptr)
                content.assign(static_cast<const char*>(data->d_buf), data->d_size);
            break;
        }
    }
    if (elf != nullptr) elf_end(elf);
    close(fd);
    return content;
}

std::string ObjectWithOptions(const ProviderInfo& provider) {
    for (const char* mpi : {"openmpi", "mpich"}) {
        const std::string path = FindObject(ProviderObjects(provider, mpi).back());
        if (!path.empty()) return path;
    }
    return "";
}

}  // namespace

bool RunOption::IsValid(const std::string& value) const {
    return core::IsValid({flag, "", type, values, standard, help, least, largest}, value);
}

std::string RunOption::ValuesText() const {
    switch (type) {
        case core::OptionType::kChoice: {
            std::string text = "one of ";
            for (const char c : values) text += c == '|' ? ", " : std::string(1, c);
            return text;
        }
        case core::OptionType::kNumber:
            return "a number from " + std::to_string(least) +
                   (largest == UINT64_MAX ? " up" : " to " + std::to_string(largest));
        case core::OptionType::kSize:
            return "a size, as 500K, 64M, 2G";
        case core::OptionType::kKeep:
            return "a size or a time, as 64M or 500ms, 30s, 10min, 2h, 7d";
        case core::OptionType::kList:
            return "numbers and ranges, as 0,4-7";
    }
    return "";
}

std::string RunOption::HelpText() const {
    return standard.empty() ? help : help + " (" + standard + ")";
}

const std::vector<RunOption>& RunOptionList() {
    static const std::vector<RunOption> options = [] {
        std::vector<RunOption> list;
        for (const core::OptionInfo& info : core::kEngineOptions)
            list.push_back(OptionOf("", info));
        for (const ProviderInfo& provider : Providers()) {
            const std::string text = SectionOf(ObjectWithOptions(provider), core::kOptionsSection);
            for (std::string_view rest = text; !rest.empty();) {
                const size_t end = rest.find('\n');
                if (const auto info = core::ReadOption(rest.substr(0, end)))
                    list.push_back(OptionOf(provider.name, *info));
                rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            }
        }
        return list;
    }();
    return options;
}

std::string OptionTable() {
    std::string table = "| option | values | without it | variable | |\n|---|---|---|---|---|\n";
    for (const RunOption& option : RunOptionList()) {
        table += "| `" + option.flag + "` | " + option.ValuesText() + " | " +
                 (option.standard.empty() ? "" : "`" + option.standard + "`") + " | `" +
                 option.variable + "` | " + option.help + " |\n";
    }
    return table;
}

}  // namespace comshu
