#include "layer/tool_list.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace qmpi {

namespace {

bool IsBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool IsLibrary(const char* text) {
    const size_t length = strlen(text);
    return strchr(text, '/') != nullptr || strstr(text, ".so.") != nullptr ||
           (length > 3 && strcmp(text + length - 3, ".so") == 0);
}

constexpr char kPmpiPrefix[] = "pmpi=";

}  // namespace

Array<Entry> ParseToolList(const char* list) {
    Array<Entry> entries;
    for (const char* at = list; at != nullptr && *at != '\0';) {
        const char* end = strchrnul(at, ':');
        const char* begin = at;
        at = *end == ':' ? end + 1 : end;
        while (begin < end && IsBlank(*begin)) {
            begin++;
        }
        while (begin < end && IsBlank(end[-1])) {
            end--;
        }
        char* text = begin < end ? strndup(begin, static_cast<size_t>(end - begin)) : nullptr;
        if (text == nullptr) {
            continue;
        }
        if (strncmp(text, kPmpiPrefix, sizeof(kPmpiPrefix) - 1) == 0) {
            entries.Add({EntryKind::kPmpi, text + sizeof(kPmpiPrefix) - 1, false});
        } else {
            entries.Add({IsLibrary(text) ? EntryKind::kLibrary : EntryKind::kName, text, false});
        }
    }
    return entries;
}

const char* ToolListOfEnvironment() {
    for (const char* name : {"QMPI_TOOLS", "MPIR_CVAR_QMPI_TOOL_LIST", "MPICH_QMPI_TOOL_LIST"}) {
        const char* value = getenv(name);
        if (value != nullptr && value[0] != '\0') {
            return value;
        }
    }
    return "";
}

}  // namespace qmpi
