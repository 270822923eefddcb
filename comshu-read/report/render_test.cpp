#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/matrix.h"
#include "comshu/read/number_text.h"
#include "report/page.h"

namespace comshu::read {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// Every rank sends to the next one, rank r 2^r messages of 1 KiB.
Report Ring(int32_t ranks) {
    Report report;
    for (int32_t rank = 0; rank < ranks; ++rank) {
        Report::RankTime time;
        time.rank = rank;
        report.ranks.push_back(time);
        const uint64_t messages = uint64_t{1} << (rank % 20);
        report.pairs.push_back({rank, (rank + 1) % ranks, messages, messages * 1024});
    }
    return report;
}

std::string Matrix(const Report& report, const ReportStyle& style) {
    Page page(style);
    RenderMatrix(report, &page);
    return page.text();
}

TEST(Page, AHeadingThatIsTooLongGoesToTheNextLines) {
    Page page({40, false, false});
    page.Heading("Time of the ranks", "377 ms in MPI (init, finalize 320 ms), 233 us outside");
    EXPECT_EQ(page.text(),
              "Time of the ranks\n"
              "  377 ms in MPI (init, finalize 320 ms),\n"
              "    233 us outside\n");
    Page wide({80, false, false});
    wide.Heading("Time of the ranks", "233 us outside");
    EXPECT_EQ(wide.text(), "Time of the ranks" + std::string(49, ' ') + "233 us outside\n");
}

TEST(Matrix, FewRanksInNumbers) {
    EXPECT_EQ(Matrix(Ring(3), {}),
              "Messages: bytes and number, by sender and receiver                    7.0 KiB, 7\n"
              "  from                to 0              to 1              to 2\n"
              "  0                      -  1.0 KiB        1                 -\n"
              "  1                      -                 -  2.0 KiB        2\n"
              "  2       4.0 KiB        4                 -                 -\n");
}

TEST(Matrix, SomeRanksInTwoLines) {
    const auto lines = Lines(Matrix(Ring(8), {}));
    ASSERT_EQ(lines.size(), 2 + 16u);
    EXPECT_EQ(lines[1],
              "  from       to 0     to 1     to 2     to 3     to 4     to 5     to 6"
              "     to 7");
    EXPECT_EQ(lines[2],
              "  0             -  1.0 KiB        -        -        -        -        -"
              "        -");
    EXPECT_THAT(lines[3], HasSubstr("1"));
    for (const std::string& line : lines) EXPECT_LE(ShownWidth(line), 80u);
}

TEST(Matrix, ManyRanksInGroups) {
    for (const int32_t ranks : {9, 20, 100, 1000}) {
        for (const bool utf8 : {false, true}) {
            const auto lines = Lines(Matrix(Ring(ranks), {80, false, utf8}));
            EXPECT_LE(lines.size(), 34u) << ranks;
            for (const std::string& line : lines) EXPECT_LE(ShownWidth(line), 80u) << line;
        }
    }
    EXPECT_THAT(Matrix(Ring(1000), {}), HasSubstr("0-34"));
}

TEST(Matrix, NobodyTalks) {
    EXPECT_THAT(Matrix(Report{}, {}), HasSubstr("none between two ranks"));
}

TEST(Report, WhoCameLastAsOftenAsOthersIsNamedWithThem) {
    Report report = Ring(4);
    report.facts.duration_ns = 1000;
    for (Report::RankTime& rank : report.ranks) {
        rank.total_ns = 1000;
        rank.came_last = rank.rank == 0 ? 2 : 5;
    }
    EXPECT_THAT(ReportText(report, {}), HasSubstr("most often last: ranks 1-3 (5"));
    report.ranks[2].came_last = 6;
    EXPECT_THAT(ReportText(report, {}), HasSubstr("most often last: rank 2 (6 "));
}

TEST(Page, ColourOnlyWhereItIsWanted) {
    EXPECT_THAT(Matrix(Ring(3), {80, true, true}), HasSubstr("\x1b[38;5;16;48;5;"));
    EXPECT_THAT(Matrix(Ring(20), {80, true, true}), HasSubstr("\x1b[38;5;16;48;5;"));
    EXPECT_THAT(Matrix(Ring(3), {80, false, true}), Not(HasSubstr("\x1b")));
}

TEST(Page, BlocksOnlyInUtf8) {
    EXPECT_EQ(Page({80, false, false}).Bar(0.5, 8), "####....");
    EXPECT_EQ(ShownWidth(Page({80, false, true}).Bar(0.3, 8)), 8u);
    for (int level = 0; level <= Page::kShades; ++level) {
        EXPECT_EQ(Page({80, false, false}).Cell(level, 2).size(), 2u);
        EXPECT_EQ(ShownWidth(Page({80, false, true}).Cell(level, 2)), 2u);
    }
    EXPECT_EQ(Page({80, false, false}).Bar(7, 3), "###");
}

TEST(Page, ParagraphsAreBrokenAtBlanks) {
    Page page({60, false, false});
    page.Paragraph(std::string(30, 'a') + " " + std::string(20, 'b') + " " + std::string(70, 'c'));
    EXPECT_EQ(page.text(), "  " + std::string(30, 'a') + " " + std::string(20, 'b') + "\n    " +
                               std::string(56, 'c') + "\n    " + std::string(14, 'c') + "\n");
}

}  // namespace
}  // namespace comshu::read
