#include "instrument/documented_scheme.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace comshu::fortran {
namespace {

class DocumentedSchemeTest : public testing::Test {
protected:
    DocumentedSchemeTest() {
        std::string name = testing::TempDir() + "dbg-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~DocumentedSchemeTest() override { std::filesystem::remove_all(folder_); }

    int Instrument(const std::string& source, const std::vector<std::string>& contexts) {
        DocumentedScheme scheme(folder_);
        EXPECT_EQ(scheme.Open(), "");
        int first = scheme.Reserve(source, contexts.size());
        EXPECT_EQ(scheme.Write(source, contexts, 4), "");
        return first;
    }
    std::string Read(const std::string& name) {
        std::ifstream in(folder_ + "/" + name);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }

    std::string folder_;
};

TEST_F(DocumentedSchemeTest, AccumulatesFromSourceToSource) {
    EXPECT_EQ(Instrument("a.f", {"2**", "9*type=a**"}), 1);
    EXPECT_EQ(Instrument("b.f", {"9*type=b**"}), 3);
    EXPECT_NE(Read("dbg_vars.h").find("dimension istat_mp(4)"), std::string::npos);
    std::string init = Read("dbg_init.h");
    EXPECT_NE(init.find("'9*type=b**')"), std::string::npos);
    EXPECT_NE(init.find("'9*type=a**')"), std::string::npos);
}

TEST_F(DocumentedSchemeTest, TwiceIsAsOnce) {
    Instrument("a.f", {"2**", "9*type=a**"});
    Instrument("b.f", {"9*type=b**"});
    std::string init = Read("dbg_init.h");
    std::string vars = Read("dbg_vars.h");
    EXPECT_EQ(Instrument("a.f", {"2**", "9*type=a**"}), 1);
    EXPECT_EQ(Read("dbg_init.h"), init);
    EXPECT_EQ(Read("dbg_vars.h"), vars);
}

TEST_F(DocumentedSchemeTest, WhatHasGrownMoves) {
    Instrument("a.f", {"2**"});
    Instrument("b.f", {"2**"});
    EXPECT_EQ(Instrument("a.f", {"2**", "2**", "2**"}), 3);
    EXPECT_EQ(Instrument("b.f", {"2**"}), 2);
    EXPECT_NE(Read("dbg_vars.h").find("dimension istat_mp(6)"), std::string::npos);
}

TEST_F(DocumentedSchemeTest, LongStringsAreCut) {
    Instrument("a.f", {std::string(300, 'x') + "'"});
    std::istringstream lines(Read("dbg_init.h"));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 73u) << line;
    }
}

}  // namespace
}  // namespace comshu::fortran
