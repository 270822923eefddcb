// What the report leads with where OpenMP was recorded, with MPI or without.
#include "report/openmp.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "mpi_process.h"
#include "openmp/openmp_program.h"

namespace comshu::read {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OpenmpReport : public OpenmpViews {
protected:
    std::string Text() {
        Read();
        std::string error;
        EXPECT_TRUE(MakeReport(database_.get(), {"demo"}, &report_, &error)) << error;
        return ReportText(report_, {});
    }
    Report report_;
};

// A region of 900 of 1100 ns. Its threads wait 360 + 20 at the end of the loop, 100 + 110 at its own end, 50
// for a critical region.
TEST_F(OpenmpReport, LeadsWithTheRegionsAndNamesTheirSection) {
    WriteSharedLoop();
    const std::string text = Text();
    EXPECT_EQ(report_.ranks.at(0).openmp_wait_ns, 640);
    EXPECT_THAT(text, HasSubstr("Parallel regions of OpenMP                             1 region, "
                                "executed 1 time\n"
                                "  a.f90:5                                  1 time     900 ns   "
                                "81.8 % of the run\n"
                                "  threads waited 640 ns for each other, "));
    EXPECT_THAT(text, HasSubstr("comshu read demo --section openmp\n"));
    EXPECT_THAT(text, HasSubstr("640 ns waiting for each other"));
    EXPECT_THAT(text, HasSubstr(" waiting of "));
    EXPECT_LT(text.find("Parallel regions"), text.find("Time of the threads"));
    // Of what was not recorded nothing is said.
    EXPECT_THAT(text, Not(HasSubstr("MPI")));
    EXPECT_THAT(text, Not(HasSubstr("Messages")));
    const nlohmann::json all = nlohmann::json::parse(ReportJson(report_));
    EXPECT_EQ(all["openmp"]["regions"][0]["time_ns"], 900);
    EXPECT_EQ(all["openmp"]["regions"][0]["source"], "a.f90:5");
    EXPECT_EQ(all["openmp"]["waits"][0]["time_ns"], 380);
    EXPECT_EQ(all["openmp"]["waits"][0]["name"], "implicit barrier");
    EXPECT_EQ(all["ranks"][0]["openmp_wait_ns"], 640);
}

// Killed in a region from 100 on, its thread at a barrier from 400 on: both count up to the last record, at 600.
TEST_F(OpenmpReport, RegionsAndWaitsThatAreOpenCount) {
    OpenmpProgram program(folder_);
    program.Construct(10, OmpConstructKind::parallel, 5);
    program.Construct(21, OmpConstructKind::barrier, 9);
    program.Still(0, 100,
                  schema::OmpRegion({}, 0, 10, 1, kNoInt, kNoInt, 1, OmpFunction::parallel));
    program.Still(0, 400, schema::OmpWait({}, 0, 21, OmpFunction::barrier_wait));
    program.Iterations(0, 600, {1});
    program.Stop();
    Text();
    ASSERT_EQ(report_.openmp.regions.size(), 1u);
    EXPECT_EQ(report_.openmp.regions[0].ns, 500);
    EXPECT_EQ(report_.ranks.at(0).openmp_wait_ns, 200);
}

TEST_F(OpenmpReport, WithMpiItsTimeIsShownToo) {
    WriteSharedLoop();
    {
        testing::MpiProcess process(folder_, 7);
        process.Send(0, 1, 5, 8);
        process.End(1000);
    }
    const std::string text = Text();
    EXPECT_THAT(text, HasSubstr("Parallel regions of OpenMP"));
    EXPECT_THAT(text, HasSubstr("10 ns in MPI"));
    EXPECT_THAT(text, HasSubstr("Messages"));
}

TEST_F(OpenmpReport, NothingIsSaidOfProgramsWithout) {
    {
        testing::MpiProcess process(folder_, 0);
        process.Send(0, 1, 5, 8);
        process.End(1000);
    }
    EXPECT_THAT(Text(), Not(HasSubstr("OpenMP")));
}

}  // namespace
}  // namespace comshu::read
