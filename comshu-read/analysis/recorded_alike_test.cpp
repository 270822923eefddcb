// Runs of one program that were recorded at several levels.
#include <gmock/gmock.h>

#include "comshu/analysis/compare.h"
#include "mpi_process.h"
#include "openmp/openmp_program.h"

namespace comshu::analysis {
namespace {

using read::OmpConstructKind;
using read::OpenmpProgram;
using read::testing::TemporaryFolder;
using ::testing::HasSubstr;

class Recorded {
public:
    enum What { kPerf, kIterations, kProcedures, kData, kRuntime, kMpi, kNothing };

    explicit Recorded(What what) {
        if (what == kMpi) {
            read::testing::MpiProcess process(folder_, 0);
            process.Send(0, 1, 5, 8);
            process.End(1000);
        } else {
            Write(what);
        }
        std::string error;
        database_ = read::Database::OpenPaths({folder_.path()}, &error);
        EXPECT_NE(database_, nullptr) << error;
    }
    read::Database* database() { return database_.get(); }

private:
    void Write(What what) {
        OpenmpProgram program(folder_);
        if (what != kNothing) {
            if (what != kRuntime) program.Construct(10, OmpConstructKind::parallel, 5);
            program.Region(0, 0, 10, 1);
            if (what == kIterations) program.Iterations(0, 10, {1});
            if (what == kProcedures)
                program.Construct(11, OmpConstructKind::function, 6, "1*type=function*noend=1**");
            if (what == kData) program.Variable(40, 1);
            program.Close(0, 900);
        }
        program.End(1000);
    }

    TemporaryFolder folder_;
    std::unique_ptr<read::Database> database_;
};

std::string Remark(Recorded::What before, Recorded::What after) {
    Recorded first(before), second(after);
    std::string remark, error;
    EXPECT_TRUE(WhatDiffersInRecording(first.database(), second.database(), &remark, &error))
        << error;
    return remark;
}

TEST(RecordedAlike, LevelsThatDifferAreTold) {
    EXPECT_EQ(Remark(Recorded::kPerf, Recorded::kPerf), "");
    EXPECT_EQ(Remark(Recorded::kMpi, Recorded::kMpi), "");
    EXPECT_THAT(Remark(Recorded::kPerf, Recorded::kData),
                HasSubstr("before OpenMP at -dperf, after OpenMP at -d3 or -d4, with data."));
    EXPECT_THAT(Remark(Recorded::kIterations, Recorded::kProcedures),
                HasSubstr("before OpenMP at -d2, with iterations, after OpenMP at -d1"));
    EXPECT_THAT(Remark(Recorded::kRuntime, Recorded::kMpi),
                HasSubstr("before OpenMP by provider ompt, after MPI."));
    EXPECT_THAT(Remark(Recorded::kNothing, Recorded::kPerf),
                HasSubstr("before neither MPI nor OpenMP, after OpenMP at -dperf."));
}

}  // namespace
}  // namespace comshu::analysis
