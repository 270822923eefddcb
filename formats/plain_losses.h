// What formats of plain records lose.
#ifndef COMSHU_FORMATS_PLAIN_LOSSES_H_
#define COMSHU_FORMATS_PLAIN_LOSSES_H_

#include <string>

#include "comshu/format/export.h"

namespace comshu::format {

// What a format has a place for.
struct PlainFormat {
    bool threads = false;
    bool names = false;  // Of hosts and threads.
    // Of collectives, and of messages.
    bool collective_comms = false;
    bool message_comms = false;
};

// Says what of spans, messages and collectives no record of the format has a place for. Who reads a file
// without communicators takes the collectives that come next at each rank for one of all.
bool TellPlainLosses(read::Database* database, const PlainFormat& format, ExportResult* result,
                     std::string* error);

// Whether the views that exports read are there; false and a reason for an export folder of single tables, or of
// a version that did not write them all.
bool HasWholeCapture(read::Database* database, std::string* error);

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_PLAIN_LOSSES_H_
