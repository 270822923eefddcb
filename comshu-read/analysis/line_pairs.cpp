#include "line_pairs.h"

#include <cstdlib>
#include <map>

namespace comshu::analysis {
namespace {

// Lines of one function in one file, by number.
using Places = std::map<std::string, std::map<long, size_t>>;

Places PlacesOf(const std::vector<std::string>& names) {
    Places places;
    for (size_t i = 0; i < names.size(); ++i) {
        const size_t colon = names[i].rfind(':');
        if (colon == std::string::npos) continue;
        places[names[i].substr(0, colon)][std::atol(names[i].c_str() + colon + 1)] = i;
    }
    return places;
}

}  // namespace

std::vector<LinePair> PairLines(const std::vector<std::string>& before,
                                const std::vector<std::string>& after) {
    std::vector<LinePair> pairs(before.size(), {kNoLine, false});
    const Places in_after = PlacesOf(after);
    for (const auto& [place, lines] : PlacesOf(before)) {
        const auto found = in_after.find(place);
        if (found == in_after.end()) continue;
        if (found->second.size() == lines.size()) {
            auto other = found->second.begin();
            for (const auto& [number, index] : lines) pairs[index] = {(other++)->second, true};
            continue;
        }
        for (const auto& [number, index] : lines) {
            const auto same = found->second.find(number);
            if (same != found->second.end()) pairs[index] = {same->second, false};
        }
    }
    return pairs;
}

}  // namespace comshu::analysis
