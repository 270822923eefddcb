// A capture with what trace formats have no record for, or more than one.
#ifndef COMSHU_FORMATS_TESTING_RECORDS_H_
#define COMSHU_FORMATS_TESTING_RECORDS_H_

#include <string>

#include "mpi_run.h"

namespace comshu::format::testing {

// Three ranks. Over the program's own transport, `zeromq`, rank 0 sends 64 bytes with tag 9 to rank 2 at
// 1000 ns, in no call; it comes at 3000 ns, in region `work` from 2500 to 3500. Rank 0 sends another at
// 1100 that nobody receives. On a communicator of ranks 1 and 2: a message of 8 bytes, tag 3, from 1 to 2
// (1500 to 1600); MPI_Ibcast from its rank 1, started at 4000 and completed by MPI_Waitall from 5000 to
// 5100.
class RecordsOfAllKinds : public read::testing::MpiRun {
public:
    static constexpr uint64_t kPair = 88;

    RecordsOfAllKinds() {
        using read::testing::MpiProcess;
        for (int32_t rank = 0; rank < 3; ++rank) {
            auto& writer = Rank(rank).writer();
            writer.Define(schema::Thread(Rank(rank).Tick(0), 0, 0, 100));
            writer.Define(schema::MpiComm(Rank(rank).Tick(0), MpiProcess::kWorld, 0,
                                          writer.InternList({0, 1, 2}), 0, 0, 3, rank));
            if (rank > 0) {
                writer.Define(schema::MpiComm(Rank(rank).Tick(10), kPair, MpiProcess::kWorld,
                                              writer.InternList({1, 2}), 0, writer.Intern("pair"),
                                              2, rank - 1));
            }
        }
        Notice(0, schema::EventHead(Rank(0).Tick(1000), 0), 0, 2, schema::UserDirection::send);
        Notice(0, schema::EventHead(Rank(0).Tick(1100), 0), 1, 2, schema::UserDirection::send);
        Rank(1).writer().Add(0, schema::MpiPointToPoint(Rank(1).Head(1500, 0, false, 100), 0, kPair,
                                                        8, 0, 3, 1, 2, MpiFunction::MPI_Send));
        Rank(2).writer().Add(0, schema::MpiReceive(Rank(2).Head(1500, 0, false, 100), 0, kPair, 8,
                                                   8, 0, 3, 0, 1, 3, 0, MpiFunction::MPI_Recv));
        const schema::SpanHead work = Rank(2).Head(2500, 0, false, 1000);
        Notice(2, schema::EventHead(Rank(2).Tick(3000), work.span()), 0, 0,
               schema::UserDirection::receive);
        Rank(2).writer().Add(0, schema::UserRegion(work, Rank(2).writer().Intern("work"), 0));
        for (const int32_t rank : {1, 2}) {
            Rank(rank).writer().Add(
                0, schema::MpiCollective(Rank(rank).Head(4000), 0, kPair, rank == 2 ? 16 : 0,
                                         rank == 2 ? 0 : 16, 5, 1, MpiFunction::MPI_Ibcast,
                                         schema::MpiOperation::none));
            Wait(rank, 5000, 5100, {MpiProcess::Joined(5)});
        }
    }

private:
    void Notice(int32_t rank, const schema::EventHead& head, uint64_t number, int32_t peer,
                schema::UserDirection direction) {
        Rank(rank).writer().Add(0, schema::UserMessage(head, Rank(rank).writer().Intern("zeromq"),
                                                       64, number, 0, peer, 9, direction));
    }
};

}  // namespace comshu::format::testing

#endif  // COMSHU_FORMATS_TESTING_RECORDS_H_
