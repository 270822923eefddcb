// Epochs and file accesses of calls that begin where the test says, 10 ns long each.
#include "views/rma_view.h"

#include <gtest/gtest.h>

#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "mpi_process.h"
#include "rows_of.h"

namespace comshu::read {
namespace {

using schema::MpiFunction;
using testing::MpiProcess;

class RmaView : public ::testing::Test {
protected:
    void Call(MpiProcess* process, int64_t ns, MpiFunction function, int32_t target = kNone,
              uint64_t bytes = ~uint64_t{0}, uint64_t window = 5,
              schema::SpanFlags flags = schema::SpanFlags::NONE) {
        schema::SpanHead head = process->Head(ns);
        head.mutate_flags(flags);
        process->writer().Add(
            0, schema::MpiRma(head, 0, window, bytes, 0, MpiProcess::kNone, target, target,
                              function, schema::MpiOperation::none));
    }

    void Io(MpiProcess* process, int64_t ns, MpiFunction function, uint64_t bytes = ~uint64_t{0},
            int64_t offset = INT64_MIN, uint64_t request = 0) {
        process->writer().Add(
            0, schema::MpiIo(process->Head(ns), 0, 9, bytes, request, offset, function));
    }

    std::string Rows(const std::string& sql) {
        if (database_ == nullptr) {
            std::string error;
            database_ = Database::OpenPaths({folder_.path()}, &error);
            if (database_ == nullptr) return "failed: " + error;
        }
        return testing::RowsOf(database_.get(), sql);
    }

    static constexpr int32_t kNone = MpiProcess::kNone;
    testing::TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

TEST_F(RmaView, FencesOpenAndClose) {
    {
        MpiProcess zero(folder_, 0);
        Call(&zero, 0, MpiFunction::MPI_Win_fence);
        Call(&zero, 100, MpiFunction::MPI_Put, 1, 40);
        Call(&zero, 120, MpiFunction::MPI_Rput, 1, 2);
        Call(&zero, 140, MpiFunction::MPI_Get, 0, 8);
        Call(&zero, 160, MpiFunction::MPI_Put, -2, 1000);
        Call(&zero, 180, MpiFunction::MPI_Put, 1, 1000, 5, schema::SpanFlags::failed);
        Call(&zero, 200, MpiFunction::MPI_Win_fence);
        Call(&zero, 250, MpiFunction::MPI_Put, 1, 16, 6);  // another window, without an epoch
        Call(&zero, 300, MpiFunction::MPI_Win_fence);
        Call(&zero, 400, MpiFunction::MPI_Win_fence);
        Call(&zero, 500, MpiFunction::MPI_Compare_and_swap, 1, 4);
        zero.End(1000);
    }
    EXPECT_EQ(
        Rows("SELECT kind, begin_ns, end_ns, sync_ns, target, puts, gets, accumulates, put_bytes, "
             "get_bytes, accumulate_bytes FROM rma_epoch WHERE window_id = 5 ORDER BY ALL"),
        "fence 0 210 10 0 0 1 0 0 8 0\n"
        "fence 0 210 10 1 2 0 0 42 0 0\n"
        "fence 200 310 10 - 0 0 0 0 0 0\n"
        "fence 300 410 10 - 0 0 0 0 0 0\n"
        "fence 400 - 0 1 0 0 1 0 0 4\n");
    EXPECT_EQ(Rows("SELECT kind, open_span, begin_ns, end_ns, target, put_bytes FROM rma_epoch "
                   "WHERE window_id = 6"),
              "- - 250 260 1 16\n");
    EXPECT_EQ(Rows("SELECT count(*) FROM rma_epoch(0, 150)"), "2\n");
}

TEST_F(RmaView, LocksOfTargetsOverlap) {
    {
        MpiProcess zero(folder_, 0);
        Call(&zero, 0, MpiFunction::MPI_Win_lock, 0);
        Call(&zero, 20, MpiFunction::MPI_Win_lock, 1);
        Call(&zero, 40, MpiFunction::MPI_Put, 0, 4);
        Call(&zero, 60, MpiFunction::MPI_Put, 1, 8);
        Call(&zero, 80, MpiFunction::MPI_Win_flush, 1);
        Call(&zero, 100, MpiFunction::MPI_Win_flush_all);
        Call(&zero, 120, MpiFunction::MPI_Win_unlock, 0);
        Call(&zero, 140, MpiFunction::MPI_Put, 1, 16);
        Call(&zero, 160, MpiFunction::MPI_Win_unlock, 1);
        Call(&zero, 180, MpiFunction::MPI_Win_lock, 0);
        Call(&zero, 200, MpiFunction::MPI_Win_unlock, 0);
        Call(&zero, 300, MpiFunction::MPI_Win_lock_all);
        Call(&zero, 320, MpiFunction::MPI_Fetch_and_op, 1, 8);
        Call(&zero, 330, MpiFunction::MPI_Win_flush_local_all);
        Call(&zero, 340, MpiFunction::MPI_Win_lock, 1);  // the end of lock all was lost
        Call(&zero, 350, MpiFunction::MPI_Put, 1, 32);
        zero.End(1000);
    }
    EXPECT_EQ(
        Rows("SELECT kind, begin_ns, end_ns, sync_ns, flushes, target, put_bytes, accumulate_bytes "
             "FROM rma_epoch ORDER BY begin_ns"),
        "lock 0 130 20 0 0 4 0\n"
        "lock 20 170 40 2 1 24 0\n"
        "lock 180 210 20 0 0 0 0\n"
        "lock all 300 - 20 1 1 0 8\n"
        "lock 340 - 10 0 1 32 0\n");
}

TEST_F(RmaView, AccessAndExposure) {
    {
        MpiProcess zero(folder_, 0), one(folder_, 1);
        Call(&zero, 0, MpiFunction::MPI_Win_start);
        Call(&zero, 20, MpiFunction::MPI_Raccumulate, 1, 24);
        Call(&zero, 40, MpiFunction::MPI_Win_complete);
        for (const int64_t begin : {0, 100, 200}) Call(&one, begin, MpiFunction::MPI_Win_post);
        for (const int64_t asked : {20, 40, 60, 120}) Call(&one, asked, MpiFunction::MPI_Win_test);
        Call(&one, 140, MpiFunction::MPI_Win_wait);
        zero.End(1000);
        one.End(1000);
    }
    EXPECT_EQ(
        Rows(
            "SELECT rank, kind, begin_ns, end_ns, sync_ns, target, accumulate_bytes FROM rma_epoch "
            "ORDER BY rank, begin_ns"),
        "0 start 0 50 20 1 24\n"
        "1 post 0 70 20 - 0\n"
        "1 post 100 150 20 - 0\n"
        "1 post 200 - 10 - 0\n");
}

TEST_F(RmaView, FileAccesses) {
    {
        MpiProcess zero(folder_, 0);
        zero.writer().Define(schema::MpiFile(zero.Tick(0), 9, MpiProcess::kWorld,
                                             zero.writer().Intern("/data/f"), 0));
        Io(&zero, 0, MpiFunction::MPI_File_open);
        Io(&zero, 100, MpiFunction::MPI_File_write_at, 64, 128);
        Io(&zero, 200, MpiFunction::MPI_File_iread, 32, INT64_MIN, 7);
        Io(&zero, 300, MpiFunction::MPI_File_read_all_begin, 16);
        Io(&zero, 400, MpiFunction::MPI_File_read_all_end, 12);
        zero.Wait(500,
                  {schema::MpiCompletion({}, 7, 20, kNone, kNone, kNone, schema::MpiRequestKind::io,
                                         schema::MpiCompletionFlags::NONE)});
        Io(&zero, 600, MpiFunction::MPI_File_iwrite_at_all, 8, 0, 8);  // not waited for
        zero.End(1000);
    }
    EXPECT_EQ(Rows("SELECT path, access, name, begin_ns, end_ns, call_ns, file_offset, bytes, "
                   "done_span = span_id FROM file_access ORDER BY begin_ns"),
              "/data/f - MPI_File_open 0 10 10 - - true\n"
              "/data/f write MPI_File_write_at 100 110 10 128 64 true\n"
              "/data/f read MPI_File_iread 200 510 10 - 20 false\n"
              "/data/f read MPI_File_read_all_begin 300 410 10 - 12 false\n"
              "/data/f write MPI_File_iwrite_at_all 600 - 10 0 8 -\n");
}

}  // namespace
}  // namespace comshu::read
