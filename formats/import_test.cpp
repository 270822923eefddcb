#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <thread>

#include "testing_import.h"

namespace comshu::format {
namespace {

constexpr const char* kTwoNodes =
    "1 0 0 0 1 1 1\n4 0 457 0 1 7 8\n11 0 457 0 0 0\n11 0 858 0 0 401\n6 0 900 1 0 7 8\n";

class ImportFiles : public testing::ImportTest {
protected:
    bool TryFiles(const std::vector<std::string>& paths, const std::string& to = "made") {
        error_.clear();
        result_ = {};
        return Import(paths, folder_ + "/" + to, options_, &result_, &error_);
    }
    std::string Pack(const std::string& text) {
        const std::string path = folder_ + "/packed";
        gzFile file = gzopen(path.c_str(), "wb");
        EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
                  static_cast<int>(text.size()));
        gzclose(file);
        std::string packed = Read(path);
        std::filesystem::remove(path);
        return packed;
    }
    // Imports `text` as what comes through a FIFO.
    bool TryFifo(const std::string& text) {
        const std::string fifo = folder_ + "/fifo";
        EXPECT_EQ(mkfifo(fifo.c_str(), 0600), 0);
        std::thread writer([&] {
            std::ofstream out(fifo, std::ios::binary);
            out << text;
        });
        const bool done = TryFiles({fifo});
        writer.join();
        EXPECT_TRUE(std::filesystem::is_fifo(fifo));
        std::filesystem::remove(fifo);
        return done;
    }
    size_t Entries() const {
        return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
    }
};

TEST_F(ImportFiles, ThroughAFifoIsTheSameAsAFile) {
    // The host, at the end, moves all nodes; what is longer than a pipe comes in parts.
    std::string text;
    for (int i = 0; i < 20000; ++i) text += "15 0 " + std::to_string(i) + " 0 1\n";
    text += "15 1 0 -32768 1\n";
    for (const std::string& bytes : {text, Pack(text)}) {
        ASSERT_TRUE(TryFifo(bytes)) << error_;
        EXPECT_EQ(file().records, 20001u);
        EXPECT_EQ(file().bytes, bytes.size());
        EXPECT_FALSE(std::filesystem::exists(folder_ + "/made/input.0"));
        OpenCapture(folder_ + "/made");
        EXPECT_EQ(Ask("select rank, count(*) from mark group by 1 order by 1"), "0 1\n1 20000\n");
        database_.reset();
        std::filesystem::remove_all(folder_ + "/made");
    }
}

TEST_F(ImportFiles, WhatIsNoTraceIsRefusedInAFifoAtOnce) {
    EXPECT_FALSE(TryFifo("hello\n"));
    EXPECT_NE(error_.find("format is not known"), std::string::npos) << error_;
    EXPECT_FALSE(TryFifo(""));
    EXPECT_NE(error_.find("is empty"), std::string::npos) << error_;
    EXPECT_EQ(Entries(), 0u);
}

TEST_F(ImportFiles, WaitingForAWriterCanBeStopped) {
    const std::string fifo = folder_ + "/fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    int looks = 0;
    options_.stopped = [&] { return ++looks > 2; };
    EXPECT_FALSE(TryFiles({fifo}, "a/b/made"));
    EXPECT_EQ(error_, "stopped");
    EXPECT_EQ(Entries(), 1u);
}

TEST_F(ImportFiles, AFileIsTakenOnce) {
    const std::string path = Write("trace", kTwoNodes);
    std::filesystem::create_symlink(path, folder_ + "/link");
    EXPECT_FALSE(TryFiles({path, path}));
    EXPECT_NE(error_.find("is given twice"), std::string::npos) << error_;
    EXPECT_FALSE(TryFiles({path, folder_ + "/link"}));
    EXPECT_NE(error_.find("link is the same file as "), std::string::npos) << error_;
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/made"));
}

TEST_F(ImportFiles, TheFolderMayEndInASlash) {
    const std::string path = Write("trace", kTwoNodes);
    EXPECT_TRUE(TryFiles({path}, "new/made/")) << error_;
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/new/made/capture.json"));
    EXPECT_EQ(Entries(), 2u);
    EXPECT_FALSE(Import({path}, "", {}, &result_, &error_));
    EXPECT_NE(error_.find("has no name"), std::string::npos) << error_;
}

TEST_F(ImportFiles, BehindGzipDataOnlyZerosAndMembersAreGood) {
    const std::string two = Pack(kTwoNodes) + Pack("15 1 0 1 3\n");
    ImportText(two + std::string(1000, '\0'), "members");
    EXPECT_EQ(file().records, 6u);
    EXPECT_EQ(file().problem_count, 0u);
    ImportText(two + "15 1 0 1 4\n", "junk");
    EXPECT_EQ(file().records, 6u);
    ASSERT_EQ(file().problem_count, 1u);
    EXPECT_NE(file().problems[0].text.find("is no gzip: left out"), std::string::npos);
    ImportText(two.substr(0, two.size() - 9), "cut");
    ASSERT_EQ(file().problem_count, 1u);
    EXPECT_NE(file().problems[0].text.find("is cut or damaged: unexpected end"), std::string::npos);
}

TEST_F(ImportFiles, AByteOrderMarkCostsNothing) {
    ImportText(std::string("\xef\xbb\xbf") + kTwoNodes);
    EXPECT_EQ(file().records, 5u);
    EXPECT_EQ(file().problem_count, 0u);
}

TEST_F(ImportFiles, AFileOfOneBadRecordIsToldWhereAndWhy) {
    const auto why = [&](const std::string& text) {
        EXPECT_FALSE(TryImport(text));
        const size_t at = error_.find("; as PICL");
        return at == error_.npos ? "" : error_.substr(at);
    };
    EXPECT_EQ(why("4 0 457 0 1\n"),
              "; as PICL it fails at line 1, column 12: the line ends before the next field");
    EXPECT_EQ(why("a title\n\n-3 -21 0.1 0 0 3 2 8\n"),
              "; as PICL it fails at line 3, column 21: 3 data fields are announced, 1 are there");
    EXPECT_EQ(why("hello world\n"), "");
}

// Ranks 1 and 2 are in the trace as little as in the capture of it: nothing is damaged or elsewhere.
TEST_F(ImportFiles, GapsInTheNumbersOfRanksAreToldAsWhatTheyAre) {
    ImportText(
        "-3 -21 0.1 0 0 3 2 8 7 3\n-4 -21 0.2 0 0 0\n-3 -51 0.1 3 0 2 2 7 0\n"
        "-4 -51 0.3 3 0 3 2 8 7 0\n");
    EXPECT_EQ(Ask("select kind, text from problem"),
              "input run: ranks 1, 2 of 4 are not here: the imported trace has nothing of them, or "
              "their streams were removed from the capture\n");
}

}  // namespace
}  // namespace comshu::format
