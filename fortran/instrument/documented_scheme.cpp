#include "instrument/documented_scheme.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "instrument/cooked_text.h"
#include "instrument/output_file.h"

namespace comshu::fortran {
namespace {

constexpr const char* kSection = "! comshu source ";
constexpr const char* kScratch = "! comshu scratch ";

// `call dbg_get_handle(istat_mp(i),'...')`
std::vector<std::string> Registration(int index, const std::string& context) {
    std::vector<std::string> pieces{"call dbg_get_handle(istat_mp(" + std::to_string(index) + "),"};
    for (std::size_t at = 0; at < context.size(); at += 40) {
        std::string quoted = at > 0 ? "//'" : "'";
        for (char c : context.substr(at, 40)) {
            quoted += c == '\'' ? "''" : std::string(1, c);
        }
        pieces.push_back(quoted + "'");
    }
    pieces.back() += ")";
    return BothForms(pieces);
}

}  // namespace

std::vector<std::string> BothForms(const std::vector<std::string>& pieces) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        std::string line = (i == 0 ? "      " : "     &") + pieces[i];
        if (i + 1 < pieces.size()) {
            line.resize(72, ' ');
            line += "&";
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<Diagnostic> SchemeClashes(const SourceModel& model) {
    std::string lower = model.text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::vector<Diagnostic> clashes;
    for (const char* name : {"istat_mp", "idyn_mp", "ithreadid", "dbg_stat", "dbg_dyn",
                             "dbg_thread", "dbgthread", "dbg_init_handles"}) {
        if (model.names.count(name) == 0) {
            continue;
        }
        std::size_t at = lower.find(name);
        auto is_part = [&](std::size_t i) { return i < lower.size() && IsNamePart(lower[i]); };
        while (at != std::string::npos && (is_part(at - 1) || is_part(at + std::strlen(name)))) {
            at = lower.find(name, at + 1);
        }
        auto before = lower.begin() + static_cast<std::ptrdiff_t>(std::min(at, lower.size()));
        int line = at == std::string::npos
                       ? 1
                       : 1 + static_cast<int>(std::count(lower.begin(), before, '\n'));
        clashes.push_back(
            {model.path, line, 0,
             std::string("dbg_vars.h and dbg_init.h of the documented scheme declare `") + name +
                 "`, which the source has too: it needs another name here",
             true});
    }
    return clashes;
}

DocumentedScheme::~DocumentedScheme() {
    if (lock_ >= 0) {
        close(lock_);
    }
}

std::string DocumentedScheme::Open() {
    std::string lock = directory_ + "/dbg_vars.h.lock";
    lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0 || flock(lock_, LOCK_EX) != 0) {
        return lock + ": cannot be locked: " + std::strerror(errno);
    }
    std::ifstream in(directory_ + "/dbg_init.h", std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    Read(text.str());
    return "";
}

void DocumentedScheme::Read(const std::string& text) {
    std::istringstream in(text);
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind(kScratch, 0) == 0) {
            scratch_ = std::max(scratch_, std::atoi(line.c_str() + std::strlen(kScratch)));
        } else if (line.rfind(kSection, 0) == 0) {
            Section section;
            std::istringstream words(line.substr(std::strlen(kSection)));
            words >> section.first >> section.capacity;
            std::getline(words >> std::ws, section.source);
            sections_.push_back(std::move(section));
            inside = true;
        } else if (line.rfind("      end", 0) == 0) {
            inside = false;
        } else if (inside) {
            sections_.back().lines.push_back(line);
        }
    }
}

DocumentedScheme::Section* DocumentedScheme::Find(const std::string& source) {
    for (Section& section : sections_) {
        if (section.source == source) {
            return &section;
        }
    }
    return nullptr;
}

int DocumentedScheme::Reserve(const std::string& source, std::size_t handles) {
    int next = 1;
    for (const Section& section : sections_) {
        next = std::max(next, section.first + section.capacity);
    }
    Section* section = Find(source);
    if (!section) {
        sections_.emplace_back();
        section = &sections_.back();
        section->source = source;
    }
    if (section->capacity < static_cast<int>(handles)) {
        section->first = next;
        section->capacity = static_cast<int>(handles);
    }
    return section->first;
}

std::string DocumentedScheme::Write(const std::string& source,
                                    const std::vector<std::string>& contexts, int scratch) {
    scratch_ = std::max(scratch_, scratch);
    Section* own = Find(source);
    own->lines.clear();
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        for (std::string& line : Registration(own->first + static_cast<int>(i), contexts[i])) {
            own->lines.push_back(std::move(line));
        }
    }
    int size = 1;
    std::string init =
        "      subroutine dbg_init_handles()\n"
        "      include 'dbg_vars.h'\n"
        "      interface dbg_get_handle\n"
        "      subroutine comshu_dbg_get_handle(handle, text)\n"
        "      integer(8) handle\n"
        "      character(len=*) text\n"
        "      end subroutine\n"
        "      end interface\n";
    init += kScratch + std::to_string(scratch_) + "\n";
    for (const Section& section : sections_) {
        size = std::max(size, section.first + section.capacity);
        init += kSection + std::to_string(section.first) + " " + std::to_string(section.capacity) +
                " " + section.source + "\n";
        for (const std::string& line : section.lines) {
            init += line + "\n";
        }
    }
    init +=
        "      end\n"
        "      block data dbgthread\n"
        "      integer(8) ithreadid\n"
        "      common /dbg_thread/ ithreadid\n"
        "!$omp threadprivate(/dbg_thread/)\n"
        "      data ithreadid /-1/\n"
        "      end\n";
    std::string vars =
        "      integer(8) istat_mp, idyn_mp, ithreadid\n"
        "      dimension istat_mp(" +
        std::to_string(size) +
        ")\n"
        "      dimension idyn_mp(" +
        std::to_string(scratch_) +
        ")\n"
        "      common /dbg_stat/ istat_mp\n"
        "      common /dbg_dyn/ idyn_mp\n"
        "      common /dbg_thread/ ithreadid\n"
        "!$omp threadprivate(/dbg_dyn/, /dbg_thread/)\n";
    return WriteFiles({{directory_ + "/dbg_vars.h", vars}, {directory_ + "/dbg_init.h", init}});
}

}  // namespace comshu::fortran
