#ifndef COMSHU_SOURCE_WRITER_H_
#define COMSHU_SOURCE_WRITER_H_

#include <cstddef>
#include <string>

#include "comshu/read/capture.h"

namespace comshu {

// Resolves every address that the events of this host's processes name and writes
// <pass>/<host>.sources.cst beside their streams, replacing an older one: from then on the capture
// needs no binary and can be read anywhere. What was resolved before is kept, whatever became of the
// binary. Returns the number of addresses. Throws CommandError if a file cannot be written.
size_t WriteSources(const read::Capture& capture, const std::string& host);

// The same, if there is an address that nobody looked up yet. Whether there was one.
bool WriteNewSources(const read::Capture& capture, const std::string& host);

}  // namespace comshu

#endif  // COMSHU_SOURCE_WRITER_H_
