#include "launch/program_probe.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace comshu::launch {
namespace {

constexpr size_t kScriptBytes = 256 * 1024;

// What a command writes to its standard output; empty if it cannot be started.
std::string Output(const std::vector<std::string>& command) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> environment;
    for (char** entry = environ; *entry; ++entry) {
        if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) environment.push_back(*entry);
    }
    environment.push_back(nullptr);
    pid_t child = -1;
    int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string output;
    if (failed == 0) {
        char buffer[4096];
        ssize_t got;
        while ((got = read(ends[0], buffer, sizeof buffer)) > 0) output.append(buffer, got);
        waitpid(child, nullptr, 0);
    }
    close(ends[0]);
    return output;
}

// The ELF interpreter of an executable; empty if it is static.
std::string ElfInterpreter(int fd) {
    elf_version(EV_CURRENT);
    Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
    if (!elf) return "";
    std::string interpreter;
    size_t headers = 0;
    elf_getphdrnum(elf, &headers);
    for (size_t i = 0; i < headers; ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_INTERP)
            continue;
        std::string text(header.p_filesz, '\0');
        ssize_t got = pread(fd, text.data(), text.size(), header.p_offset);
        if (got > 0) interpreter = text.c_str();
    }
    elf_end(elf);
    return interpreter;
}

// Whether objects of this build cannot be loaded into a program with such a head.
bool IsForeign(const std::string& head) {
    Elf64_Ehdr own;  // What both classes have in common comes first.
    if (head.size() < offsetof(Elf64_Ehdr, e_version)) return false;
    std::memcpy(static_cast<void*>(&own), head.data(), offsetof(Elf64_Ehdr, e_version));
    constexpr int kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
#if defined(__x86_64__)
    constexpr int kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
    constexpr int kOwnMachine = EM_AARCH64;
#else
    const int kOwnMachine = own.e_machine;
#endif
    return own.e_ident[EI_CLASS] != kOwnClass || own.e_machine != kOwnMachine;
}

// Lines are `libm.so.6 => /lib/libm.so.6 (0x...)`, `... => not found`, `/lib/ld.so (0x...)`.
std::vector<std::string> ParseLoaderList(const std::string& list) {
    std::vector<std::string> libraries;
    std::istringstream lines(list);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string name, arrow, path;
        words >> name >> arrow >> path;
        if (name.empty()) continue;
        bool found = arrow == "=>" && !path.empty() && path[0] == '/';
        libraries.push_back(found ? path : name);
    }
    return libraries;
}

std::vector<std::string> InterpreterWords(const std::string& text) {
    // The kernel takes the rest of the line behind the interpreter as one argument.
    std::istringstream line(text.substr(2, text.find('\n') - 2));
    std::vector<std::string> words(1);
    std::string rest;
    line >> words[0] >> std::ws;
    std::getline(line, rest);
    std::istringstream parts(rest);
    for (std::string word; parts >> word;) words.push_back(word);
    return words;
}

bool IsPrivileged(const std::string& path, const struct stat& status) {
    if ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) return true;
    if ((status.st_mode & S_ISGID) && status.st_gid != getegid()) return true;
    return geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

std::string FileName(const std::string& path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string FindProgram(const std::string& name) {
    auto runs = [](const std::string& path) {
        struct stat status;
        return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
               access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return runs(name) ? name : "";
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string file = (folder.empty() ? "." : folder) + "/" + name;
        if (runs(file)) return file;
    }
    return "";
}

ProgramFile FileProbe::Look(const std::string& name) const {
    ProgramFile file;
    std::string found = FindProgram(name);
    struct stat status;
    if (found.empty() || stat(found.c_str(), &status) != 0) return file;
    std::error_code error;
    file.path = std::filesystem::canonical(found, error).string();
    if (error) file.path = found;
    file.kind = ProgramFile::Kind::kOther;
    file.privileged = IsPrivileged(file.path, status);
    int fd = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        // May be run, must not be read: what it needs is not known.
        file.dynamic = true;
        return file;
    }
    std::string head(kScriptBytes, '\0');
    ssize_t got = pread(fd, head.data(), head.size(), 0);
    head.resize(got > 0 ? got : 0);
    if (head.starts_with(ELFMAG)) {
        file.kind = ProgramFile::Kind::kElf;
        file.foreign = IsForeign(head);
        std::string loader = ElfInterpreter(fd);
        file.dynamic = !loader.empty();
        if (file.dynamic) file.libraries = ParseLoaderList(Output({loader, "--list", file.path}));
    } else if (head.starts_with("#!")) {
        file.kind = ProgramFile::Kind::kScript;
        file.interpreter = InterpreterWords(head);
        file.text = std::move(head);
    }
    close(fd);
    return file;
}

std::string FileProbe::Version(const std::string& name) const {
    std::string found = FindProgram(name);
    return found.empty() ? "" : Output({found, "--version"});
}

}  // namespace comshu::launch
