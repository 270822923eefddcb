#include "comm_names.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "definitions.h"

namespace comshu::read {
namespace {

struct Comm {
    uint64_t id = 0;
    uint64_t parent = 0;
    int64_t made_ns = std::numeric_limits<int64_t>::max();
    size_t size = 0;
    size_t remote_size = 0;
    std::string name;
    const Process* named_by = nullptr;
    std::string number;  // comm 2
};

class Namer {
public:
    explicit Namer(const Capture& capture) {
        ForEachDefinition(
            capture, "MpiComm", [&](const Process& process, Fields* fields, size_t row) {
                const uint64_t id = capture.CommNumber(fields->Get(row, "comm"));
                Comm& comm = comms_[id];
                comm.id = id;
                comm.made_ns = std::min(comm.made_ns, process.scale.ToNs(fields->Get(row, "tick")));
                comm.parent = capture.CommNumber(fields->Get(row, "parent"));
                comm.size = fields->Get(row, "size");
                comm.remote_size =
                    capture.artifacts().Int32List(fields->Get(row, "remote_members")).size();
                const std::string& name = capture.artifacts().Text(fields->Get(row, "name"));
                if (!name.empty()) comm.name = name;
            });
        ForEachDefinition(
            capture, "MpiName", [&](const Process& process, Fields* fields, size_t row) {
                const auto comm = comms_.find(capture.CommNumber(fields->Get(row, "object")));
                if (comm == comms_.end()) return;
                const Process*& by = comm->second.named_by;
                if (by != nullptr && by != &process) return;
                by = &process;
                comm->second.name = capture.artifacts().Text(fields->Get(row, "name"));
            });
    }

    std::map<uint64_t, std::string> Names() {
        std::vector<Comm*> in_order;
        for (auto& [id, comm] : comms_) {
            if (comm.name.empty()) in_order.push_back(&comm);
        }
        std::stable_sort(in_order.begin(), in_order.end(),
                         [](const Comm* a, const Comm* b) { return a->made_ns < b->made_ns; });
        for (size_t i = 0; i < in_order.size(); ++i)
            in_order[i]->number = fmt::format("comm {}", i + 1);
        std::map<uint64_t, std::string> names;
        for (const auto& [id, comm] : comms_) {
            names[id] =
                comm.name.empty() ? fmt::format("{} ({})", comm.number, MadeOf(comm)) : comm.name;
        }
        return names;
    }

private:
    std::string MadeOf(const Comm& comm) const {
        if (comm.remote_size > 0) {
            const auto [less, more] = std::minmax(comm.size, comm.remote_size);
            return fmt::format("between {} and {}", less, core::Plural(more, "rank"));
        }
        const auto parent = comms_.find(comm.parent);
        if (parent == comms_.end() || parent->second.remote_size > 0)
            return core::Plural(comm.size, "rank");
        const Comm& from = parent->second;
        const std::string& whole = from.name.empty() ? from.number : from.name;
        return comm.size == from.size
                   ? fmt::format("{}{} of {}", comm.size > 1 ? "all " : "",
                                 core::Plural(comm.size, "rank"), whole)
                   : fmt::format("{} of {} ranks of {}", comm.size, from.size, whole);
    }

    std::map<uint64_t, Comm> comms_;
};

}  // namespace

std::map<uint64_t, std::string> NameComms(const Capture& capture) {
    return Namer(capture).Names();
}

}  // namespace comshu::read
