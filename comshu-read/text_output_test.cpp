// Results and types as text, and exports there and back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "comshu/read/dump.h"
#include "comshu/read/export.h"
#include "comshu/read/text_output.h"
#include "live_writer.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::LiveWriter;
using testing::StreamWriter;
using testing::TemporaryFolder;

schema::MpiPointToPoint Send(uint64_t begin, uint64_t number, bool open = false) {
    return schema::MpiPointToPoint(
        schema::SpanHead(begin, open ? 0 : begin + 200, core::SpanId(0, number), 0,
                         schema::SpanFlags::NONE),
        0x400123, 77, 64, 0, 5, 1, 1, schema::MpiFunction::MPI_Send);
}

void WriteSmallCapture(const TemporaryFolder& folder) {
    const std::string stem = folder.File("run/node0.1000.0");
    StreamWriter writer(stem + ".cst", {});
    writer.Define(schema::Note(writer.Ticks(0), writer.Intern("quote"),
                               writer.Intern("a \"comma\", and more")));
    writer.Add(0, Send(writer.Ticks(1000), 1));
    writer.Flush();
    LiveWriter live(stem + ".live");
    live.PushSpan(0, Send(writer.Ticks(3000), 2, true));
    live.Write();
}

class TextOutputTest : public ::testing::Test {
protected:
    void SetUp() override {
        WriteSmallCapture(folder_);
        std::string error;
        database_ = Database::OpenPaths({folder_.path()}, &error);
        ASSERT_NE(database_, nullptr) << error;
    }

    std::string Printed(Database* database, const std::string& sql, ResultFormat format) {
        Query query;
        std::string error;
        if (!query.Run(database, sql, &error)) return error;
        char* text = nullptr;
        size_t bytes = 0;
        std::FILE* out = open_memstream(&text, &bytes);
        EXPECT_TRUE(PrintResult(&query, format, out, &error)) << error;
        std::fclose(out);
        std::string printed(text, bytes);
        std::free(text);
        return printed;
    }

    TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

TEST_F(TextOutputTest, NumbersToTheRightTextToTheLeft) {
    EXPECT_EQ(
        Printed(database_.get(), "SELECT 'é' AS word, 12345 AS n UNION ALL SELECT 'longer', 7",
                ResultFormat::kTable),
        "word        n\né       12345\nlonger      7\n");
}

TEST_F(TextOutputTest, RoundedRealsHaveAsManyDecimalsInEveryRow) {
    const char* const sql =
        "SELECT * FROM (VALUES (1.25::DOUBLE, 12.3456789::DOUBLE, 7), (100, 0.0000345, 8), "
        "(NULL, 3, 9)) AS row (percent, ms, n)";
    EXPECT_EQ(Printed(database_.get(), sql, ResultFormat::kRounded),
              "percent      ms  n\n"
              "   1.25  12.346  7\n"
              " 100.00   0.000  8\n"
              "      -   3.000  9\n");
    EXPECT_NE(Printed(database_.get(), sql, ResultFormat::kTable).find("12.3456789"),
              std::string::npos);
}

TEST_F(TextOutputTest, CsvQuotesAndJsonEscapes) {
    const char* const sql =
        "SELECT kind, text, NULL AS nothing, true AS yes, 0.5 AS half FROM note";
    EXPECT_EQ(Printed(database_.get(), sql, ResultFormat::kCsv),
              "kind,text,nothing,yes,half\nquote,\"a \"\"comma\"\", and more\",,true,0.5\n");
    EXPECT_EQ(
        Printed(database_.get(), sql, ResultFormat::kJson),
        "[\n{\"kind\": \"quote\", \"text\": \"a \\\"comma\\\", and more\", \"nothing\": null, "
        "\"yes\": true, \"half\": 0.5}\n]\n");
}

TEST_F(TextOutputTest, OpenSpansStandInTheirTable) {
    EXPECT_EQ(Printed(database_.get(),
                      "SELECT rank, thread, depth, name, peer, tag, bytes, begin_ns, state FROM "
                      "open_span",
                      ResultFormat::kCsv),
              "rank,thread,depth,name,peer,tag,bytes,begin_ns,state\n"
              "0,0,0,MPI_Send,1,5,64,3000,killed\n");
    EXPECT_EQ(Printed(database_.get(), "SELECT begin_ns, end_ns FROM mpi_point_to_point ORDER BY 1",
                      ResultFormat::kCsv),
              "begin_ns,end_ns\n1000,1100\n3000,\n");
}

TEST_F(TextOutputTest, AnExportReadsAsTheCapture) {
    const std::string out = folder_.path() + "/exported";
    std::string error;
    ASSERT_TRUE(Export(database_.get(), ExportFormat::kParquet, out, "", &error)) << error;
    const auto exported = Database::OpenPaths({out}, &error);
    ASSERT_NE(exported, nullptr) << error;
    EXPECT_EQ(exported->capture(), nullptr);
    for (const char* sql :
         {"SELECT * FROM mpi_point_to_point ORDER BY span_id", "SELECT * FROM rank",
          "SELECT * FROM open_span", "SELECT * FROM enum_value ORDER BY ALL",
          "SELECT * FROM mpi_comm", "SELECT * FROM span ORDER BY span_id"}) {
        EXPECT_EQ(Printed(exported.get(), sql, ResultFormat::kCsv),
                  Printed(database_.get(), sql, ResultFormat::kCsv))
            << sql;
    }
    // Never over something that is there.
    EXPECT_FALSE(Export(database_.get(), ExportFormat::kParquet, out, "", &error));
    EXPECT_NE(error.find("exists"), std::string::npos);
    EXPECT_EQ(Database::OpenPaths({out, folder_.path()}, &error), nullptr);
    EXPECT_NE(error.find("export"), std::string::npos);
}

TEST_F(TextOutputTest, AnExportThatCannotBeReadSaysWhatItIs) {
    const std::string out = folder_.path() + "/exported";
    std::string error;
    ASSERT_TRUE(Export(database_.get(), ExportFormat::kCsv, out, "", &error)) << error;
    EXPECT_EQ(Database::OpenPaths({out}, &error), nullptr);
    EXPECT_NE(error.find("is an export as CSV"), std::string::npos) << error;
}

TEST_F(TextOutputTest, OneTableIsOneFile) {
    const std::string out = folder_.path() + "/note.csv";
    std::string error;
    ASSERT_TRUE(Export(database_.get(), ExportFormat::kCsv, out, "note", &error)) << error;
    std::ifstream file(out);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text,
              "rank,process_id,time_ns,kind,text\n0,0,0,quote,\"a \"\"comma\"\", and more\"\n");
    EXPECT_FALSE(Export(database_.get(), ExportFormat::kCsv, out, "nothing", &error));
    EXPECT_NE(error.find("no table is named nothing"), std::string::npos);
}

TEST_F(TextOutputTest, TypesAndDumpNameWhatTheyDoNotKnow) {
    std::string error;
    EXPECT_FALSE(PrintTypes(nullptr, "nothing", false, stdout, &error));
    EXPECT_NE(error.find("nothing"), std::string::npos);
    DumpOptions options;
    options.type = "nothing";
    EXPECT_FALSE(Dump(*database_->capture(), options, stdout, &error));
    EXPECT_NE(error.find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace comshu::read
