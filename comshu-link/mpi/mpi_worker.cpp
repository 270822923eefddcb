// The exchange by MPI: built once for each MPI found, as the numbers and handles of MPI differ. It is
// loaded into a process where the MPI library is there already, and names no library itself: which of
// those that share a binary interface it is, the user's environment says.
#include <mpi.h>

#include <numeric>

#include "comshu/link/exchange.h"

namespace comshu::link {
namespace {

class MpiExchange : public Exchange {
public:
    MpiExchange() {
        int level = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    ~MpiExchange() override { MPI_Finalize(); }

    void AllToAll(const std::vector<Bytes>& out, Bytes* in) override {
        const size_t count = static_cast<size_t>(size_);
        std::vector<int> send_counts(count), receive_counts(count);
        for (size_t i = 0; i < count; ++i) send_counts[i] = static_cast<int>(out[i].size());
        MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT,
                     MPI_COMM_WORLD);
        Bytes packed;
        for (const Bytes& bytes : out) packed.insert(packed.end(), bytes.begin(), bytes.end());
        const std::vector<int> send_places = Places(send_counts);
        const std::vector<int> receive_places = Places(receive_counts);
        in->resize(static_cast<size_t>(receive_places.back() + receive_counts.back()));
        MPI_Alltoallv(packed.data(), send_counts.data(), send_places.data(), MPI_BYTE, in->data(),
                      receive_counts.data(), receive_places.data(), MPI_BYTE, MPI_COMM_WORLD);
    }

    void Sum(std::vector<uint64_t>* values) override {
        MPI_Allreduce(MPI_IN_PLACE, values->data(), static_cast<int>(values->size()), MPI_UINT64_T,
                      MPI_SUM, MPI_COMM_WORLD);
    }

    std::vector<Bytes> Gather(const Bytes& own) override {
        const int bytes = static_cast<int>(own.size());
        std::vector<int> counts(static_cast<size_t>(size_));
        MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
        const std::vector<int> places = Places(counts);
        Bytes all(static_cast<size_t>(places.back() + counts.back()));
        MPI_Allgatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(),
                       MPI_BYTE, MPI_COMM_WORLD);
        std::vector<Bytes> result;
        for (size_t i = 0; i < counts.size(); ++i) {
            result.emplace_back(all.begin() + places[i], all.begin() + places[i] + counts[i]);
        }
        return result;
    }

    Bytes Tell(const Bytes& text, int from) override {
        uint64_t bytes = text.size();
        MPI_Bcast(&bytes, 1, MPI_UINT64_T, from, MPI_COMM_WORLD);
        Bytes told = text;
        told.resize(bytes);
        MPI_Bcast(told.data(), static_cast<int>(bytes), MPI_BYTE, from, MPI_COMM_WORLD);
        return told;
    }

private:
    static std::vector<int> Places(const std::vector<int>& counts) {
        std::vector<int> places(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
        return places;
    }
};

Exchange* Make() {
    return new MpiExchange;
}

}  // namespace
}  // namespace comshu::link

extern "C" __attribute__((visibility("default")))
const comshu::link::Worker comshu_link_worker = {comshu::link::Make};
