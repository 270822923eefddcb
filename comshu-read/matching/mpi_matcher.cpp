#include "matching/mpi_matcher.h"

#include <map>
#include <memory>
#include <queue>
#include <string>

#include "matching/process_feed.h"

namespace comshu::read {

std::vector<std::vector<const Process*>> MatchedPasses(const Capture& capture) {
    std::map<std::string, std::vector<const Process*>> by_name;
    for (const auto& process : capture.processes()) {
        if (!process->worlds.empty()) by_name[process->pass].push_back(process.get());
    }
    std::vector<std::vector<const Process*>> passes;
    for (auto& [name, processes] : by_name) passes.push_back(std::move(processes));
    return passes;
}

void FeedProcesses(const Capture& capture, const std::vector<const Process*>& all,
                   const std::vector<const Process*>& some, MatchState* state) {
    const CommDirectory comms(capture, all);
    MpiBlockPool pool(&capture);
    std::map<const Process*, std::vector<const Block*>> blocks;
    for (const Process* process : some) blocks[process];
    for (const Block& block : capture.blocks()) {
        const auto found = blocks.find(capture.processes()[block.process].get());
        if (found != blocks.end()) found->second.push_back(&block);
    }

    std::vector<std::unique_ptr<ProcessFeed>> feeds;
    using Turn = std::pair<int64_t, size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (const Process* process : some) {
        feeds.push_back(
            std::make_unique<ProcessFeed>(capture, *process, comms, blocks[process], state, &pool));
        turns.emplace(feeds.back()->next_ns(), feeds.size() - 1);
    }
    while (!turns.empty()) {
        const size_t index = turns.top().second;
        turns.pop();
        if (feeds[index]->Step()) turns.emplace(feeds[index]->next_ns(), index);
    }
    for (const auto& feed : feeds) feed->Finish();
}

void FinishChannels(const Capture& capture, const std::vector<const Process*>& all,
                    ChannelTable* channels) {
    std::map<int32_t, Recorded> recorded;
    for (const Process* process : all)
        recorded[process->rank] = capture.HasGap(*process) ? Recorded::kPartly : Recorded::kWhole;
    channels->Finish([&](int32_t rank) {
        const auto found = recorded.find(rank);
        return found == recorded.end() ? Recorded::kNot : found->second;
    });
}

void MatchMpi(const Capture& capture, MatchSink* sink, CollectiveTable* collectives) {
    uint32_t number = 0;
    for (const auto& pass : MatchedPasses(capture)) {
        collectives->SetPass(number++);
        MatchState state(sink, collectives);
        FeedProcesses(capture, pass, pass, &state);
        FinishChannels(capture, pass, &state.channels);
    }
}

}  // namespace comshu::read
