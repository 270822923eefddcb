#include "layer/tool_list.h"

#include <gtest/gtest.h>

#include <string>

namespace qmpi {
namespace {

std::string Parsed(const char* list) {
    std::string text;
    for (const Entry& entry : ParseToolList(list)) {
        text += entry.kind == EntryKind::kName      ? "name "
                : entry.kind == EntryKind::kLibrary ? "library "
                                                    : "pmpi ";
        text += std::string(entry.text) + "|";
    }
    return text;
}

TEST(ToolList, NamesLibrariesAndPmpiTools) {
    EXPECT_EQ(Parsed("a:b:a"), "name a|name b|name a|");
    EXPECT_EQ(Parsed("liba.so:./a:/x/liba.so.1:liba.so.1"),
              "library liba.so|library ./a|library /x/liba.so.1|library liba.so.1|");
    EXPECT_EQ(Parsed("pmpi=/x/libt.so:pmpi=t"), "pmpi /x/libt.so|pmpi t|");
    EXPECT_EQ(Parsed(".so:so"), "name .so|name so|");
}

TEST(ToolList, BlanksAndEmptyEntriesDoNotCount) {
    EXPECT_EQ(Parsed(nullptr), "");
    EXPECT_EQ(Parsed(""), "");
    EXPECT_EQ(Parsed(" : ::\t:"), "");
    EXPECT_EQ(Parsed(" a\t::  b c :"), "name a|name b c|");
    EXPECT_EQ(Parsed(" pmpi=/x : y"), "pmpi /x|name y|");
}

TEST(ToolList, AThousandEntries) {
    std::string list;
    for (int i = 0; i < 1000; i++) {
        list += "tool:";
    }
    EXPECT_EQ(ParseToolList(list.c_str()).size(), 1000u);
}

}  // namespace
}  // namespace qmpi
