#include "instrument/fc_includes.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace comshu::fortran {
namespace {

// Words as a shell would see them.
std::vector<std::string> Split(std::string_view line) {
    std::vector<std::string> words;
    bool inside = false;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (quote == 0 && std::isspace(static_cast<unsigned char>(c))) {
            inside = false;
            continue;
        }
        if (!inside) {
            words.emplace_back();
            inside = true;
        }
        if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
            words.back() += line[++i];
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == quote && quote != 0) {
            quote = 0;
        } else {
            words.back() += c;
        }
    }
    return words;
}

void AddOnce(std::vector<std::string>& folders, const std::string& folder) {
    if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
        folders.push_back(folder);
    }
}

void AddAll(std::vector<std::string>& folders, const char* list) {
    std::string_view rest = list ? list : "";
    while (!rest.empty()) {
        std::size_t end = std::min(rest.find(':'), rest.size());
        AddOnce(folders, std::string(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

// The value of `option` at words[at]: `-I x`, `-Ix`, `-option=x`.
std::string ValueOf(const std::vector<std::string>& words, std::size_t at,
                    std::string_view option) {
    const std::string& word = words[at];
    if (word == option) {
        return at + 1 < words.size() ? words[at + 1] : "";
    }
    bool letter = option.size() == 2;
    if (word.starts_with(option) && (letter || word[option.size()] == '=')) {
        return word.substr(option.size() + (letter ? 0 : 1));
    }
    return "";
}

}  // namespace

std::vector<std::string> IncludeFolders(const std::string& dry_run) {
    std::vector<std::string> folders;
    std::vector<std::string> own;  // the compiler's
    std::string machine;
    for (std::size_t at = 0; at < dry_run.size();) {
        std::size_t end = std::min(dry_run.find('\n', at), dry_run.size());
        std::string_view line = std::string_view(dry_run).substr(at, end - at);
        at = end + 1;
        // Commands are what begins with a space; `COLLECT_GCC_OPTIONS=` has another order.
        if (line.empty() || line.find('=') < line.find_first_of(" \"/")) {
            continue;
        }
        std::vector<std::string> words = Split(line);
        for (std::size_t i = 1; i < words.size(); ++i) {
            for (const char* option : {"-J", "-I", "-iquote", "-isystem", "-idirafter"}) {
                AddOnce(folders, ValueOf(words, i, option));
            }
            AddOnce(own, ValueOf(words, i, "-fintrinsic-modules-path"));
            if (machine.empty()) {
                machine = ValueOf(words, i, "-imultiarch");
            }
        }
    }
    bool known = !folders.empty() || !own.empty();
    for (const std::string& folder : own) {
        AddOnce(folders, folder);
    }
    AddAll(folders, std::getenv("CPATH"));
    AddAll(folders, std::getenv("C_INCLUDE_PATH"));
    if (known) {
        for (const std::string& folder : own) {
            AddOnce(folders, folder + "/../include");
        }
        AddOnce(folders, "/usr/local/include");
        AddOnce(folders, machine.empty() ? "" : "/usr/include/" + machine);
        AddOnce(folders, "/usr/include");
    }
    return folders;
}

bool MayInclude(const std::string& text) {
    static constexpr std::string_view kWord = "include";
    auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return std::search(text.begin(), text.end(), kWord.begin(), kWord.end(), same) != text.end();
}

}  // namespace comshu::fortran
