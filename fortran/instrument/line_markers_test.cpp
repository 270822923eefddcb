#include "instrument/line_markers.h"

#include <gtest/gtest.h>

#include "instrument/text_edits.h"

namespace comshu::fortran {
namespace {

TEST(LineMarkers, SayWhatLinesCountAs) {
    LineMarkers markers("a\n# 10 \"x/b.f90\" 2\nb\nc\n#line 5\nd\n#ifdef E\n# 1 \"c.h\" 1\ne\n");
    EXPECT_EQ(markers.At(1), (MarkedLine{"", 1}));
    EXPECT_EQ(markers.At(3), (MarkedLine{"x/b.f90", 10}));
    EXPECT_EQ(markers.At(4), (MarkedLine{"x/b.f90", 11}));
    EXPECT_EQ(markers.At(6), (MarkedLine{"x/b.f90", 5}));
    EXPECT_EQ(markers.At(9), (MarkedLine{"c.h", 1}));
    EXPECT_TRUE(markers.IsMarker(2));
    EXPECT_FALSE(markers.IsMarker(7));
    MarkedLine line;
    EXPECT_FALSE(LineMarkers::Read("# include \"x\"", &line));
    EXPECT_FALSE(LineMarkers::Read("#", &line));
    EXPECT_FALSE(LineMarkers::Read("", &line));
}

TEST(LineMarkers, NamesWithQuotesAndBackslashes) {
    std::string text = "# 3 \"q\\\"d\\\\.f90\"\none\n";
    EXPECT_EQ(LineMarkers(text).At(2), (MarkedLine{"q\"d\\.f90", 3}));
    EXPECT_EQ(LineMarkers::Quoted("q\"d\\.f90"), "\"q\\\"d\\\\.f90\"");
    TextEdits edits(text, "a.f90", false);
    edits.InsertLines(text.find("one"), {"call x"}, text.find("one"));
    EXPECT_EQ(edits.Apply(), "# 3 \"q\\\"d\\\\.f90\"\ncall x\n# 3 \"q\\\"d\\\\.f90\"\none\n");
    MarkedLine line{"kept", 1};
    EXPECT_TRUE(LineMarkers::Read("# 7 \"no end\\\"", &line));
    EXPECT_EQ(line, (MarkedLine{"kept", 7}));
}

TEST(LineMarkers, StandWhereTextIsPutIn) {
    std::string text =
        "# 1 \"src/a.f90\"\none\n# 7 \"b.h\" 1\ntwo\nthree\n# 3 \"src/a.f90\" 2\nfour\n";
    TextEdits edits(text, "a-pp.f90", false);
    auto before = [&](const std::string& line) {
        std::size_t at = text.find(line);
        edits.InsertLines(at, {"call x", "call y"}, at);
    };
    before("one");
    before("three");
    before("four");
    EXPECT_EQ(edits.Apply(),
              "# 1 \"src/a.f90\"\ncall x\n# 1 \"src/a.f90\"\ncall y\n# 1 \"src/a.f90\"\none\n"
              "# 7 \"b.h\" 1\ntwo\ncall x\n# 8 \"b.h\"\ncall y\n# 8 \"b.h\"\nthree\n"
              "# 3 \"src/a.f90\" 2\ncall x\n# 3 \"src/a.f90\"\ncall y\n# 3 \"src/a.f90\"\nfour\n");
}

}  // namespace
}  // namespace comshu::fortran
