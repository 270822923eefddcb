// What the streams say of single calls: name, thread, and where they were made from.
#ifndef COMSHU_READ_WAITS_CALL_FACTS_H_
#define COMSHU_READ_WAITS_CALL_FACTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "comshu/read/capture.h"
#include "matching/match_rows.h"

namespace comshu::read {

struct CallFacts {
    uint32_t process = 0;
    uint32_t thread = 0;
    uint64_t caller = 0;
    const std::string* name = nullptr;   // Of the CallLookup that found it.
    const std::string* layer = nullptr;  // Null: there is no such call.
    bool has_caller = false;
    int64_t duration_ns = kNoTime;
};

// Problem: a join of calls that were picked out with all calls holds one side of it in memory. Idea: those picked
// out come in bundles that are close in time, and only the blocks of that time are looked at. Works on all
// cores inside of a function; one thread may call it at a time. The capture must outlive it.
class CallLookup {
public:
    explicit CallLookup(const Capture& capture) : capture_(capture) {}

    // `spans`: in order, each once; all of them touch the time from t0_ns to t1_ns.
    std::vector<CallFacts> Find(const std::vector<uint64_t>& spans, int64_t t0_ns, int64_t t1_ns);

    // Every call with a name that `takes`, in no order.
    void ForEachNamed(const std::function<bool(const std::string& name)>& takes,
                      const std::function<void(uint64_t span)>& visit);

private:
    // The column that tells the name.
    static int NameColumn(const core::RecordLayout& layout);
    const std::string* NameOf(const Process& process, const core::RecordLayout& layout, int column,
                              uint64_t value);

    const Capture& capture_;
    std::mutex names_mutex_;
    // By column of a record type of a stream, and its value.
    std::map<std::pair<const core::Column*, uint64_t>, std::string> names_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_WAITS_CALL_FACTS_H_
