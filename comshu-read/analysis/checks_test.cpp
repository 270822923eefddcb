// Each assertion is quiet on a good capture and fires on one that breaks it, read from streams, from Parquet
// and from CSV.
#include "checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "comshu/analysis/links.h"
#include "comshu/analysis/sections.h"
#include "comshu/read/export.h"
#include "comshu/read/query.h"
#include "comshu/read/report.h"
#include "comshu/read/views.h"
#include "mpi_run.h"
#include "rows_of.h"

namespace comshu::analysis {
namespace {

namespace fs = std::filesystem;
using read::Database;
using read::Query;
using read::testing::MpiProcess;
using read::testing::MpiRun;
using schema::MpiFunction;

// A run of two ranks that keeps all rules, but for what a test adds at 8000 ns and later.
class Capture : public MpiRun {
public:
    Capture() {
        for (int32_t rank = 0; rank < 2; ++rank) {
            auto& writer = Rank(rank).writer();
            writer.Define(schema::Thread(Rank(rank).Tick(0), 0, 0, 100));
            writer.Define(schema::MpiComm(Rank(rank).Tick(0), MpiProcess::kWorld, 0,
                                          writer.InternList({0, 1}), 0, 0, 2, rank));
            writer.Define(schema::MpiComm(Rank(rank).Tick(10), 88, MpiProcess::kWorld,
                                          writer.InternList({0, 1}), 0, 0, 2, rank));
            writer.Define(schema::MpiCommClose(Rank(rank).Tick(5000), 88));
            Plain(rank, 0, 1000, MpiFunction::MPI_Init);
        }
        Send(0, 2000, 2010, 1, 5);
        Receive(1, 1500, 2100, 0, 5);
        Collective(MpiFunction::MPI_Barrier, {{2500, 4000}, {3900, 4000}});
        Collective(MpiFunction::MPI_Bcast, {{4500, 4600}, {4500, 4600}}, 0);
    }
    using MpiRun::Collective;
    using MpiRun::Finish;
    using MpiRun::Plain;
    using MpiRun::Rank;
    using MpiRun::Receive;
    using MpiRun::Send;

    // A call within the one that began `calls` calls before it.
    void Inside(int32_t rank, int64_t begin, int64_t end, uint32_t calls) {
        schema::SpanHead head = Rank(rank).Head(begin, 0, false, end - begin);
        Rank(rank).writer().Add(
            0, schema::MpiCall(schema::SpanHead(head.begin(), head.end(), head.span(), calls,
                                                schema::SpanFlags::NONE),
                               0x500, MpiFunction::MPI_Comm_rank));
    }
};

// The names of the checks that fire.
std::set<std::string> Fired(Database* database) {
    std::set<std::string> fired;
    const Section* section = FindSection("checks");
    std::string error;
    EXPECT_TRUE(Prepare(*section, {}, database, &error)) << error;
    Query query;
    EXPECT_TRUE(query.Run(database, section->tables({}).front().sql, &error)) << error;
    size_t rows = 0;
    for (; query.Next(); ++rows) {
        if (query.Unsigned(1) > 0) fired.insert(query.Text(0));
    }
    EXPECT_EQ(rows, Checks().size()) << query.error();
    return fired;
}

std::set<std::string> FiredOn(const std::string& path) {
    std::string error;
    const auto database = Database::OpenPaths({path}, &error);
    EXPECT_NE(database, nullptr) << error;
    return database == nullptr ? std::set<std::string>{} : Fired(database.get());
}

// One check alone: all of them take DuckDB long to plan.
bool FiresOn(const std::string& path, const std::string& name) {
    std::string error;
    const auto database = Database::OpenPaths({path}, &error);
    EXPECT_NE(database, nullptr) << error;
    if (database == nullptr || !database->CheckAll(&error)) return false;
    const auto& checks = Checks();
    const auto check = std::find_if(checks.begin(), checks.end(),
                                    [&](const Check& one) { return name == one.name; });
    Query query;
    return check != checks.end() && query.Run(database.get(), check->sql, &error) && query.Next();
}

struct Broken {
    const char* check;  // That must fire; others may, too.
    std::function<void(Capture*)> make;
};

std::vector<Broken> BrokenCaptures() {
    return {
        {"parents_are_there", [](Capture* run) { run->Inside(0, 8000, 8010, 999); }},
        {"children_lie_inside", [](Capture* run) { run->Inside(0, 9000, 9010, 1); }},
        {"closes_name_opens",
         [](Capture* run) {
             run->Rank(0).writer().Define(schema::MpiWindowClose(run->Rank(0).Tick(8000), 4));
         }},
        {"messages_run_forward",
         [](Capture* run) {
             run->Receive(1, 8000, 8010, 0, 6);
             run->Send(0, 8500, 8510, 1, 6);
         }},
        {"nothing_grows_on_the_way",
         [](Capture* run) {
             run->Send(0, 8000, 8010, 1, 6);
             run->Rank(1).Receive(8020, 0, 0, 6, 9);
         }},
        {"what_is_sent_is_received", [](Capture* run) { run->Send(0, 8000, 8010, 1, 6); }},
        {"collectives_have_one_root",
         [](Capture* run) {
             for (int32_t rank = 0; rank < 2; ++rank) {
                 run->Rank(rank).writer().Add(
                     0, schema::MpiCollective(run->Rank(rank).Head(8000), 0, MpiProcess::kWorld, 8,
                                              8, 0, rank, MpiFunction::MPI_Bcast,
                                              schema::MpiOperation::none));
             }
         }},
        {"nobody_leaves_early",
         [](Capture* run) {
             run->Collective(MpiFunction::MPI_Barrier, {{8000, 8010}, {8500, 8510}});
         }},
        {"span_ids_are_unique",
         [](Capture* run) {
             const schema::SpanHead head = run->Rank(0).Head(8000);
             for (int i = 0; i < 2; ++i) {
                 run->Rank(0).writer().Add(0, schema::MpiCall(head, 0, MpiFunction::MPI_Comm_rank));
             }
         }},
        {"spans_end_after_they_begin",
         [](Capture* run) { run->Plain(0, 8000, 7000, MpiFunction::MPI_Comm_rank); }},
        // The last of the collectives, so that those above meet their partners.
        {"collectives_are_complete",
         [](Capture* run) {
             run->Collective(MpiFunction::MPI_Barrier, {{8000, 8010}});
         }},
    };
}

TEST(Checks, AreQuietOnAGoodCapture) {
    Capture run;
    EXPECT_EQ(FiredOn(run.Finish(10'000)), std::set<std::string>{});
}

// Of a run of two ranks only one was recorded, as the user wished.
TEST(Checks, DoNotMissRanksThatWereNotRecorded) {
    read::testing::TemporaryFolder folder;
    {
        MpiProcess one(folder, 1);
        auto& writer = one.writer();
        writer.Define(schema::Thread(one.Tick(0), 0, 0, 100));
        writer.Define(schema::MpiComm(one.Tick(0), MpiProcess::kWorld, 0, writer.InternList({0, 1}),
                                      0, 0, 2, 1));
        writer.Add(0, schema::MpiCollective(one.Head(2000), 0x400, MpiProcess::kWorld, 8, 8, 0,
                                            MpiProcess::kNone, MpiFunction::MPI_Barrier,
                                            schema::MpiOperation::none));
        one.Receive(3000, 0, 0, 5, 8);
        one.End(10'000);
        std::ofstream(folder.File("capture.json")) << R"({"environment": {"COMSHU_RANKS": "1"}})";
    }
    std::string error;
    const auto database = Database::OpenPaths({folder.path()}, &error);
    ASSERT_NE(database, nullptr) << error;
    EXPECT_EQ(Fired(database.get()), std::set<std::string>{});
    std::map<std::string, uint64_t> rows;
    for (const LinkList& list : LinkLists()) {
        ASSERT_TRUE(list.pass == nullptr || list.pass(database.get(), &error)) << error;
        Query query;
        ASSERT_TRUE(query.Run(database.get(), list.sql, &error)) << error;
        for (rows[list.name] = 0; query.Next();) ++rows[list.name];
    }
    EXPECT_EQ(rows["incomplete"], 0u);
    EXPECT_EQ(rows["partial"], 1u);
    read::Report report;
    ASSERT_TRUE(read::MakeReport(database.get(), {folder.path()}, &report, &error)) << error;
    EXPECT_EQ(std::count_if(report.warnings.begin(), report.warnings.end(),
                            [](const read::Report::Warning& warning) {
                                return warning.text ==
                                       "1 collective has members that were not recorded";
                            }),
              1);
}

// A capture that keeps all rules, or breaks, all at once, those that one can break.
std::string GoodOrBroken(Capture* run, bool good) {
    if (!good) {
        for (const Broken& broken : BrokenCaptures()) broken.make(run);
    }
    return run->Finish(10'000);
}

TEST(Checks, ReadParquetToo) {
    for (const bool good : {true, false}) {
        Capture run;
        const std::string folder = GoodOrBroken(&run, good);
        std::string error;
        const auto database = Database::OpenPaths({folder}, &error);
        const std::string out = folder + ".parquet";
        ASSERT_TRUE(read::Export(database.get(), read::ExportFormat::kParquet, out, "", &error))
            << error;
        const std::set<std::string> fired = FiredOn(out);
        EXPECT_EQ(fired.empty(), good);
        for (const Broken& broken : BrokenCaptures())
            EXPECT_EQ(fired.contains(broken.check), !good) << broken.check;
        fs::remove_all(out);
    }
}

// Files of CSV as views, as a user of DuckDB reads them.
std::map<std::string, int64_t> BrokenRowsOfCsv(const std::string& folder) {
    duckdb_database database = nullptr;
    duckdb_connection connection = nullptr;
    EXPECT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
    EXPECT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
    const auto execute = [&](const std::string& sql, int64_t* value) {
        duckdb_result result;
        const bool done = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
        EXPECT_TRUE(done) << sql << duckdb_result_error(&result);
        if (done && value != nullptr) *value = duckdb_value_int64(&result, 0, 0);
        duckdb_destroy_result(&result);
    };
    std::ifstream statements(folder + "/register-duckdb.sql");
    execute(std::string(std::istreambuf_iterator<char>(statements), {}), nullptr);
    int64_t guessed = 1;
    execute(
        "SELECT count(*) FROM duckdb_columns() WHERE column_name = 'comm' AND data_type <> "
        "'UBIGINT'",
        &guessed);
    EXPECT_EQ(guessed, 0);
    execute(read::CollectiveShapeSql(), nullptr);
    std::map<std::string, int64_t> broken;
    for (const Check& check : Checks()) {
        execute(std::string("SELECT count(*) FROM (") + check.sql + ")", &broken[check.name]);
    }
    duckdb_disconnect(&connection);
    duckdb_close(&database);
    return broken;
}

TEST(Checks, ReadCsvToo) {
    for (const bool good : {true, false}) {
        Capture run;
        const std::string folder = GoodOrBroken(&run, good);
        std::string error;
        const auto database = Database::OpenPaths({folder}, &error);
        const std::string out = folder + ".csv";
        ASSERT_TRUE(read::Export(database.get(), read::ExportFormat::kCsv, out, "", &error))
            << error;
        std::map<std::string, int64_t> rows = BrokenRowsOfCsv(out);
        for (const auto& [name, count] : rows) EXPECT_TRUE(count == 0 || !good) << name;
        for (const Broken& broken : BrokenCaptures())
            EXPECT_EQ(rows[broken.check] > 0, !good) << broken.check;
        fs::remove_all(out);
    }
}

TEST(Checks, FireOnABrokenCapture) {
    for (const Broken& broken : BrokenCaptures()) {
        Capture run;
        broken.make(&run);
        EXPECT_TRUE(FiresOn(run.Finish(10'000), broken.check)) << broken.check;
    }
}

TEST(Checks, FireOnADamagedFile) {
    Capture run;
    const std::string folder = run.Finish(10'000);
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
        if (file.path().extension() == ".cst") fs::resize_file(file.path(), file.file_size() - 100);
    }
    EXPECT_TRUE(FiresOn(folder, "files_are_whole"));
}

TEST(Checks, FireOnADescriptionThatIsCut) {
    Capture run;
    const std::string folder = run.Finish(10'000);
    std::ofstream(folder + "/capture.json") << R"({"command": ["program"]})";
    EXPECT_FALSE(FiresOn(folder, "files_are_whole"));
    std::ofstream(folder + "/capture.json") << R"({"command": ["prog)";
    EXPECT_TRUE(FiresOn(folder, "files_are_whole"));
    std::string error;
    const auto database = Database::OpenPaths({folder}, &error);
    ASSERT_NE(database, nullptr) << error;
    EXPECT_EQ(
        read::testing::RowsOf(database.get(), "select kind, text from problem"),
        "damage " + std::filesystem::absolute(folder).string() +
            "/capture.json: cannot be read: how the run was started and ended is not known\n");
}

// Those whose breaking no stream can hold: two rows of a rank, an unknown thread, a wait that is longer than its call. Their
// queries run over tables made by hand.
TEST(Checks, FireOnTablesMadeByHand) {
    std::string error;
    Capture run;
    const auto database = Database::OpenPaths({run.Finish(10'000)}, &error);
    ASSERT_NE(database, nullptr) << error;
    ASSERT_TRUE(database->Execute("INSERT INTO rank SELECT * FROM rank LIMIT 1", &error)) << error;
    ASSERT_TRUE(database->Execute("DELETE FROM thread WHERE rank = 0", &error)) << error;
    ASSERT_TRUE(
        database->Execute("CREATE TEMP TABLE wait AS SELECT * REPLACE (wait_ns + 1000000 AS "
                          "wait_ns) FROM wait_state",
                          &error))
        << error;
    ASSERT_TRUE(database->Execute("CREATE OR REPLACE TEMP VIEW wait_state AS FROM wait", &error))
        << error;
    const std::set<std::string> fired = Fired(database.get());
    EXPECT_TRUE(fired.count("ranks_are_counted_once"));
    EXPECT_TRUE(fired.count("threads_are_known"));
    EXPECT_TRUE(fired.count("waiting_is_part_of_its_call"));
}

TEST(Checks, EveryOneHasABrokenCapture) {
    std::set<std::string> covered = {"files_are_whole", "ranks_are_counted_once",
                                     "threads_are_known", "waiting_is_part_of_its_call"};
    for (const Broken& broken : BrokenCaptures()) covered.insert(broken.check);
    std::set<std::string> all;
    for (const Check& check : Checks()) all.insert(check.name);
    EXPECT_EQ(covered, all);
}

}  // namespace
}  // namespace comshu::analysis
