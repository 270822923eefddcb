// The communicators of a capture.
#ifndef COMSHU_FORMATS_COMMUNICATORS_H_
#define COMSHU_FORMATS_COMMUNICATORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::format {

struct Communicator {
    uint64_t id = 0;
    std::string name;
    std::vector<int32_t> members;  // Ranks of the capture, in order of their ranks in it.
};

// Those all of whose members were recorded, with numbers from 0.
class Communicators {
public:
    bool Load(read::Database* database, std::string* error);

    const std::vector<Communicator>& all() const { return all_; }
    // The ids of those that are not among them.
    std::vector<uint64_t> others() const {
        std::vector<uint64_t> ids;
        for (const auto& [id, name] : names_) {
            if (!numbers_.contains(id)) ids.push_back(id);
        }
        return ids;
    }
    // Its number, or -1 for one that is not among them.
    int64_t NumberOf(uint64_t id) const {
        const auto found = numbers_.find(id);
        return found == numbers_.end() ? -1 : found->second;
    }
    // Which of them is that of all ranks; -1: none is. A duplicate has the same members, and messages of its
    // own: only one is, by name or as the first.
    int64_t world() const { return world_; }
    bool IsWorld(uint64_t id) const { return world_ >= 0 && NumberOf(id) == world_; }
    // What views call it, whether all its members were recorded or not; empty: it has no name.
    std::string NameOf(uint64_t id) const {
        const auto found = names_.find(id);
        return found == names_.end() ? "" : found->second;
    }

private:
    void FindWorld(const std::vector<int32_t>& ranks);

    std::vector<Communicator> all_;
    std::map<uint64_t, int64_t> numbers_;
    std::map<uint64_t, std::string> names_;
    int64_t world_ = -1;
};

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_COMMUNICATORS_H_
