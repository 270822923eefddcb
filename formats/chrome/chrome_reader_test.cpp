#include "chrome/chrome_reader.h"

#include <zlib.h>

#include "comshu/read/report.h"
#include "testing_import.h"

namespace comshu::format {
namespace {

using ChromeImport = testing::ImportTest;

constexpr const char* kSpansWithParents =
    "select s.rank, s.thread, s.name, s.begin_ns, s.end_ns, p.name from span s left join span p on "
    "p.span_id = s.parent_id order by all";

TEST_F(ChromeImport, SlicesNestInWhateverOrderTheyStand) {
    ImportText(R"({"traceEvents":[
{"ph":"X","name":"inner","ts":2,"dur":1.5,"pid":7,"tid":1},
{"ph":"X","name":"outer","ts":1,"dur":9,"pid":7,"tid":1},
{"ph":"B","name":"open","ts":20,"pid":7,"tid":1},
{"ph":"E","ts":30.25,"pid":7,"tid":1},
{"ph":"X","name":"after","ts":5,"dur":5,"pid":7,"tid":1}
]})");
    EXPECT_EQ(file().format, "Chrome trace JSON");
    EXPECT_EQ(Ask(kSpansWithParents),
              "0 0 after 5000 10000 outer\n0 0 inner 2000 3500 outer\n0 0 open 20000 30250 -\n"
              "0 0 outer 1000 10000 -\n");
    EXPECT_EQ(file().problem_count, 0u);
}

TEST_F(ChromeImport, ProcessesAndThreadsKeepTheirNames) {
    ImportText(R"([{"ph":"M","name":"process_name","pid":900,"args":{"name":"master"}},
{"ph":"M","name":"thread_name","pid":900,"tid":12,"args":{"name":"worker"}},
{"ph":"i","name":"here","ts":"1.5","pid":900,"tid":12,"s":"t"},
{"ph":"C","name":"memory","ts":2,"pid":"text","args":{"used":5,"free":2.5,"value":1}}])");
    EXPECT_EQ(Ask("select rank, name from rank order by 1"), "0 master\n1 process text\n");
    EXPECT_EQ(Ask("select name from thread where rank = 0"), "worker\n");
    EXPECT_EQ(Ask("select rank, name, time_ns from mark"), "0 here 1500\n");
    EXPECT_EQ(Ask("select rank, name, value from counter order by 2"),
              "1 memory 1\n1 memory free 2.5\n1 memory used 5\n");
}

TEST_F(ChromeImport, ArrowsAreMessages) {
    // Two with one id, one after the other; one that stands backwards in the file; one without an end.
    ImportText(R"([{"ph":"X","name":"s","ts":0,"dur":9,"pid":0,"tid":0},
{"ph":"s","name":"m","cat":"c","id":1,"ts":1,"pid":0,"tid":0},
{"ph":"f","name":"m","cat":"c","id":1,"ts":3,"pid":1,"tid":0,"bp":"e"},
{"ph":"s","name":"m","cat":"c","id":1,"ts":4,"pid":0,"tid":0},
{"ph":"f","name":"m","cat":"c","id":1,"ts":6,"pid":1,"tid":0,"bp":"e"},
{"ph":"f","name":"m","cat":"c","id":2,"ts":9,"pid":0,"tid":0,"bp":"e"},
{"ph":"s","name":"m","cat":"c","id":2,"ts":8,"pid":1,"tid":0},
{"ph":"s","name":"m","cat":"c","id":"0x3","ts":8,"pid":1,"tid":0}])");
    EXPECT_EQ(
        Ask("select send_rank, recv_rank, send_begin_ns, recv_end_ns from message order by 3"),
        "0 1 1000 3000\n0 1 4000 6000\n1 0 8000 9000\n");
    ASSERT_EQ(file().problems.size(), 1u);
    EXPECT_EQ(file().problems[0].text, "1 arrow has one end only");
}

TEST_F(ChromeImport, FunctionsOfMpiAreOfTheirLayer) {
    ImportText(R"([{"ph":"X","name":"MPI_Wait","cat":"wait","ts":0,"dur":9,"pid":0,"tid":0},
{"ph":"X","name":"solve","cat":"region","ts":10,"dur":9,"pid":0,"tid":0}])");
    EXPECT_EQ(Ask("select name, layer, category from span order by begin_ns"),
              "MPI_Wait mpi wait\nsolve user user\n");
}

TEST_F(ChromeImport, AsynchronousSlices) {
    ImportText(R"([{"ph":"b","cat":"io","name":"read","id":"1","ts":1,"pid":0,"tid":0},
{"ph":"b","cat":"io","name":"read","id":"2","ts":2,"pid":0,"tid":0},
{"ph":"e","cat":"io","name":"read","id":"1","ts":5,"pid":0,"tid":0},
{"ph":"e","cat":"io","name":"read","id":"9","ts":6,"pid":0,"tid":0}])");
    EXPECT_EQ(Ask("select begin_ns, end_ns from span order by 1"), "1000 5000\n2000 -\n");
    EXPECT_EQ(file().problem_count, 2u);
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:4:68");
}

TEST_F(ChromeImport, WhatNeverEndsIsToldWithThePlaceOfTheFirst) {
    ImportText(R"([{"ph":"b","cat":"io","name":"read","id":"1","ts":1,"pid":0,"tid":0},
{"ph":"e","cat":"io","name":"read","id":"1","ts":5,"pid":0,"tid":0},
{"ph":"b","cat":"io","name":"write","id":"2","ts":2,"pid":0,"tid":0},
{"ph":"B","name":"a","ts":3,"pid":0,"tid":0},
{"ph":"B","name":"b","ts":4,"pid":0,"tid":0},{"ph":"E","ts":5,"pid":0,"tid":0}])");
    EXPECT_EQ(Ask("select name, end_ns from span where end_ns is null order by begin_ns"),
              "write -\na -\n");
    ASSERT_EQ(file().problem_count, 1u);
    EXPECT_EQ(file().problems[0].text, "2 slices begin and never end: kept open");
    EXPECT_EQ(ProblemPlace("f", file().problems[0]), "f:3:69");
}

TEST_F(ChromeImport, BadEventsAndBrokenFilesAreToldWithTheirPlace) {
    ImportText(
        "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":0,\"tid\":0},\n"
        "{\"name\":\"none\"},\n{\"ph\":\"X\",\"ts\":\"soon\",\"pid\":0},\n{\"ph\":\"Q\"},\n"
        "{\"ph\":\"X\",\"ts\":{}},\n{\"ph\":\"i\",\"ts\":3,}");
    EXPECT_EQ(Ask("select count(*) from span"), "1\n");
    EXPECT_EQ(file().illegal, 3u);
    EXPECT_EQ(file().unknown, 1u);
    ASSERT_EQ(file().problems.size(), 4u);
    EXPECT_EQ(file().problems[0].line, 2u);
    EXPECT_EQ(file().problems[0].text, "an event without a phase (ph)");
    EXPECT_EQ(file().problems[1].text, "soon is not a time");
    EXPECT_EQ(file().problems[3].line, 6u);
    EXPECT_NE(file().problems[3].text.find("nothing is read from here on"), std::string::npos);
}

TEST_F(ChromeImport, WordsThatAreNoJsonEndNothing) {
    ImportText(
        R"([{"ph":"C","name":"load","ts":1,"pid":0,"args":{"a":NaN,"b":-Infinity,"c":1e999,"d":7}},
{"ph":"C","name":"load","ts":2,"pid":0,"args":{"d":null,"e":"text"}},
{"ph":"X","name":"back","ts":20,"dur":-5,"pid":0,"tid":0},
{"ph":"X","name":"no time","ts":NaN,"dur":5,"pid":0,"tid":0},
{"ph":"X","name":"NaN \"NaN","ts":30,"dur":5,"pid":0,"tid":0,"cname":"good","args":{"on":true}}])");
    EXPECT_EQ(Ask("select name, begin_ns, end_ns from span order by 2"),
              "back 20000 20000\nNaN \"NaN 30000 35000\n");
    EXPECT_EQ(Ask("select name, value from counter"), "load d 7\n");
    std::string told;
    for (const Problem& problem : file().problems)
        told += ProblemPlace("f", problem) + " " + problem.text + "\n";
    EXPECT_EQ(told,
              "f:1:53 NaN is no value of JSON: taken as none\n"
              "f:1:61 -Infinity is no value of JSON: taken as none\n"
              "f:1:75 1e999 is no value of JSON: taken as none\n"
              "f:3:58 a slice ends before it begins: without length\n"
              "f:4:33 NaN is no value of JSON: taken as none\n"
              "f:4:61 null is not a time\n"
              "f 5 values of counters are no numbers: left out\n");
    EXPECT_EQ(file().illegal, 1u);
    EXPECT_EQ(file().remarks, std::vector<std::string>({"1 field of an event left out",
                                                        "1 argument of an event left out"}));
}

// A pair, halves alone, in the wrong order, one behind the other, and in front of the end of a text; `\\u` behind
// a backslash of its own is none.
TEST_F(ChromeImport, HalvesOfCharactersAreUnknownCharacters) {
    ImportText(R"([{"ph":"i","name":"\ud83d\ude00","ts":1,"pid":0,"tid":0},
{"ph":"i","name":"a\ud800b","ts":2,"pid":0,"tid":0},
{"ph":"i","name":"\ude00\ud83d","ts":3,"pid":0,"tid":0},
{"ph":"i","name":"\uD800\ud83d\ude00\"\\","ts":4,"pid":0,"tid":0},
{"ph":"i","name":"\udbff","ts":5,"pid":0,"tid":0},
{"ph":"i","name":"\\ud800\u0041","ts":6,"pid":0,"tid":0}])");
    EXPECT_EQ(Ask("select name from mark order by time_ns"),
              "\xf0\x9f\x98\x80\na\xef\xbf\xbd"
              "b\n\xef\xbf\xbd\xef\xbf\xbd\n"
              "\xef\xbf\xbd\xf0\x9f\x98\x80\"\\\n\xef\xbf\xbd\n\\ud800A\n");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(file().remarks,
              std::vector<std::string>({"5 halves of characters in texts: read as U+FFFD"}));
    ImportText(R"([{"ph":"i","name":"a","ts":1,"pid":0,"tid":0},{"ph":"i","name":"\ud8)", "cut");
    EXPECT_EQ(Ask("select name from mark"), "a\n");
    EXPECT_EQ(file().problems.at(0).text,
              "the file ends inside an event; nothing is read from here on");
}

TEST_F(ChromeImport, WhatIsBehindAnErrorIsCounted) {
    const std::string good = "[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":0,\"tid\":0},";
    const std::string behind(1'000'000, ' ');
    ImportText(good + "!" + behind);
    EXPECT_EQ(Ask("select name from mark"), "a\n");
    const std::string& text = file().problems.at(0).text;
    const std::string told = "; nothing is read from here on: 100.0 % of the file (1000000 of " +
                             std::to_string(good.size() + 1 + behind.size()) + " bytes)";
    EXPECT_TRUE(text.ends_with(told)) << text;
}

TEST_F(ChromeImport, AFileWithoutItsLastBracketsIsWhole) {
    ImportText("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":0,\"tid\":0},\n");
    EXPECT_EQ(Ask("select count(*) from mark"), "1\n");
    EXPECT_EQ(file().problem_count, 0u);
    ASSERT_EQ(file().remarks.size(), 1u);
}

TEST_F(ChromeImport, DatesKeepTheirLastDigit) {
    int64_t ns = 0;
    EXPECT_TRUE(chrome::ParseMicroseconds("1700000000123456.789", &ns));
    EXPECT_EQ(ns, 1'700'000'000'123'456'789);
    EXPECT_TRUE(chrome::ParseMicroseconds("-0.5", &ns));
    EXPECT_EQ(ns, -500);
    EXPECT_TRUE(chrome::ParseMicroseconds("2e3", &ns));
    EXPECT_EQ(ns, 2'000'000);
    for (const char* bad : {"", "x", "1.x", "1e300", "nan"})
        EXPECT_FALSE(chrome::ParseMicroseconds(bad, &ns)) << bad;
}

TEST_F(ChromeImport, MoreSlicesThanAWindow) {
    std::string text = "[";
    for (int i = 0; i < 50'000; ++i) {
        text += "{\"ph\":\"X\",\"name\":\"in\",\"ts\":" + std::to_string(i * 10 + 1) +
                ",\"dur\":2,\"pid\":0,\"tid\":0},\n{\"ph\":\"X\",\"name\":\"out\",\"ts\":" +
                std::to_string(i * 10) + ",\"dur\":5,\"pid\":0,\"tid\":0},\n";
    }
    ImportText(text);
    EXPECT_EQ(Ask("select c.name, p.name, count(*) from span c join span p on p.span_id = "
                  "c.parent_id group by all"),
              "in out 50000\n");
    EXPECT_EQ(Ask("select count(*) from span"), "100000\n");
}

TEST_F(ChromeImport, PackedByGzip) {
    const std::string path = folder_ + "/packed";
    const std::string text = "[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":0,\"tid\":0}]";
    gzFile out = gzopen(path.c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
    ASSERT_TRUE(TryImport(Read(path))) << error_;
    EXPECT_EQ(file().format, "Chrome trace JSON");
    // Cut in the middle.
    std::string picl;
    for (int i = 0; i < 20'000; ++i)
        picl += "15 0 " + std::to_string(i * 7919 % 999'983) + " 0 1\n";
    out = gzopen(path.c_str(), "wb");
    gzwrite(out, picl.data(), static_cast<unsigned>(picl.size()));
    gzclose(out);
    const std::string packed = Read(path);
    ASSERT_TRUE(TryImport(packed.substr(0, packed.size() - 100), "cut")) << error_;
    ASSERT_GE(file().problems.size(), 1u);
    EXPECT_NE(file().problems.back().text.find("is cut or damaged"), std::string::npos);
}

// Slices are no calls, and an arrow tells no size.
TEST_F(ChromeImport, ReportsTellStatesFromCallsAndUnknownSizesFromNone) {
    ImportText(
        R"([{"ph":"X","name":"a","ts":1,"dur":10,"pid":0,"tid":0},
{"ph":"X","name":"b","ts":5,"dur":10,"pid":1,"tid":0},
{"ph":"s","name":"m","cat":"m","id":1,"ts":2,"pid":0,"tid":0},
{"ph":"f","bp":"e","name":"m","cat":"m","id":1,"ts":14,"pid":1,"tid":0}])");
    read::Report report;
    ASSERT_TRUE(read::MakeReport(database_.get(), {capture_}, &report, &error_)) << error_;
    EXPECT_EQ(report.facts.calls, 2u);
    EXPECT_EQ(report.facts.regions, 2u);
    ASSERT_EQ(report.pairs.size(), 1u);
    EXPECT_FALSE(report.pairs[0].has_bytes);
    const std::string text = read::ReportText(report, {});
    EXPECT_NE(text.find("2 calls and 2 regions in "), std::string::npos) << text;
    EXPECT_EQ(text.find("0 B"), std::string::npos) << text;
}

// Arrows of one key that wait are met in the order of the file, whichever end comes first; places of those that
// were met are used again.
TEST_F(ChromeImport, WaitingArrowsAreMetInTheOrderOfTheFile) {
    std::string text = "[";
    const auto end = [&](const char* phase, int pid, int id, int ts) {
        text += std::string("{\"ph\":\"") + phase +
                "\",\"name\":\"m\",\"cat\":\"c\",\"tid\":0,\"pid\":" + std::to_string(pid) +
                ",\"id\":" + std::to_string(id) + ",\"ts\":" + std::to_string(ts) + "},";
    };
    for (int round = 0; round < 3; ++round) {
        const int t = round * 1000;
        for (int i = 0; i < 4; ++i) end("s", 0, i % 2, t + i);
        for (int i = 0; i < 4; ++i) end("f", 1, i % 2, t + 100 + i);
        for (int i = 0; i < 2; ++i) end("f", 1, 7, t + 300 + i);
        for (int i = 0; i < 2; ++i) end("s", 0, 7, t + 200 + i);
    }
    end("s", 0, 9, 5000);
    text.back() = ']';
    ImportText(text);
    EXPECT_EQ(Ask("select count(*), sum(recv_begin_ns - send_begin_ns), min(recv_begin_ns - "
                  "send_begin_ns), max(recv_begin_ns - send_begin_ns) from message"),
              "18 1800000 100000 100000\n");
    ASSERT_EQ(file().problem_count, 1u);
    EXPECT_EQ(file().problems[0].text, "1 arrow has one end only");
}

}  // namespace
}  // namespace comshu::format
