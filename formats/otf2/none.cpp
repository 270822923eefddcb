// Where the OTF2 library was not found when comshu was built.
#include "comshu/format/export.h"
#include "otf2/otf2_reader.h"

namespace comshu::format {
namespace {

constexpr const char* kMissing =
    "this comshu was built without OTF2: install libopen-trace-format2-dev and build again";

}  // namespace

bool ExportOtf2(read::Database*, const std::string&, ExportResult*, std::string* error) {
    *error = kMissing;
    return false;
}

namespace otf2 {

bool ReadArchive(const std::string&, TraceSink*, const std::function<bool()>&, std::string* error) {
    *error = kMissing;
    return false;
}

}  // namespace otf2
}  // namespace comshu::format
