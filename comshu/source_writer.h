#ifndef COMSHU_SOURCE_WRITER_H_
#define COMSHU_SOURCE_WRITER_H_

#include <cstddef>
#include <string>

#include "comshu/read/capture.h"

namespace comshu {

// Resolves every address that the events of this host's processes name and writes
// <pass folder>/<host>.sources.cst, replacing an older one: from then on the capture needs no binary
// and can be read anywhere. Returns the number of addresses. Throws CommandError if the file cannot
// be written.
size_t WriteSources(const read::Capture& capture, const std::string& pass_folder,
                    const std::string& host);

}  // namespace comshu

#endif  // COMSHU_SOURCE_WRITER_H_
