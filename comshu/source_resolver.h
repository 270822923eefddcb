#ifndef COMSHU_SOURCE_RESOLVER_H_
#define COMSHU_SOURCE_RESOLVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace comshu {

// Where an address lies. What is not known is empty or 0.
struct SourceLine {
    std::string file;
    unsigned line = 0;
    // Name in the source, of the innermost inlined function; without debug information the symbol
    // and how far behind it: `main+0x2a`.
    std::string function;
    bool operator==(const SourceLine&) const = default;
};

// From (file, build id, address in the file's own numbering) to a source line, by elfutils: DWARF of
// the file itself or of its separate debug file, else the symbol table. Each file is opened once and
// each address looked up once; a file that is gone or has another build id by now gives nothing. Not
// thread-safe.
class SourceResolver {
public:
    SourceResolver();
    ~SourceResolver();
    SourceResolver(const SourceResolver&) = delete;
    SourceResolver& operator=(const SourceResolver&) = delete;

    // `build_id` in hex; empty: not checked.
    const SourceLine& Resolve(const std::string& path, const std::string& build_id,
                              uint64_t address);

private:
    class File;
    File& Open(const std::string& path, const std::string& build_id);

    std::map<std::pair<std::string, std::string>, std::unique_ptr<File>> files_;
};

}  // namespace comshu

#endif  // COMSHU_SOURCE_RESOLVER_H_
