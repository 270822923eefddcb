// Events of the PICL format of 1992, as MPICL numbers them.
#ifndef COMSHU_FORMATS_PICL_EVENTS_1992_H_
#define COMSHU_FORMATS_PICL_EVENTS_1992_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "comshu/schema/import_generated.h"

namespace comshu::format::picl {

enum class EventKind : uint8_t {
    kSend,     // Entry: bytes tag destination.
    kIsend,    // The same; exit: request.
    kIrecv,    // Entry: tag source; exit: request.
    kRecv,     // Entry: tag source; exit: bytes tag source.
    kSendEnd,  // Entry: request. Completes a send.
    kRecvEnd,  // Entry: request; exit: bytes tag source. Completes a receive.
    kTest,     // Entry: request; nothing completed.
    kBarrier,  // Entry: subset.
    kRooted,   // Entry: bytes root subset.
    kAll,      // Entry: bytes subset.
    kCall,     // Communication, whatever its data.
    kState,    // No communication.
    kTracing,  // Of the tracing itself: shown as marks.
};

struct EventShape {
    int32_t event = 0;
    std::string_view name;
    EventKind kind = EventKind::kState;
    schema::MpiFunction function = schema::MpiFunction::MPI_Abort;  // Of communication.
    schema::ImportCategory category = schema::ImportCategory::other;
};

// Null: the event is not known.
const EventShape* FindEvent(int64_t event);
// By the names of MPI, of MPICL and of the old format; 0: there is none.
int64_t EventByName(const std::string& name);

// Record types.
constexpr int64_t kEventMark = -2;
constexpr int64_t kEventEntry = -3;
constexpr int64_t kEventExit = -4;
constexpr int64_t kTimeStatistics = -101;
constexpr int64_t kCountStatistics = -102;
constexpr int64_t kSendStatistics = -103;
constexpr int64_t kReceiveStatistics = -104;
constexpr int64_t kSizeStatistics = -105;

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_EVENTS_1992_H_
