// Every target gives back what it was given, or says what it lost.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "comshu/format/export.h"
#include "comshu/read/partitioned_export.h"
#include "mpi_run.h"
#include "testing_import.h"

namespace comshu::format {
namespace {

using read::testing::MpiProcess;
using read::testing::MpiRun;
using schema::MpiFunction;

constexpr uint64_t kPair = 88;
constexpr uint64_t kUnknown = ~uint64_t{0};

// What a capture holds, a line each. Communicators and instances count by how much is in them, as their
// numbers are those of a capture.
constexpr const char* kAspects[] = {
    "select 'span', layer, rank, thread, md5(coalesce(name, '')), left(name, 40), begin_ns, "
    "end_ns, "
    "source, failed from span",
    "select 'message', layer, send_rank, recv_rank, tag, bytes, recv_bytes, send_begin_ns, "
    "recv_end_ns, count(*) over (partition by comm) from message",
    "select 'collective', name, rank, root, bytes_in, bytes_out, begin_ns, end_ns, count(*) over "
    "(partition by comm), count(*) over (partition by instance) from collective",
    "select 'unmatched', side, rank, peer, tag, bytes, begin_ns from unmatched",
    "select 'mark', rank, thread, md5(coalesce(name, '')), left(name, 40), value, time_ns from "
    "mark",
    "select 'counter', rank, thread, name, value, time_ns from counter",
};

struct Feature {
    const char* name;
    std::function<void(MpiRun*)> add;
};

uint64_t NameOf(MpiRun* run, std::string_view name) {
    return run->Rank(0).writer().Intern(name);
}
void AddRegion(MpiRun* run, std::string_view name, int64_t begin = 60'000, int64_t end = 70'000,
               uint32_t thread = 0) {
    const schema::SpanHead head = run->Rank(0).Head(begin, thread, end == 0, end - begin);
    run->Rank(0).writer().Add(thread, schema::UserRegion(head, NameOf(run, name), 0));
}
void AddMark(MpiRun* run, std::string_view name, double value) {
    run->Rank(0).writer().Add(
        0, schema::Mark({run->Rank(0).Tick(61'000), 0}, NameOf(run, name), value));
}
void AddCounter(MpiRun* run, double value) {
    run->Rank(0).writer().Add(
        0, schema::Counter({run->Rank(0).Tick(62'000), 0}, NameOf(run, "load"), value));
}
void AddCollective(MpiRun* run, MpiFunction function, uint64_t in, uint64_t out, int32_t root,
                   uint64_t comm = MpiProcess::kWorld, int64_t at = 63'000) {
    for (int32_t rank = 0; rank < 3; ++rank) {
        if (comm == kPair && rank == 0) continue;
        run->Rank(rank).writer().Add(
            0, schema::MpiCollective(run->Rank(rank).Head(at, 0, false, 2'000), 0, comm,
                                     in == kUnknown ? in : in * static_cast<uint64_t>(rank + 1),
                                     out, 0, root, function, schema::MpiOperation::none));
    }
}
void AddStart(MpiRun* run, int32_t rank, int64_t begin, MpiFunction function, uint64_t request,
              int32_t peer) {
    run->Rank(rank).writer().Add(
        0, schema::MpiPointToPoint(run->Rank(rank).Head(begin, 0, false, 1'000), 0,
                                   MpiProcess::kWorld, 8, request, 5, peer, peer, function));
}
void AddMessage(MpiRun* run, uint64_t comm, uint64_t bytes, int64_t at) {
    run->Rank(1).writer().Add(
        0, schema::MpiPointToPoint(run->Rank(1).Head(at, 0, false, 1'000), 0, comm, bytes, 0, 3,
                                   comm == kPair ? 1 : 2, 2, MpiFunction::MPI_Send));
    run->Rank(2).writer().Add(0, schema::MpiReceive(run->Rank(2).Head(at, 0, false, 2'000), 0, comm,
                                                    bytes, bytes, 0, 3, comm == kPair ? 0 : 1, 1, 3,
                                                    comm == kPair ? 0 : 1, MpiFunction::MPI_Recv));
}

schema::MpiCompletion Cancelled(uint64_t request) {
    constexpr int32_t kNo = MpiProcess::kNone;
    return schema::MpiCompletion({}, request, kUnknown, kNo, kNo, kNo, schema::MpiRequestKind::send,
                                 schema::MpiCompletionFlags::cancelled);
}

const std::vector<Feature>& Features() {
    static const std::vector<Feature> features = {
        {"nanoseconds", [](MpiRun* run) { AddRegion(run, "work", 60'001, 69'999); }},
        {"a region in another",
         [](MpiRun* run) {
             AddRegion(run, "inner", 61'000, 62'000);
             AddRegion(run, "work");
         }},
        {"regions that overlap",
         [](MpiRun* run) {
             AddRegion(run, "first", 60'000, 70'000);
             AddRegion(run, "second", 65'000, 75'000);
         }},
        {"a region without length", [](MpiRun* run) { AddRegion(run, "work", 60'000, 60'000); }},
        {"a region that never ends", [](MpiRun* run) { AddRegion(run, "work", 60'000, 0); }},
        {"a region of another thread",
         [](MpiRun* run) { AddRegion(run, "work", 60'000, 70'000, 1); }},
        {"a region that is called as a call", [](MpiRun* run) { AddRegion(run, "send"); }},
        {"line feeds in a name", [](MpiRun* run) { AddRegion(run, "one\ntwo\r\tthree"); }},
        {"a NUL in a name", [](MpiRun* run) { AddRegion(run, std::string_view("one\0two", 7)); }},
        {"no UTF-8 in a name", [](MpiRun* run) { AddRegion(run, "gr\xfc\xdf\x65"); }},
        {"blanks at the ends of a name", [](MpiRun* run) { AddRegion(run, "  work "); }},
        {"quotes in a name", [](MpiRun* run) { AddRegion(run, "a \"name\" \\ 'of' ü: 1,2;{}"); }},
        {"a name of nothing", [](MpiRun* run) { AddRegion(run, ""); }},
        {"a long name", [](MpiRun* run) { AddRegion(run, std::string(1'100'000, 'x')); }},
        {"a long name of a mark",
         [](MpiRun* run) { AddMark(run, std::string(1'100'000, 'y'), 0); }},
        {"a mark", [](MpiRun* run) { AddMark(run, "here", 0); }},
        {"a mark with a number for a name", [](MpiRun* run) { AddMark(run, "trace_mark", 3); }},
        {"a mark with a value", [](MpiRun* run) { AddMark(run, "here", 42); }},
        {"a mark with a fraction", [](MpiRun* run) { AddMark(run, "here", 0.25); }},
        {"a mark of NaN", [](MpiRun* run) { AddMark(run, "here", std::nan("")); }},
        {"a counter", [](MpiRun* run) { AddCounter(run, 1.5); }},
        {"a counter of NaN", [](MpiRun* run) { AddCounter(run, std::nan("")); }},
        {"a counter of infinity", [](MpiRun* run) { AddCounter(run, -HUGE_VAL); }},
        {"MPI_Bcast", [](MpiRun* run) { AddCollective(run, MpiFunction::MPI_Bcast, 16, 24, 1); }},
        {"MPI_Reduce", [](MpiRun* run) { AddCollective(run, MpiFunction::MPI_Reduce, 16, 24, 2); }},
        {"MPI_Gather", [](MpiRun* run) { AddCollective(run, MpiFunction::MPI_Gather, 16, 48, 0); }},
        {"MPI_Scatterv",
         [](MpiRun* run) { AddCollective(run, MpiFunction::MPI_Scatterv, 16, 48, 0); }},
        {"MPI_Allgather",
         [](MpiRun* run) {
             AddCollective(run, MpiFunction::MPI_Allgather, 16, 48, MpiProcess::kNone);
         }},
        {"MPI_Allreduce of unknown length",
         [](MpiRun* run) {
             AddCollective(run, MpiFunction::MPI_Allreduce, kUnknown, kUnknown, MpiProcess::kNone);
         }},
        {"MPI_Exscan",
         [](MpiRun* run) {
             AddCollective(run, MpiFunction::MPI_Exscan, 16, 16, MpiProcess::kNone);
         }},
        {"MPI_Bcast of some ranks",
         [](MpiRun* run) {
             AddCollective(run, MpiFunction::MPI_Bcast, 8, 8, 0);
             AddCollective(run, MpiFunction::MPI_Bcast, 16, 24, 1, kPair, 66'000);
         }},
        {"MPI_Ibcast",
         [](MpiRun* run) {
             for (int32_t rank = 0; rank < 3; ++rank) {
                 run->StartCollective(rank, 63'000, MpiFunction::MPI_Ibcast, 9, 1);
                 run->Wait(rank, 64'000, 66'000, {MpiProcess::Joined(9)});
             }
         }},
        {"a message of unknown length",
         [](MpiRun* run) { AddMessage(run, MpiProcess::kWorld, kUnknown, 63'000); }},
        {"messages of two communicators",
         [](MpiRun* run) {
             AddMessage(run, MpiProcess::kWorld, 64, 63'000);
             AddMessage(run, kPair, 32, 66'000);
         }},
        {"a message that runs backwards",
         [](MpiRun* run) {
             run->Send(0, 66'000, 67'000, 1, 6);
             run->Receive(1, 61'000, 62'000, 0, 6);
         }},
        {"a send that nobody receives", [](MpiRun* run) { run->Send(0, 66'000, 67'000, 1, 6); }},
        {"a receive that nobody sends to",
         [](MpiRun* run) { run->Receive(1, 66'000, 67'000, 0, 6); }},
        {"MPI_Ssend",
         [](MpiRun* run) {
             run->Send(0, 61'000, 62'000, 1, 6, MpiFunction::MPI_Ssend);
             run->Receive(1, 61'000, 63'000, 0, 6);
         }},
        {"requests",
         [](MpiRun* run) {
             AddStart(run, 0, 61'000, MpiFunction::MPI_Isend, 3, 1);
             AddStart(run, 1, 61'000, MpiFunction::MPI_Irecv, 4, 0);
             run->Wait(0, 64'000, 65'000, {MpiProcess::Sent(3)});
             run->Wait(1, 64'000, 66'000, {MpiProcess::Got(4, 0, 5, 8)});
         }},
        {"a cancelled send",
         [](MpiRun* run) {
             AddStart(run, 0, 61'000, MpiFunction::MPI_Isend, 3, 1);
             run->Plain(0, 62'000, 63'000, MpiFunction::MPI_Cancel);
             run->Wait(0, 64'000, 65'000, {Cancelled(3)});
         }},
        {"calls without messages",
         [](MpiRun* run) {
             for (const MpiFunction function :
                  {MpiFunction::MPI_Request_free, MpiFunction::MPI_Send_init,
                   MpiFunction::MPI_Iprobe, MpiFunction::MPI_Comm_split, MpiFunction::MPI_Win_fence,
                   MpiFunction::MPI_File_open, MpiFunction::MPI_Type_commit,
                   MpiFunction::MPI_Comm_spawn, MpiFunction::MPI_Session_init}) {
                 run->Plain(0, 63'000 + 100 * static_cast<int64_t>(function),
                            63'050 + 100 * static_cast<int64_t>(function), function);
             }
         }},
        {"the program's own transport",
         [](MpiRun* run) {
             const auto side = [&](int32_t rank, int32_t peer, schema::UserDirection direction) {
                 run->Rank(rank).writer().Add(
                     0, schema::UserMessage({run->Rank(rank).Tick(61'000 + 1'000 * rank), 0},
                                            run->Rank(rank).writer().Intern("zeromq"), 64, 1, 0,
                                            peer, 9, direction));
             };
             side(0, 2, schema::UserDirection::send);
             side(2, 0, schema::UserDirection::receive);
         }},
    };
    return features;
}

struct Target {
    const char* name;
    std::function<bool(read::Database*, const std::string&, ExportResult*, std::string*)> write;
};

bool WritePicl(read::Database* database, const std::string& path, PiclForm form,
               ExportResult* result, std::string* error) {
    return ExportPicl(database, path, form, result, error);
}

const Target kTargets[] = {
    {"trace.json", ExportChrome},
#ifdef COMSHU_HAVE_OTF2
    {"archive", ExportOtf2},
#endif
    {"trace.prv", ExportParaver},
    {"compact.picl",
     [](auto* database, const auto& path, auto* result, auto* error) {
         return WritePicl(database, path, PiclForm::kCompact, result, error);
     }},
    {"1992.picl",
     [](auto* database, const auto& path, auto* result, auto* error) {
         return WritePicl(database, path, PiclForm::k1992, result, error);
     }},
};

class RoundTrip : public testing::ImportTest {
protected:
    struct Outcome {
        std::multiset<std::string> lost;
        std::set<std::string> said;
    };

    // Three ranks, of which 1 and 2 have a communicator of their own; a message, a barrier and a region.
    void MakeCapture(MpiRun* run, const Feature* feature) {
        for (int32_t rank = 0; rank < 3; ++rank) {
            auto& process = run->Rank(rank);
            auto& writer = process.writer();
            writer.Define(schema::Thread(process.Tick(0), 0, 0, 100));
            if (rank == 0) writer.Define(schema::Thread(process.Tick(0), 0, 1, 101));
            writer.Define(schema::MpiComm(process.Tick(0), MpiProcess::kWorld, 0,
                                          writer.InternList({0, 1, 2}), 0,
                                          writer.Intern("MPI_COMM_WORLD"), 3, rank));
            if (rank > 0) {
                writer.Define(schema::MpiComm(process.Tick(10), kPair, MpiProcess::kWorld,
                                              writer.InternList({1, 2}), 0, writer.Intern("pair"),
                                              2, rank - 1));
            }
        }
        run->Send(0, 10'000, 11'000, 1, 7);
        run->Receive(1, 12'000, 13'000, 0, 7);
        AddCollective(run, MpiFunction::MPI_Barrier, 0, 0, MpiProcess::kNone, MpiProcess::kWorld,
                      20'000);
        AddRegion(run, "base", 30'000, 40'000);
        if (feature != nullptr) feature->add(run);
        OpenCapture(run->Finish(900'000));
    }

    std::multiset<std::string> Rows() {
        std::multiset<std::string> rows;
        for (const char* aspect : kAspects) {
            std::istringstream lines(Ask(aspect));
            for (std::string line; std::getline(lines, line, '\n');) rows.insert(line);
        }
        return rows;
    }

    Outcome ThereAndBack(const Target& target, const std::multiset<std::string>& rows) {
        Outcome outcome;
        const std::string path = folder_ + "/" + target.name;
        const std::string back = path + ".capture";
        ExportResult exported;
        std::string error;
        EXPECT_TRUE(target.write(database_.get(), path, &exported, &error)) << error;
        outcome.said.insert(exported.remarks.begin(), exported.remarks.end());
        std::unique_ptr<read::Database> original = std::move(database_);
        ImportResult imported;
        EXPECT_TRUE(Import({path}, back, {}, &imported, &error)) << error;
        for (const ImportedFile& file : imported.files) {
            outcome.said.insert(file.remarks.begin(), file.remarks.end());
            for (const Problem& problem : file.problems) outcome.said.insert(problem.text);
        }
        OpenCapture(back);
        const std::multiset<std::string> now = Rows();
        std::set_difference(rows.begin(), rows.end(), now.begin(), now.end(),
                            std::inserter(outcome.lost, outcome.lost.end()));
        SetNamesAside(&outcome);
        database_ = std::move(original);
        std::filesystem::remove_all(path);
        std::filesystem::remove_all(back);
        return outcome;
    }

    // Where calls have other names, which is said, nothing can be seen of the rest of them.
    static void SetNamesAside(Outcome* outcome) {
        const auto is_of_names = [](const std::string& text) {
            return text.find("the names of") != text.npos || text.find("the name of") != text.npos;
        };
        if (std::erase_if(outcome->said, is_of_names) == 0) return;
        std::erase_if(outcome->lost,
                      [](const std::string& row) { return row.starts_with("span mpi"); });
    }
};

// Two of them, drawn by the seed, or all.
std::vector<const Feature*> DrawnFeatures() {
    std::vector<const Feature*> drawn;
    for (const Feature& feature : Features()) drawn.push_back(&feature);
    const char* all = std::getenv("COMSHU_TEST_LONG");
    if (all != nullptr && std::string_view(all) == "1") return drawn;
    const char* given = std::getenv("COMSHU_TEST_SEED");
    std::mt19937 random(static_cast<uint32_t>(given == nullptr ? 1 : std::atoll(given)));
    std::shuffle(drawn.begin(), drawn.end(), random);
    drawn.resize(2);
    return drawn;
}

// What a feature loses beyond what is lost without it must be said beyond what is said without it.
TEST_F(RoundTrip, WhatIsLostIsSaid) {
    std::vector<Outcome> plain;
    {
        MpiRun run;
        MakeCapture(&run, nullptr);
        const std::multiset<std::string> rows = Rows();
        for (const Target& target : kTargets) {
            plain.push_back(ThereAndBack(target, rows));
            EXPECT_TRUE(plain.back().lost.empty() || !plain.back().said.empty()) << target.name;
        }
    }
    for (const Feature* feature : DrawnFeatures()) {
        MpiRun run;
        MakeCapture(&run, feature);
        const std::multiset<std::string> rows = Rows();
        for (size_t i = 0; i < std::size(kTargets); ++i) {
            const Outcome outcome = ThereAndBack(kTargets[i], rows);
            std::vector<std::string> lost;
            std::vector<std::string> said;
            std::set_difference(outcome.lost.begin(), outcome.lost.end(), plain[i].lost.begin(),
                                plain[i].lost.end(), std::back_inserter(lost));
            std::set_difference(outcome.said.begin(), outcome.said.end(), plain[i].said.begin(),
                                plain[i].said.end(), std::back_inserter(said));
            EXPECT_TRUE(lost.empty() || !said.empty())
                << feature->name << " in " << kTargets[i].name << " loses " << lost.size()
                << " rows without a word, as " << lost.front();
        }
    }
}

// MPI_Startall starts three sends, of which two are alike but for their lengths, and as many receives; two calls
// that no format has a number for; marks at one time.
void AddEqualTimes(MpiRun* run) {
    constexpr int32_t kTags[] = {9, 4, 4};
    for (const int32_t rank : {2, 1}) {
        auto& process = run->Rank(rank);
        auto& writer = process.writer();
        const int32_t peer = 3 - rank;
        const auto function = rank == 1 ? MpiFunction::MPI_Send_init : MpiFunction::MPI_Recv_init;
        for (uint64_t request = 1; request <= 3; ++request) {
            writer.Add(0, schema::MpiPointToPoint(process.Head(40'000), 0, MpiProcess::kWorld,
                                                  100 - request * 20, request, kTags[request - 1],
                                                  peer, peer, function));
        }
        writer.Add(
            0, schema::MpiRequestCall(process.Head(50'000), 0, 1, 3, 0, MpiFunction::MPI_Startall));
        for (uint64_t request = 1; request <= 3; ++request)
            writer.Add(0, schema::MpiStart(process.In(50'010), request));
        std::vector<schema::MpiCompletion> all;
        for (uint64_t request = 1; request <= 3; ++request) {
            all.push_back(
                rank == 1 ? MpiProcess::Sent(request)
                          : MpiProcess::Got(request, 1, kTags[request - 1], 100 - request * 20));
        }
        run->Wait(rank, 51'000, 52'000, all);
        for (const MpiFunction other : {MpiFunction::MPI_Pcontrol, MpiFunction::MPI_Get_version})
            run->Plain(rank, 53'000 + rank, 54'000, other);
        for (const double value : {2.0, 1.0}) {
            writer.Add(0, schema::Mark({process.Tick(61'000), 0}, writer.Intern("m"), value));
            writer.Add(0, schema::Counter({process.Tick(61'000), 0}, writer.Intern("c"), value));
        }
    }
}

// Rows of an export folder, in files of its rank groups, lie in another order than those of the capture.
TEST_F(RoundTrip, AnExportFolderIsExportedAsItsCapture) {
    MpiRun run;
    const Feature feature{"equal times", AddEqualTimes};
    MakeCapture(&run, &feature);
    ASSERT_EQ(Ask("select tag, bytes from message where send_span = (select span_id from span "
                  "where name = 'MPI_Startall' and rank = 1) order by all"),
              "4 40\n4 60\n9 80\n");
    const std::string folder = folder_ + "/lake";
    std::string error;
    ASSERT_TRUE(read::ExportPartitioned(database_.get(), folder, 1, &error)) << error;
    std::map<std::string, std::string> files[2];
    for (auto& of_source : files) {
        for (const Target& target : kTargets) {
            if (target.name == std::string("archive")) continue;
            const std::string path = folder_ + "/" + target.name;
            ExportResult result;
            EXPECT_TRUE(target.write(database_.get(), path, &result, &error)) << error;
            of_source[target.name] = Read(path);
            if (path.ends_with(".prv")) of_source["pcf"] = Read(folder_ + "/trace.pcf");
            for (const std::string& remark : result.remarks) of_source[target.name] += remark;
        }
        OpenCapture(folder);
    }
    for (const auto& [name, text] : files[0]) EXPECT_EQ(files[1][name], text) << name;
}

}  // namespace
}  // namespace comshu::format
