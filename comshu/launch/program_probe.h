#ifndef COMSHU_LAUNCH_PROGRAM_PROBE_H_
#define COMSHU_LAUNCH_PROGRAM_PROBE_H_

#include <string>
#include <vector>

namespace comshu::launch {

// What can be known of a program without running it.
struct ProgramFile {
    enum class Kind { kMissing, kElf, kScript, kOther };
    std::string path;  // found along PATH, links followed; empty if missing
    Kind kind = Kind::kMissing;
    bool dynamic = false;     // has an ELF interpreter, so that LD_PRELOAD works
    bool foreign = false;     // for another kind of machine than comshu's objects, or 32 bits
    bool privileged = false;  // set-uid, set-gid or with capabilities: LD_PRELOAD is removed
    // All libraries it needs, directly or not, as the loader finds them ("not found": the name).
    std::vector<std::string> libraries;
    std::vector<std::string> interpreter;  // words behind `#!`
    std::string text;                      // of a script, its first 256 KiB
};

// Looks at programs. The planning asks through this interface so that tests can make programs up.
class ProgramProbe {
public:
    virtual ~ProgramProbe() = default;
    // `name` as a shell would run it: along PATH if it has no slash.
    virtual ProgramFile Look(const std::string& name) const = 0;
    // What `name --version` prints.
    virtual std::string Version(const std::string& name) const = 0;
};

// The real one. Asks the program's own loader (`ld.so --list`) for the libraries, so that RUNPATH,
// LD_LIBRARY_PATH and the loader's cache count exactly as they will in the run; a few ms.
class FileProbe : public ProgramProbe {
public:
    ProgramFile Look(const std::string& name) const override;
    std::string Version(const std::string& name) const override;
};

// Where a shell would find `name`; empty if nowhere.
std::string FindProgram(const std::string& name);

// The last component of a path.
std::string FileName(const std::string& path);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_PROGRAM_PROBE_H_
