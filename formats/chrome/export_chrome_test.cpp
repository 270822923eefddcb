// What is exported, against the rules of the programs that read it.
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "comshu/format/export.h"
#include "testing_import.h"
#include "testing_records.h"

namespace comshu::format {
namespace {

using Json = nlohmann::json;

int64_t Ns(const Json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000);
}

struct Slice {
    int64_t begin;
    int64_t end;
    std::string name;
};

// A trace as Perfetto's importer takes it.
struct Checked {
    std::map<std::pair<uint64_t, uint64_t>, std::vector<Slice>> slices;
    struct Arrow {
        std::string from, to;
        int64_t begin = -1;
        int64_t end = -1;
    };
    std::map<uint64_t, Arrow> arrows;
    std::map<std::string, int> instants;
    std::map<std::string, int> counters;
    std::map<uint64_t, std::string> processes;

    const Slice* Innermost(std::pair<uint64_t, uint64_t> row, int64_t ns) const {
        const Slice* found = nullptr;
        for (const Slice& slice : slices.at(row)) {
            if (slice.begin <= ns && ns < slice.end &&
                (found == nullptr || slice.begin >= found->begin))
                found = &slice;
        }
        return found;
    }
};

class ChromeExport : public testing::ImportTest {
protected:
    Checked Export() {
        const std::string path = folder_ + "/exported.json";
        ExportResult result;
        std::string error;
        EXPECT_TRUE(ExportChrome(database_.get(), path, &result, &error)) << error;
        remarks_ = result.remarks;
        return Check(Json::parse(Read(path)));
    }

    static Checked Check(const Json& trace) {
        Checked checked;
        for (const Json& event : trace.at("traceEvents")) {
            const std::string phase = event.at("ph");
            const uint64_t pid = event.at("pid").get<uint64_t>();
            const uint64_t tid = event.at("tid").get<uint64_t>();
            EXPECT_LT(pid, uint64_t{1} << 32);
            EXPECT_LT(tid, uint64_t{1} << 32);
            if (phase == "M") {
                if (event.at("name") == "process_name")
                    checked.processes[pid] = event.at("args").at("name");
                continue;
            }
            const int64_t ns = Ns(event.at("ts"));
            EXPECT_GE(ns, 0);
            if (phase == "X") {
                EXPECT_GE(event.at("dur").get<double>(), 0);
                checked.slices[{pid, tid}].push_back(
                    {ns, ns + Ns(event.at("dur")), event.at("name")});
            } else if (phase == "s" || phase == "f") {
                if (phase == "f") {
                    EXPECT_EQ(event.at("bp"), "e");
                }
                Checked::Arrow& arrow = checked.arrows[event.at("id").get<uint64_t>()];
                // The slice it belongs to stands before it.
                const Slice* slice = checked.Innermost({pid, tid}, ns);
                EXPECT_NE(slice, nullptr) << event;
                const std::string name = slice == nullptr ? "none" : slice->name;
                EXPECT_EQ(phase == "s" ? arrow.begin : arrow.end, -1) << "an id is used again";
                (phase == "s" ? arrow.begin : arrow.end) = ns;
                (phase == "s" ? arrow.from : arrow.to) = std::to_string(pid) + " " + name;
            } else if (phase == "i") {
                ++checked.instants[event.at("name")];
            } else if (phase == "C") {
                EXPECT_TRUE(event.at("args").at("value").is_number());
                ++checked.counters[event.at("name")];
            } else {
                ADD_FAILURE() << phase;
            }
        }
        for (auto& [id, arrow] : checked.arrows) {
            EXPECT_GE(arrow.begin, 0) << id;
            EXPECT_GE(arrow.end, arrow.begin) << id;
        }
        for (auto& [row, slices] : checked.slices) ExpectNesting(slices);
        return checked;
    }

    static void ExpectNesting(std::vector<Slice> slices) {
        std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        std::vector<int64_t> open;
        for (const Slice& slice : slices) {
            while (!open.empty() && open.back() <= slice.begin) open.pop_back();
            if (!open.empty()) {
                EXPECT_LE(slice.end, open.back()) << slice.name;
            }
            open.push_back(slice.end);
        }
    }

    std::vector<std::string> remarks_;
};

TEST_F(ChromeExport, ThreeMessagesOfOnePairAreThreeArrows) {
    ImportText(
        "4 0 10 0 1 7 8\n11 0 10 0 0 0\n4 0 20 0 1 7 8\n11 0 20 0 0 0\n11 0 30 0 0 0\n"
        "4 0 40 0 1 7 8\n7 0 5 1 7\n8 0 50 1 0 7 8\n7 0 60 1 7\n8 0 70 1 0 7 8\n6 0 80 1 0 7 8\n");
    const Checked checked = Export();
    ASSERT_EQ(checked.arrows.size(), 3u);
    std::set<std::pair<int64_t, int64_t>> ends;
    for (const auto& [id, arrow] : checked.arrows) {
        EXPECT_EQ(arrow.from, "0 send");
        ends.emplace(arrow.begin / 1000, (arrow.end + 999) / 1000);
    }
    EXPECT_EQ(ends, (std::set<std::pair<int64_t, int64_t>>{{10, 50}, {20, 70}, {40, 80}}));
    EXPECT_EQ(checked.processes.at(1), "node 1");
    EXPECT_EQ(remarks_,
              std::vector<std::string>{"3 calls with a message have no length: drawn with 1 ns"});
}

TEST_F(ChromeExport, OverlappingStatesKeepTheirLengths) {
    ImportText("20 0 0 0 1 0 0\n20 0 5 0 2 0 0\n21 0 10 0 1 0 0\n21 0 15 0 2 0 0\n");
    const Checked checked = Export();
    ASSERT_EQ(checked.slices.size(), 2u);
    for (const auto& [row, slices] : checked.slices) {
        ASSERT_EQ(slices.size(), 1u);
        EXPECT_EQ(slices[0].end - slices[0].begin, 10'000);
    }
}

TEST_F(ChromeExport, BackwardMessagesHaveNoArrowAndAreCounted) {
    ImportText(
        "4 0 100 0 1 7 8\n11 0 100 0 0 0\n11 0 150 0 0 50\n"
        "6 0 90 1 0 7 8\n11 0 90 1 0 0\n11 0 95 1 0 5\n4 0 200 0 1 9 8\n");
    const Checked checked = Export();
    EXPECT_TRUE(checked.arrows.empty());
    ASSERT_EQ(remarks_.size(), 2u);
    EXPECT_EQ(remarks_[0], "1 message arrives before it is sent: without an arrow");
    EXPECT_EQ(remarks_[1], "1 send or receive has no partner: without an arrow");
}

TEST_F(ChromeExport, MessagesOfOtherTransportsAreArrowsToo) {
    testing::RecordsOfAllKinds run;
    OpenCapture(run.Finish(6000));
    const Checked checked = Export();
    ASSERT_EQ(checked.arrows.size(), 2u);
    std::set<std::string> arrows;
    for (const auto& [id, arrow] : checked.arrows) {
        arrows.insert(arrow.from + " " + std::to_string(arrow.begin) + ", " + arrow.to + " " +
                      std::to_string(arrow.end));
    }
    EXPECT_EQ(arrows, (std::set<std::string>{"0 send (zeromq) 1000, 2 receive (zeromq) 3000",
                                             "1 MPI_Send 1501, 2 MPI_Recv 1599"}));
    // The one that nobody received has its place, too.
    ASSERT_EQ(checked.slices.at({0, 0}).size(), 2u);
    EXPECT_EQ(checked.slices.at({0, 0})[1].begin, 1100);
    EXPECT_EQ(remarks_,
              (std::vector<std::string>{
                  "1 send or receive has no partner: without an arrow",
                  "3 sides of messages of the program's own transport: drawn with 1 ns"}));
}

TEST_F(ChromeExport, NegativeTimesAndTheHostFit) {
    ImportText("15 0 -5 -32768 1\n20 0 1 0 3 0 0\n");
    const Checked checked = Export();
    EXPECT_EQ(checked.instants.at("trace_mark"), 1);
    EXPECT_EQ(checked.processes.at(0), "host");
    EXPECT_EQ(remarks_,
              std::vector<std::string>{"1 call never ended: drawn to the end of the run"});
}

TEST_F(ChromeExport, NamesOfAnyKindStayWhole) {
    ImportText(
        "[{\"ph\":\"X\",\"name\":\"a \\\"b\\\" \\\\ \\n \\u00e9\",\"ts\":1.001,\"dur\":0.3,"
        "\"pid\":0,\"tid\":0},{\"ph\":\"X\",\"name\":\"next\",\"ts\":1.301,\"dur\":0.3,"
        "\"pid\":0,\"tid\":0},{\"ph\":\"C\",\"name\":\"c\",\"ts\":1,\"pid\":0,\"args\":{\"value\":"
        "2}}]");
    const Checked checked = Export();
    const std::vector<Slice>& slices = checked.slices.begin()->second;
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(slices[0].name, "a \"b\" \\ \n \u00e9");
    // 300 ns apart.
    EXPECT_EQ(slices[0].begin, 1001);
    EXPECT_EQ(slices[1].begin, 1301);
    EXPECT_EQ(checked.counters.at("c"), 1);
}

TEST_F(ChromeExport, WhatIsExportedIsImportedAgain) {
    ImportText(
        "4 0 10 0 1 7 8\n11 0 10 0 0 0\n11 0 15 0 0 5\n7 0 5 1 7\n8 0 50 1 0 7 8\n"
        "20 0 60 1 3 0 0\n20 0 61 1 4 0 0\n21 0 65 1 4 0 0\n21 0 70 1 3 0 0\n15 0 71 0 1\n");
    const std::string spans =
        "select rank, name, begin_ns, end_ns from span where name not like 'message' order by all";
    const std::string before = Ask(spans);
    Export();
    ImportText(Read(folder_ + "/exported.json"), "again");
    EXPECT_EQ(file().problem_count, 0u);
    EXPECT_EQ(Ask(spans), before);
    EXPECT_EQ(Ask("select send_rank, recv_rank from message"), "0 1\n");
    EXPECT_EQ(Ask("select name from mark"), "trace_mark\n");
}

}  // namespace
}  // namespace comshu::format
