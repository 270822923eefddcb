#include "source_writer.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "comshu/read/capture.h"
#include "comshu/schema/record_traits.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu {
namespace {
namespace fs = std::filesystem;
using read::testing::StreamWriter;

[[gnu::noinline]] uint64_t ReturnAddress() {
    return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

struct CallSite {
    uint64_t address;
    unsigned line;
};

[[gnu::noinline]] CallSite CallHere() {
    unsigned line_before = __LINE__;
    uint64_t address = ReturnAddress();
    return {address, line_before + 1};
}

schema::MpiCall Call(uint64_t tick, uint64_t number, uint64_t caller) {
    return schema::MpiCall(schema::SpanHead(tick, tick + 10, number, 0, schema::SpanFlags{}),
                           caller, schema::MpiFunction::MPI_Barrier);
}

class SourceWriter : public testing::Test {
protected:
    SourceWriter() { fs::create_directories(pass()); }
    std::string pass() const { return folder.path() + "/run"; }

    // A stream of a process that is this test program, with these callers.
    void WriteStream(const std::string& host, const std::vector<uint64_t>& callers,
                     const std::string& program = fs::read_symlink("/proc/self/exe")) {
        StreamWriter writer(pass() + "/" + host + ".1000.0.cst", {});
        Dl_info info;
        dladdr(reinterpret_cast<void*>(&ReturnAddress), &info);
        uint64_t begin = reinterpret_cast<uint64_t>(info.dli_fbase);
        writer.Define(schema::Module(writer.Ticks(0), begin, begin + (1u << 30), begin,
                                     writer.Intern(program), 0));
        uint64_t number = 1;
        for (uint64_t caller : callers) {
            writer.Add(0, Call(writer.Ticks(static_cast<int64_t>(number) * 100), number, caller));
            ++number;
        }
        writer.End(writer.Ticks(1'000'000), schema::EndReason::finished);
    }
    std::unique_ptr<read::Capture> Open() {
        std::string error;
        auto capture = read::Capture::Open({folder.path()}, &error);
        EXPECT_NE(capture, nullptr) << error;
        return capture;
    }

    read::testing::TemporaryFolder folder;
};

TEST_F(SourceWriter, WhatItWritesIsReadAsSources) {
    CallSite site = CallHere();
    WriteStream("node0", {site.address, site.address, 0, 5, site.address});
    // 5 lies in no module, 0 is no address.
    EXPECT_EQ(WriteSources(*Open(), "node0"), 2u);
    auto capture = Open();
    EXPECT_TRUE(capture->problems().empty());
    ASSERT_EQ(capture->sources().size(), 1u);
    const read::SourcePosition& found = capture->sources()[0];
    EXPECT_EQ(found.address, site.address);
    EXPECT_EQ(found.line, site.line);
    EXPECT_EQ(found.file, __FILE__);
    EXPECT_EQ(found.function, "CallHere");
    EXPECT_EQ(found.module, fs::read_symlink("/proc/self/exe").string());
    // Again: the file is replaced, not added to.
    WriteSources(*capture, "node0");
    EXPECT_EQ(Open()->sources().size(), 1u);
}

TEST_F(SourceWriter, WhatWasResolvedStaysWhenTheBinaryIsGone) {
    CallSite site = CallHere();
    const fs::path program = folder.path() + "/program";
    fs::copy_file("/proc/self/exe", program);
    WriteStream("node0", {site.address}, program);
    WriteSources(*Open(), "node0");
    fs::remove(program);
    WriteSources(*Open(), "node0");
    auto capture = Open();
    ASSERT_EQ(capture->sources().size(), 1u);
    EXPECT_EQ(capture->sources()[0].line, site.line);
}

TEST_F(SourceWriter, AFileThatWasCutIsDamage) {
    CallSite site = CallHere();
    WriteStream("node0", {site.address});
    WriteSources(*Open(), "node0");
    const std::string path = pass() + "/node0.sources.cst";
    // The last zeros hold nothing; a file of nothing but the schema is one of calls that are in no module.
    uint64_t known = 0;
    uint64_t empty = 0;
    for (uint64_t bytes = fs::file_size(path) - 1; bytes > 0; --bytes) {
        fs::resize_file(path, bytes);
        auto capture = Open();
        if (!capture->problems().empty()) continue;
        ++(capture->sources().size() == 1 ? known : empty);
    }
    EXPECT_LT(known, 8u);
    EXPECT_LE(empty, 8u);
}

TEST_F(SourceWriter, WhatIsKnownIsNotLookedUpAgain) {
    CallSite site = CallHere();
    WriteStream("node0", {site.address, 5});
    EXPECT_TRUE(WriteNewSources(*Open(), "node0"));
    EXPECT_FALSE(WriteNewSources(*Open(), "node0"));
    EXPECT_EQ(Open()->sources().size(), 1u);
}

TEST_F(SourceWriter, OnlyThisHostsProcessesAreResolved) {
    CallSite site = CallHere();
    WriteStream("node0", {site.address});
    WriteStream("node01", {site.address});
    EXPECT_EQ(WriteSources(*Open(), "node0"), 1u);
    EXPECT_EQ(WriteSources(*Open(), "elsewhere"), 0u);
    EXPECT_EQ(Open()->sources().size(), 1u);
    EXPECT_FALSE(fs::exists(pass() + "/elsewhere.sources.cst"));
}

}  // namespace
}  // namespace comshu
