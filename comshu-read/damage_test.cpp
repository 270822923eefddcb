// Damaged streams and .live files: what is sound is read, what is not is told, nothing crashes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "comshu/read/capture.h"
#include "comshu/read/dump.h"
#include "comshu/read/query.h"
#include "comshu/read/report.h"
#include "comshu/read/zstd_frame.h"
#include "live_writer.h"
#include "mpi_run.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::AppendRecord;
using testing::LiveWriter;
using testing::ProcessOptions;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr uint64_t kBlocks = 6;
constexpr uint32_t kBlockRecords = 5;

schema::MpiCall Call(uint64_t begin, uint64_t number) {
    return schema::MpiCall(
        schema::SpanHead(begin, begin + 10, core::SpanId(0, number), 0, schema::SpanFlags::NONE), 0,
        schema::MpiFunction::MPI_Barrier);
}

std::vector<uint8_t> FileBytesOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A stream of six blocks, raw and of columns by turns, with definitions among them.
std::vector<uint8_t> SmallStream() {
    TemporaryFolder folder;
    const std::string path = folder.File("run/node0.1000.0.cst");
    {
        ProcessOptions options;
        options.block_records = kBlockRecords;
        StreamWriter writer(path, options);
        for (uint64_t i = 1; i <= kBlocks * kBlockRecords; ++i)
            writer.Add(0, Call(2'000'000 + i, i));
        writer.Flush();
    }
    return FileBytesOf(path);
}

// Where frames begin, and the end of the last.
std::vector<size_t> FrameStarts(const std::vector<uint8_t>& stream) {
    std::vector<size_t> starts;
    size_t at = 0;
    while (at + sizeof(core::FrameHeader) <= stream.size()) {
        core::FrameHeader header;
        std::memcpy(&header, stream.data() + at, sizeof header);
        starts.push_back(at);
        at += sizeof header + core::PaddedBytes(header.payload_bytes);
    }
    starts.push_back(at);
    return starts;
}

struct Found {
    uint64_t calls = 0;
    bool told = false;  // Damage is known: by a problem, the tail, or a block that is not intact.
};

// Decodes everything there is.
Found ReadAll(const std::vector<uint8_t>& bytes) {
    const StreamReader reader(bytes.data(), bytes.size());
    Found found;
    found.told = !reader.problems().empty() || reader.tail_bytes() > 0;
    core::BlockDecoder decoder(reader.schema(), UnpackFrame);
    std::vector<uint64_t> values;
    std::string error;
    for (const Frame& frame : reader.frames()) {
        if (!core::IsPayloadIntact(frame.header, frame.payload) ||
            !decoder.Open(frame.header, frame.payload, &error)) {
            found.told = true;
            continue;
        }
        for (size_t t = 0; t < decoder.types().size(); ++t) {
            const auto& type = decoder.types()[t];
            if (type.layout == nullptr) continue;
            for (size_t c = 0; c < type.layout->columns.size(); ++c)
                EXPECT_TRUE(decoder.Values(t, c, &values));
            if (type.layout->name == "MpiCall") found.calls += type.count;
        }
    }
    return found;
}

TEST(Damage, CutAtEveryByte) {
    const std::vector<uint8_t> stream = SmallStream();
    const std::vector<size_t> starts = FrameStarts(stream);
    ASSERT_EQ(starts.back(), stream.size());
    // Within the description of records a step of 97 bytes; from there on every byte.
    for (size_t cut = 0; cut < stream.size(); cut += cut < starts[1] - 8 ? 97 : 1) {
        const Found found = ReadAll({stream.begin(), stream.begin() + static_cast<ptrdiff_t>(cut)});
        // Frames: schema, definitions, blocks.
        uint64_t whole = 0;
        bool at_end = false;  // Of a frame: at most its padding is missing.
        for (size_t i = 2; i + 1 < starts.size(); ++i) {
            core::FrameHeader header;
            std::memcpy(&header, stream.data() + starts[i], sizeof header);
            // What is missing may be the padding alone.
            const size_t end = starts[i] + sizeof header + header.payload_bytes;
            if (end <= cut) whole += kBlockRecords;
            at_end |= end <= cut && cut <= starts[i + 1];
        }
        EXPECT_EQ(found.calls, whole) << "cut at " << cut;
        if (!at_end && cut > starts[2]) {
            EXPECT_TRUE(found.told) << "cut at " << cut;
        }
    }
}

TEST(Damage, BitsFlippedAtEveryPosition) {
    const std::vector<uint8_t> stream = SmallStream();
    const std::vector<size_t> starts = FrameStarts(stream);
    std::vector<uint8_t> damaged = stream;
    for (size_t at = 0; at < stream.size(); at += at < starts[1] - 8 ? 211 : 1) {
        const auto flip = static_cast<uint8_t>(1u << (at % 8));
        damaged[at] ^= flip;
        const Found found = ReadAll(damaged);
        damaged[at] ^= flip;
        // One frame at most is lost, and it is told; padding says nothing.
        if (found.calls == kBlocks * kBlockRecords) continue;
        EXPECT_EQ(found.calls, (kBlocks - 1) * kBlockRecords) << "bit flipped at " << at;
        EXPECT_TRUE(found.told) << "bit flipped at " << at;
    }
    EXPECT_EQ(ReadAll(damaged).calls, kBlocks * kBlockRecords);
}

TEST(Damage, AnotherVersionIsNamed) {
    std::vector<uint8_t> stream = SmallStream();
    for (const size_t start : FrameStarts(stream)) {
        if (start < stream.size()) stream[start + 4] = 9;
    }
    const StreamReader reader(stream.data(), stream.size());
    EXPECT_TRUE(reader.frames().empty());
    ASSERT_FALSE(reader.problems().empty());
    EXPECT_NE(reader.problems().back().text.find("format 9"), std::string::npos);
}

TEST(Damage, EmptyAndForeignFilesAreTold) {
    TemporaryFolder folder;
    std::ofstream(folder.File("run/a.1.0.cst"));
    std::ofstream(folder.File("run/b.2.0.cst"))
        << "This is no stream, but long enough to look at. " << std::string(500, 'x');
    std::ofstream(folder.File("run/c.3.0.live")) << std::string(9000, 'y');
    std::string error;
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    EXPECT_TRUE(capture->blocks().empty());
    EXPECT_GE(capture->problems().size(), 3u);
}

TEST(Damage, LiveFilesFlippedAtEveryPosition) {
    LiveWriter writer("unused");
    writer.Define(schema::Note(7, 8, 9));
    writer.AddChunk(0, 1, [](auto* out) {
        for (uint64_t i = 1; i <= 9; ++i) AppendRecord(Call(1000 + i, i), out);
    });
    writer.PushSpan(0, Call(3000, 10));
    std::vector<std::byte> bytes = writer.Bytes();
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    std::string error;
    auto sound = LiveReader::Copy(data, bytes.size(), &error);
    ASSERT_NE(sound, nullptr) << error;
    ASSERT_EQ(sound->chunks().size(), 1u);
    ASSERT_EQ(sound->threads().size(), 1u);
    EXPECT_EQ(sound->threads()[0].open_spans.size(), 1u);
    EXPECT_FALSE(sound->definitions().empty());
    // Every byte that is not zero, and some that are: most of the file is.
    for (size_t at = 0; at < bytes.size(); ++at) {
        if (bytes[at] == std::byte{0} && at % 61 != 0 && at > 256) continue;
        for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
            bytes[at] ^= static_cast<std::byte>(flip);
            LiveReader::Copy(data, bytes.size(), &error);
            bytes[at] ^= static_cast<std::byte>(flip);
        }
    }
    for (size_t cut = 0; cut < bytes.size(); cut += 509) LiveReader::Copy(data, cut, &error);
}

// A record as another version of the schema lays it out.
std::vector<std::byte> OtherRecord(const core::Schema& schema, std::string_view name,
                                   const std::map<std::string, uint64_t>& fields) {
    const core::RecordLayout* layout = nullptr;
    for (const auto& record : schema.records()) {
        if (record->name == name) layout = record.get();
    }
    std::vector<std::byte> out(core::RecordBytes(layout->struct_bytes));
    const core::RecordPrefix prefix{static_cast<uint32_t>(out.size()), layout->type, 0};
    std::memcpy(out.data(), &prefix, sizeof prefix);
    for (const auto& [field, value] : fields) {
        const core::Column& column =
            layout->columns[static_cast<size_t>(layout->FindColumn(field))];
        std::memcpy(out.data() + sizeof prefix + column.offset, &value, column.width);
    }
    return out;
}

std::string Dumped(const Capture& capture) {
    char* text = nullptr;
    size_t bytes = 0;
    std::FILE* out = open_memstream(&text, &bytes);
    std::string error;
    EXPECT_TRUE(Dump(capture, {}, out, &error)) << error;
    std::fclose(out);
    std::string dumped(text, bytes);
    std::free(text);
    return dumped;
}

// testing/other_version.fbs: mpi_call has a field more and one less, there is a record type that this
// build does not have; and the stream holds one that its own schema does not describe.
TEST(Damage, StreamsOfAnotherSchemaAreRead) {
    const std::vector<uint8_t> bfbs = FileBytesOf(COMSHU_OTHER_VERSION_BFBS);
    std::string error;
    const auto other = core::Schema::Load(bfbs.data(), bfbs.size(), &error);
    ASSERT_NE(other, nullptr) << error;
    std::vector<uint8_t> packed;
    ASSERT_TRUE(PackFrame(bfbs.data(), bfbs.size(), 3, &packed));
    TemporaryFolder folder;
    ProcessOptions options;
    options.schema = packed.data();
    options.schema_bytes = packed.size();
    {
        StreamWriter writer(folder.File("run/node0.1000.0.cst"), options);
        std::vector<std::byte> records =
            OtherRecord(*other, "MpiCall",
                        {{"begin", 1'000'200}, {"end", 1'000'400}, {"span", 1}, {"weight", 42}});
        const auto future = OtherRecord(*other, "Future", {{"tick", 1'000'300}, {"level", 3}});
        records.insert(records.end(), future.begin(), future.end());
        const size_t unknown = records.size();
        records.insert(records.end(), future.begin(), future.end());
        const core::RecordPrefix prefix{static_cast<uint32_t>(future.size()), 999, 0};
        std::memcpy(records.data() + unknown, &prefix, sizeof prefix);
        writer.AddRaw(0, records, 3);
    }
    const auto capture = Capture::Open({folder.path()}, &error);
    ASSERT_NE(capture, nullptr) << error;
    const std::string dumped = Dumped(*capture);
    EXPECT_NE(
        dumped.find("mpi_call rank=0 process_id=0 thread=0 begin_ns=100 end_ns=200 span_id=1 "),
        std::string::npos)
        << dumped;
    EXPECT_NE(dumped.find("weight=42"), std::string::npos) << dumped;
    EXPECT_EQ(dumped.find("caller="), std::string::npos) << dumped;
    EXPECT_NE(dumped.find("future rank=0 process_id=0 thread=0 time_ns=150 level=3"),
              std::string::npos)
        << dumped;
    const RecordTable* calls = capture->FindTable("mpi_call");
    ASSERT_NE(calls, nullptr);
    EXPECT_GE(calls->FindColumn("weight"), 0);
    EXPECT_GE(calls->FindColumn("caller"), 0);  // Null in this stream.
    ASSERT_EQ(capture->problems().size(), 1u);
    EXPECT_NE(capture->problems()[0].text.find("1 record of type 999"), std::string::npos)
        << capture->problems()[0].text;
}

// Rank 0 sends 40 messages to rank 1; what follows damages the stream of rank 1.
class DamagedRank {
public:
    DamagedRank() {
        for (int64_t i = 1; i <= kMessages; ++i) {
            run_.Send(0, 1000 * i, 1000 * i + 10, 1, 5);
            run_.Receive(1, 1000 * i, 1000 * i + 500, 0, 5);
            // As in a stream that was rewritten: what is known of its end lies before the records.
            if (i == 4) run_.Rank(1).End(50'000);
        }
        folder_ = run_.Finish(50'000);
        stream_ = folder_ + "/run/node0.1001.0.cst";
    }
    const std::string& stream() const { return stream_; }

    void Open() {
        std::string error;
        database_ = Database::OpenPaths({folder_}, &error);
        ASSERT_NE(database_, nullptr) << error;
        ASSERT_TRUE(MakeReport(database_.get(), {folder_}, &report_, &error)) << error;
    }
    std::string Ask(const std::string& sql) {
        Query query;
        std::string error;
        return query.Run(database_.get(), sql, &error) && query.Next() ? query.Text(0) : error;
    }
    // What the report says is recorded, and its warnings.
    std::string Text() const { return ReportText(report_, ReportStyle{400, false, false}); }
    const Report& report() const { return report_; }

    static constexpr int64_t kMessages = 40;

private:
    testing::MpiRun run_;
    std::string folder_;
    std::string stream_;
    std::unique_ptr<Database> database_;
    Report report_;
};

TEST(Damage, AStreamCutInTheMiddleEndsEarly) {
    DamagedRank run;
    const std::vector<size_t> starts = FrameStarts(FileBytesOf(run.stream()));
    ASSERT_GT(starts.size(), 8u);
    // In the middle of a frame, behind the descriptions and three blocks of four records.
    std::filesystem::resize_file(run.stream(), starts[5] + 20);
    run.Open();
    EXPECT_EQ(run.Ask("SELECT state FROM rank WHERE rank = 1"), "cut");
    EXPECT_EQ(run.report().facts.ranks, 2u);
    EXPECT_EQ(run.report().facts.cut_ranks, 1u);
    // What is missing is no time outside MPI.
    EXPECT_EQ(run.Ask("SELECT max(end_ns) FROM thread WHERE rank = 1"),
              run.Ask("SELECT max(end_ns) FROM span WHERE rank = 1"));
    const std::string received = run.Ask("SELECT count(*) FROM message");
    EXPECT_EQ(
        run.Ask("SELECT count(*) FROM unmatched WHERE why = 'partner lost' AND side = 'send'"),
        std::to_string(DamagedRank::kMessages - std::stoll(received)));
    EXPECT_EQ(run.Ask("SELECT count(*) FROM unmatched WHERE why <> 'partner lost'"), "0");
    const std::string text = run.Text();
    EXPECT_EQ(text.find("nothing lost"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1 cut off after "), std::string::npos) << text;
    EXPECT_NE(text.find("the stream of rank 1 ends early, cut off after "), std::string::npos)
        << text;
    EXPECT_EQ(text.find("killed"), std::string::npos) << text;
}

// What a channel had next is not known behind a hole: no pair rather than a wrong one.
TEST(Damage, NoMessageIsMatchedBehindAHole) {
    for (const size_t at :
         {sizeof(core::FrameHeader) + 10, size_t{20}}) {  // Of the records, or of their frame.
        DamagedRank run;
        std::vector<uint8_t> bytes = FileBytesOf(run.stream());
        const std::vector<size_t> starts = FrameStarts(bytes);
        ASSERT_GT(starts.size(), 8u);
        for (size_t i = 0; i < 8; ++i) bytes[starts[5] + at + i] ^= 0xff;
        std::ofstream(run.stream(), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        run.Open();
        const std::string pairs = run.Ask("SELECT count(*) FROM message");
        EXPECT_GE(std::stoll(pairs), 8) << at;
        EXPECT_LT(std::stoll(pairs), DamagedRank::kMessages) << at;
        EXPECT_EQ(run.Ask("SELECT count(*) FROM message WHERE recv_end_ns - send_begin_ns <> 500"),
                  "0");
        EXPECT_EQ(run.Ask("SELECT count(*) FROM unmatched WHERE why = 'partner lost'"),
                  std::to_string(DamagedRank::kMessages - std::stoll(pairs)));
        EXPECT_EQ(run.Text().find("nothing lost"), std::string::npos);
    }
}

TEST(Damage, AStreamOfWhichNothingIsKnownIsNoRank) {
    for (const uintmax_t left : {0u, 1u, 100u}) {
        DamagedRank run;
        std::filesystem::resize_file(run.stream(), left);
        run.Open();
        EXPECT_EQ(run.report().facts.ranks, 1u) << left;
        const std::string text = run.Text();
        EXPECT_EQ(text.find("nothing lost"), std::string::npos) << text;
        EXPECT_NE(text.find("rank 1 of 2 not in the capture"), std::string::npos) << text;
        EXPECT_EQ(text.find("rank 2"), std::string::npos) << text;
    }
}

TEST(Damage, AStreamWithoutItsDescriptionIsOfTheRankThatIsMissing) {
    DamagedRank run;
    std::vector<uint8_t> bytes = FileBytesOf(run.stream());
    const size_t definitions = FrameStarts(bytes)[1] + sizeof(core::FrameHeader);
    for (size_t i = 0; i < 10; ++i) bytes[definitions + i] ^= 0xff;
    std::ofstream(run.stream(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    run.Open();
    EXPECT_EQ(run.Ask("SELECT string_agg(rank, ',' ORDER BY rank) FROM rank"), "0,1");
    const std::string text = run.Text();
    EXPECT_EQ(text.find("nothing lost"), std::string::npos) << text;
    EXPECT_EQ(text.find("not in the capture: "), std::string::npos) << text;
}

}  // namespace
}  // namespace comshu::read
