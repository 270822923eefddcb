// Messages that a matched probe takes out of their order.
#ifndef COMSHU_FORMATS_PROBED_MESSAGES_H_
#define COMSHU_FORMATS_PROBED_MESSAGES_H_

#include <cstdint>
#include <string>
#include <unordered_map>

#include "comshu/format/export.h"

namespace comshu::format {

// Problem: in a format without matched probes the k-th receive gets the k-th message, and MPI_Mrecv gets the
// one that its MPI_Mprobe took, which may be an earlier one. Idea: where the order of receives is another than
// that of sends, a receive of MPI_Mrecv has its place where the probe is.
// Cost: windows over the messages of ranks that had such probes; an entry per receive that has another place.
class ProbedMessages {
public:
    struct Probe {
        uint64_t span = 0;
        int32_t thread = 0;
        int64_t begin_ns = 0;
    };

    bool Load(read::Database* database, std::string* error);
    // Of a receive that has its place there; null: it has its own.
    const Probe* Find(uint64_t receive) const {
        const auto found = probes_.find(receive);
        return found == probes_.end() ? nullptr : &found->second;
    }

    // For formats that can start a receive at the probe.
    void TellMoved(ExportResult* result) const;
    // For others.
    void TellLost(ExportResult* result) const { TellLost(turned_, result); }

private:
    static void TellLost(uint64_t count, ExportResult* result);

    std::unordered_map<uint64_t, Probe> probes_;
    uint64_t turned_ = 0;  // Messages whose receives stand in another order,
    uint64_t left_ = 0;    // and those that still do.
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_PROBED_MESSAGES_H_
