#include "otf2/archive_events.h"

#include <filesystem>

#include "testing_import.h"

namespace comshu::format::otf2 {
namespace {

// Two ranks, one thread each, in a world; texts are given as they are needed.
class ArchiveEventsTest : public testing::ImportTest {
protected:
    ArchiveEventsTest() : writer_(MakeFolder(), 0), sink_(&writer_), events_(&sink_) {
        sink_.BeginFile(&told_);
        events_.SetText(0, "");
        for (uint32_t i = 0; i < 2; ++i) events_.SetLocation(i, 0, i);
        const uint64_t locations[] = {0, 1};
        events_.SetMembers(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, locations, 2);
        events_.SetMembers(1, OTF2_GROUP_TYPE_COMM_GROUP, locations, 2);
        events_.SetComm(0, 1);
    }
    void Region(uint32_t id, const char* name, OTF2_Paradigm paradigm) {
        events_.SetText(100 + id, name);
        events_.SetRegion(id, 100 + id, paradigm);
    }
    void Finish() {
        events_.Finish();
        ASSERT_TRUE(writer_.Finish(0, sink_.last_ns(), "trace", "test")) << writer_.error();
        OpenCapture(capture_);
    }
    std::vector<std::string> Problems() const {
        std::vector<std::string> texts;
        for (const Problem& problem : told_.problems) texts.push_back(problem.text);
        return texts;
    }

    CaptureWriter writer_;
    TraceSink sink_;
    ImportedFile told_;
    ArchiveEvents events_;

private:
    std::string MakeFolder() {
        capture_ = folder_ + "/capture";
        std::filesystem::create_directories(capture_);
        return capture_;
    }
};

TEST_F(ArchiveEventsTest, FunctionsOfMpiMayBeThoseOfAUser) {
    Region(1, "MPI_Isend", OTF2_PARADIGM_USER);
    Region(2, "MPI_Recv", OTF2_PARADIGM_USER);
    Region(3, "step", OTF2_PARADIGM_USER);
    events_.EndDefinitions();
    events_.Enter(0, 5, 3);
    events_.Enter(0, 10, 1);
    events_.Send(0, 11, 1, 0, 7, 8);
    events_.Leave(0, 12, 1);
    events_.Enter(1, 10, 2);
    events_.Receive(1, 20, 0, 0, 7, 8);
    events_.Leave(1, 21, 2);
    events_.Leave(0, 30, 3);
    Finish();
    EXPECT_EQ(Ask("select rank, layer, name, begin_ns, end_ns from span order by all"),
              "0 mpi MPI_Isend 10 12\n0 user step 5 30\n1 mpi MPI_Recv 10 21\n");
    EXPECT_EQ(Ask(kMessages), "0 1 7 8 10 12 10 21\n");
    EXPECT_TRUE(Problems().empty());
}

// Tags, ranks and times are unsigned in an archive; what is too large means nothing, not something else.
TEST_F(ArchiveEventsTest, NumbersThatAreTooLargeAreNone) {
    Region(1, "MPI_Send", OTF2_PARADIGM_MPI);
    events_.EndDefinitions();
    events_.Enter(0, 10, 1);
    events_.Send(0, 11, 0xffff'ffff, 99, 0xffff'fffe, 8);
    events_.Leave(0, 12, 1);
    events_.Enter(0, uint64_t{1} << 62, 1);
    events_.Leave(0, (uint64_t{1} << 62) + 1, 1);
    Finish();
    EXPECT_EQ(Ask("select peer, tag from import_point_to_point"), "- -\n");
    EXPECT_EQ(told_.records, 5u);
    EXPECT_EQ(told_.illegal, 2u);
    EXPECT_EQ(Problems(),
              std::vector<std::string>({"2 events are left out: their times are none"}));
}

TEST_F(ArchiveEventsTest, EndsWithoutBeginsAreTold) {
    events_.EndDefinitions();
    events_.Leave(0, 10, 4);
    events_.Enter(1, 11, 5);
    Finish();
    EXPECT_EQ(Problems(), std::vector<std::string>({"1 region begins and never ends: kept open",
                                                    "1 region ends that has not begun"}));
    EXPECT_EQ(Ask("select rank, begin_ns, end_ns from span"), "1 11 -\n");
}

}  // namespace
}  // namespace comshu::format::otf2
