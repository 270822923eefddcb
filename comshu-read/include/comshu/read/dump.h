// The records of a capture as text, one a line, as they were recorded.
#ifndef COMSHU_READ_DUMP_H_
#define COMSHU_READ_DUMP_H_

#include <cstdio>
#include <string>

#include "comshu/read/capture.h"

namespace comshu::read {

struct DumpOptions {
    std::string type;   // Name of one table; empty: all.
    bool json = false;  // One object a line.
};

// By process and thread, each in the order of recording; definitions behind a process's threads, open
// spans last. Fields that are not known are left out. False and a reason in `error` for an unknown
// type, or when writing fails.
bool Dump(const Capture& capture, const DumpOptions& options, std::FILE* out, std::string* error);

// All record types of a capture, or of this build without one: columns, units, meaning. `type`:
// that one alone.
bool PrintTypes(const Capture* capture, const std::string& type, bool json, std::FILE* out,
                std::string* error);

}  // namespace comshu::read

#endif  // COMSHU_READ_DUMP_H_
