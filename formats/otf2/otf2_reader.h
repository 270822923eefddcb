// Reads OTF2 archives.
#ifndef COMSHU_FORMATS_OTF2_OTF2_READER_H_
#define COMSHU_FORMATS_OTF2_OTF2_READER_H_

#include <functional>
#include <string>

#include "trace_reader.h"

namespace comshu::format::otf2 {

// Reads the archive whose anchor file is `anchor`. A process (location group) is a rank, a location a thread
// of it; regions become spans, messages and collectives belong to the region they stand in. False and a
// reason if it cannot be read; `stopped` is asked now and then.
bool ReadArchive(const std::string& anchor, TraceSink* sink, const std::function<bool()>& stopped,
                 std::string* error);

}  // namespace comshu::format::otf2

#endif  // COMSHU_FORMATS_OTF2_OTF2_READER_H_
