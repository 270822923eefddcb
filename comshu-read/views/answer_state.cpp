#include "views/answer_state.h"

#include <vector>

#include "comm_names.h"

namespace comshu::read {

AnswerState::AnswerState(const Capture& capture) : capture_(capture) {
    for (const SourcePosition& source : capture.sources()) {
        if (source.line == 0 || source.file.empty()) continue;
        sources_.Insert(AddressKey{source.process, source.address},
                        source.file + ":" + std::to_string(source.line));
    }
}

const MatchResult& AnswerState::matches() {
    std::call_once(matched_, [this] {
        matches_ = std::make_unique<MatchResult>(capture_);
        matched_rows_.store(matches_->messages().size() + matches_->unmatched().size() +
                                matches_->collectives().size(),
                            std::memory_order_release);
    });
    return *matches_;
}

int64_t AnswerState::NestedNs(uint64_t span) {
    std::call_once(nested_once_, [this] { nested_ = SumNestedTimes(capture_); });
    const int64_t* ns = nested_.Find(span);
    return ns == nullptr ? 0 : *ns;
}

const std::string* AnswerState::SourceText(uint32_t process, uint64_t address) {
    return sources_.Find(AddressKey{process, address});
}

int64_t AnswerState::HostNs(uint64_t span, int64_t ns) const {
    if (capture_.processes().empty()) return kNoTime;
    const Process& process = *capture_.ProcessOfSpan(span);
    return process.host_scale.ToNs(process.scale.ToTicks(ns));
}

const std::string* AnswerState::CommName(uint64_t comm) {
    std::call_once(comm_names_once_, [this] { comm_names_ = NameComms(capture_); });
    const auto found = comm_names_.find(comm);
    return found == comm_names_.end() ? nullptr : &found->second;
}

int32_t AnswerState::PeerRank(uint32_t process_id, uint64_t comm, int32_t peer,
                              int32_t world_peer) {
    std::call_once(comms_once_, [this] {
        std::map<std::string, std::vector<const Process*>> passes;
        for (const auto& process : capture_.processes()) {
            passes[process->pass].push_back(process.get());
        }
        for (const auto& [pass, processes] : passes) {
            comms_[pass] = std::make_unique<CommDirectory>(capture_, processes);
        }
    });
    if (process_id >= capture_.processes().size()) return kNoNumber;
    const Process& process = *capture_.processes()[process_id];
    return comms_.at(process.pass)->PeerRank(process, comm, peer, world_peer);
}

}  // namespace comshu::read
