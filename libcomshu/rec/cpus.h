// On which processors the drain runs.
#ifndef COMSHU_REC_CPUS_H_
#define COMSHU_REC_CPUS_H_

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace comshu::rec {

// As the .live file holds it: bit i of word i / 64 is CPU i.
constexpr size_t kCpuWords = 16;
struct CpuMask {
    uint64_t words[kCpuWords] = {};

    bool IsEmpty() const;
    CpuMask Without(const CpuMask& other) const;
    void Add(const CpuMask& other);
    bool operator==(const CpuMask&) const = default;
};

// "0,2-5"; empty where the text is no such list.
CpuMask ParseCpuList(const char* text);

CpuMask CpusOfThread();
void BindThread(const CpuMask& mask);

// All that the cgroup gives this process, whatever the calling thread was bound to. Changes the
// binding of the calling thread.
CpuMask CpusOfCgroup();

// Adds the CPUs to which living processes of this host are bound, by the .live files in `folder`
// whose names begin with `prefix`.
void AddBoundOfOthers(const char* folder, const char* prefix, CpuMask* bound);

// Where the drain may run: not where a rank is bound, unless that leaves nothing.
CpuMask ChooseDrainCpus(const CpuMask& cgroup, const CpuMask& bound);

}  // namespace comshu::rec

#endif  // COMSHU_REC_CPUS_H_
