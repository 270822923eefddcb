// What the section of OpenMP shows of programs whose times are chosen.
#include "comshu/analysis/sections.h"

#include <gmock/gmock.h>

#include "openmp/openmp_program.h"

namespace comshu::analysis {
namespace {

class OpenmpSection : public read::OpenmpViews {
protected:
    // Chosen columns of a table of the section.
    std::vector<std::string> Table(const std::string& name, const std::string& columns) {
        for (const SectionTable& table : FindSection("openmp")->tables({})) {
            if (table.name == name) return Rows("SELECT " + columns + " FROM (" + table.sql + ")");
        }
        return {"no such table"};
    }
};

// The thread that started the region waits 100 at its end, the other one 400: no barrier and no term of what is lost,
// but the other's is time that it is not used.
TEST_F(OpenmpSection, IntervalsTellTheWaitAtTheEnd) {
    read::OpenmpProgram program(folder_);
    program.Construct(10, read::OmpConstructKind::parallel, 5);
    program.Region(0, 0, 10, 1);
    program.Task(0, 0, 10, 1);
    program.Close(0, 900'000);
    program.Close(0, 1'000'000);
    program.Task(1, 0, 10, 1);
    program.Close(1, 600'000);
    program.End(1'000'000);
    Read();
    EXPECT_EQ(
        Table("intervals",
              "source, time_ms, efficiency_percent, lost_ms, barrier_ms, "
              "insufficient_ms, idle_parallel_ms"),
        (std::vector<std::string>{"MAIN:0 1 80 0.4 0 0.4 0.5", "a.f90:5 1 80 0.4 0 0.4 0.5"}));
}

// Of MPI nothing was recorded, and that is said once, with what would have recorded it and where to look instead.
TEST_F(OpenmpSection, SectionsOfMpiSayWhatRecordsIt) {
    WriteSharedLoop();
    Read();
    std::string why, error;
    for (const char* name : {"efficiency", "path", "matrix"}) {
        ASSERT_TRUE(WhyNothing(database_.get(), *FindSection(name), {}, &why, &error)) << error;
        EXPECT_THAT(why, ::testing::StartsWith("No ")) << name;
        EXPECT_THAT(why, ::testing::HasSubstr("`comshu run -p mpi` records")) << name;
        EXPECT_THAT(why, ::testing::HasSubstr("`--section openmp` has")) << name;
    }
    // It was recorded, and nobody waited.
    ASSERT_TRUE(WhyNothing(database_.get(), *FindSection("waits"), {}, &why, &error)) << error;
    EXPECT_EQ(why, FindSection("waits")->none);
}

}  // namespace
}  // namespace comshu::analysis
