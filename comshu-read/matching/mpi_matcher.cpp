#include "matching/mpi_matcher.h"

#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "matching/process_feed.h"

namespace comshu::read {
namespace {

void MatchPass(const Capture& capture, const std::vector<const Process*>& processes,
               MatchSink* sink, uint64_t* last_instance) {
    const CommDirectory comms(capture, processes);
    MatchState state(sink, *last_instance);
    MpiBlockPool pool(&capture);
    std::map<const Process*, std::vector<const Block*>> blocks;
    for (const Process* process : processes) blocks[process];
    for (const Block& block : capture.blocks()) {
        const auto found = blocks.find(capture.processes()[block.process].get());
        if (found != blocks.end()) found->second.push_back(&block);
    }

    std::vector<std::unique_ptr<ProcessFeed>> feeds;
    using Turn = std::pair<int64_t, size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    std::set<int32_t> recorded;
    for (const Process* process : processes) {
        recorded.insert(process->rank);
        feeds.push_back(std::make_unique<ProcessFeed>(capture, *process, comms, blocks[process],
                                                      &state, &pool));
        turns.emplace(feeds.back()->next_ns(), feeds.size() - 1);
    }
    while (!turns.empty()) {
        const size_t index = turns.top().second;
        turns.pop();
        if (feeds[index]->Step()) turns.emplace(feeds[index]->next_ns(), index);
    }
    for (const auto& feed : feeds) feed->Finish();
    state.channels.Finish([&](int32_t rank) { return recorded.count(rank) != 0; });
    *last_instance = state.collectives.last_instance();
}

}  // namespace

void MatchMpi(const Capture& capture, MatchSink* sink) {
    std::map<std::string, std::vector<const Process*>> passes;
    for (const auto& process : capture.processes()) {
        if (!process->worlds.empty()) passes[process->pass].push_back(process.get());
    }
    uint64_t last_instance = 0;
    for (const auto& [pass, processes] : passes) {
        MatchPass(capture, processes, sink, &last_instance);
    }
}

}  // namespace comshu::read
