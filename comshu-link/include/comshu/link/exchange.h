// How processes that link a capture together talk to each other.
#ifndef COMSHU_LINK_EXCHANGE_H_
#define COMSHU_LINK_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace comshu::link {

using Bytes = std::vector<uint8_t>;

// Every function is called by all processes of the job, in the same order. One thread at a time.
class Exchange {
public:
    virtual ~Exchange() = default;

    int rank() const { return rank_; }
    int size() const { return size_; }

    // `out[i]` goes to process i; `in` becomes what came, by sender. At most 1 GiB each way.
    virtual void AllToAll(const std::vector<Bytes>& out, Bytes* in) = 0;
    // Sums, element by element.
    virtual void Sum(std::vector<uint64_t>* values) = 0;
    // What all processes gave, in order of rank.
    virtual std::vector<Bytes> Gather(const Bytes& own) = 0;
    // What process `from` gave.
    virtual Bytes Tell(const Bytes& text, int from) = 0;

protected:
    int rank_ = 0;
    int size_ = 1;
};

// Joins the job of MPI that this process is a rank of; the job is left when the result is deleted. `mpi`
// (mpich or openmpi) chooses among the workers in `folder`. Null and a reason if there is none, or its
// MPI library cannot be loaded.
std::unique_ptr<Exchange> JoinMpiJob(const std::string& mpi, const std::string& folder,
                                     std::string* error);

// What a worker, built for one MPI, exports. `make` starts MPI; it never returns where that fails.
constexpr const char* kWorkerSymbol = "comshu_link_worker";
struct Worker {
    Exchange* (*make)();
};

}  // namespace comshu::link

#endif  // COMSHU_LINK_EXCHANGE_H_
