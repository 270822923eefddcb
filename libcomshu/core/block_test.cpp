// Encoder and decoder of blocks against each other, raw and as columns.
#include <gtest/gtest.h>

#include "comshu/core/block_decoder.h"
#include "comshu/core/block_encoder.h"
#include "comshu/core/record.h"
#include "comshu/schema/record_traits.h"

namespace comshu::core {
namespace {

using schema::RecordTraits;

class Records {
public:
    template <typename Record>
    void Add(const Record& record) {
        const RecordPrefix prefix{static_cast<uint32_t>(RecordBytes(sizeof record)),
                                  RecordTraits<Record>::kType, 0};
        const size_t at = bytes.size();
        bytes.resize(at + prefix.bytes);
        std::memcpy(bytes.data() + at, &prefix, sizeof prefix);
        std::memcpy(bytes.data() + at + sizeof prefix, static_cast<const void*>(&record),
                    sizeof record);
        ++count;
    }
    std::vector<std::byte> bytes;
    uint32_t count = 0;
};

schema::SpanHead Span(uint64_t begin, uint64_t end, uint64_t number, uint32_t parent_distance = 0) {
    return schema::SpanHead(begin, end, SpanId(3, number), parent_distance,
                            schema::SpanFlags::NONE);
}

Records Sample() {
    Records r;
    for (uint64_t i = 0; i < 50; ++i) {
        r.Add(schema::MpiPointToPoint(Span(1000 + 100 * i, 1010 + 100 * i + i % 7, 2 * i + 2),
                                      0x5555, 77, 800, i, 5, 1, 1, schema::MpiFunction::MPI_Isend));
        r.Add(schema::MpiRequestCall(Span(1020 + 100 * i, 1090 + 100 * i, 2 * i + 3), 0x5566, i, 1,
                                     1, schema::MpiFunction::MPI_Wait));
        r.Add(schema::MpiCompletion(
            schema::EventHead(1090 + 100 * i, i == 9 ? 0 : SpanId(3, 2 * i + 3)), i,
            i % 5 == 0 ? ~0ull : 8 * i, -1, INT32_MIN, static_cast<int>(i),
            schema::MpiRequestKind::send, schema::MpiCompletionFlags::cancelled));
    }
    r.Add(schema::Gap(500, 600, 3, schema::LossReason::ring_full));
    // A parent closes after its children and began before them.
    r.Add(schema::MpiCall(Span(10, 9000, 1), 0x7777, schema::MpiFunction::MPI_Barrier));
    return r;
}

void ExpectSame(const Records& records, const FrameHeader& header, const uint8_t* payload) {
    BlockDecoder block(Schema::BuiltIn(), nullptr);
    std::string error;
    ASSERT_TRUE(block.Open(header, payload, &error)) << error;
    std::vector<uint8_t> sequence;
    ASSERT_TRUE(block.Sequence(&sequence));
    ASSERT_EQ(sequence.size(), records.count);
    std::vector<size_t> row(block.types().size());
    size_t at = 0;
    for (const uint8_t type : sequence) {
        const RecordPrefix prefix = ReadPrefix(records.bytes.data() + at);
        ASSERT_EQ(block.types()[type].type, prefix.type);
        const auto& layout = *block.types()[type].layout;
        for (size_t c = 0; c < layout.columns.size(); ++c) {
            std::vector<uint64_t> values;
            ASSERT_TRUE(block.Values(type, c, &values));
            ASSERT_EQ(values.size(), block.types()[type].count);
            EXPECT_EQ(values[row[type]],
                      layout.columns[c].Load(records.bytes.data() + at + sizeof prefix))
                << layout.table << "." << layout.columns[c].name << " row " << row[type];
        }
        ++row[type];
        at += prefix.bytes;
    }
}

TEST(Block, ColumnsComeBack) {
    const Records records = Sample();
    BlockEncoder encoder(Schema::BuiltIn());
    for (int round = 0; round < 3; ++round) {  // Memory is reused from block to block.
        encoder.Begin(3);
        EXPECT_EQ(encoder.Add(records.bytes.data(), records.bytes.size()), records.bytes.size());
        FrameHeader header;
        std::vector<uint8_t> payload;
        encoder.Finish(&header, &payload);
        SealFrame(&header, payload.data(), payload.size());
        EXPECT_EQ(header.record_count, records.count);
        EXPECT_EQ(header.first_tick, 10u);
        EXPECT_EQ(header.last_tick, 9000u);
        ExpectSame(records, header, payload.data());
    }
}

TEST(Block, RawComesBack) {
    const Records records = Sample();
    FrameHeader header;
    header.encoding = FrameEncoding::kRaw;
    header.record_count = records.count;
    SealFrame(&header, records.bytes.data(), records.bytes.size());
    EXPECT_TRUE(IsValidHeader(header));
    ExpectSame(records, header, reinterpret_cast<const uint8_t*>(records.bytes.data()));
}

TEST(Block, LimitEndsABlockBetweenRecords) {
    const Records records = Sample();
    BlockEncoder encoder(Schema::BuiltIn());
    size_t at = 0;
    uint32_t total = 0;
    while (at < records.bytes.size()) {
        encoder.Begin(3);
        const size_t taken = encoder.Add(records.bytes.data() + at, records.bytes.size() - at, 3);
        ASSERT_GT(taken, 0u);
        EXPECT_LE(encoder.records(), 3u);
        total += encoder.records();
        Records part;
        part.bytes.assign(records.bytes.begin() + static_cast<ptrdiff_t>(at),
                          records.bytes.begin() + static_cast<ptrdiff_t>(at + taken));
        part.count = encoder.records();
        FrameHeader header;
        std::vector<uint8_t> payload;
        encoder.Finish(&header, &payload);
        SealFrame(&header, payload.data(), payload.size());
        ExpectSame(part, header, payload.data());
        at += taken;
    }
    EXPECT_EQ(total, records.count);
}

TEST(Block, ArtifactsAndUnknownTypesAreRefused) {
    Records records;
    records.Add(schema::Artifact(1, 0, schema::ArtifactKind::text));
    BlockEncoder encoder(Schema::BuiltIn());
    encoder.Begin(0);
    bool refused = false;
    EXPECT_EQ(encoder.Add(records.bytes.data(), records.bytes.size(), kBlockRecords, &refused), 0u);
    EXPECT_TRUE(refused);
}

TEST(Block, DamageIsNoticedNeverRead) {
    const Records records = Sample();
    BlockEncoder encoder(Schema::BuiltIn());
    encoder.Begin(3);
    encoder.Add(records.bytes.data(), records.bytes.size());
    FrameHeader header;
    std::vector<uint8_t> payload;
    encoder.Finish(&header, &payload);
    SealFrame(&header, payload.data(), payload.size());
    EXPECT_TRUE(IsPayloadIntact(header, payload.data()));
    for (size_t i = 0; i < payload.size(); ++i) {
        for (const uint8_t flip : {0x01, 0x80, 0xff}) {
            std::vector<uint8_t> damaged = payload;
            damaged[i] ^= flip;
            EXPECT_FALSE(IsPayloadIntact(header, damaged.data()));
            // Even past the checksum no read leaves the payload (AddressSanitizer watches).
            BlockDecoder block(Schema::BuiltIn(), nullptr);
            std::string error;
            if (!block.Open(header, damaged.data(), &error)) continue;
            std::vector<uint64_t> values;
            for (size_t t = 0; t < block.types().size(); ++t) {
                for (size_t c = 0; c < block.types()[t].layout->columns.size(); ++c)
                    block.Values(t, c, &values);
            }
        }
    }
    FrameHeader changed = header;
    changed.record_count ^= 1;
    EXPECT_FALSE(IsValidHeader(changed));
}

}  // namespace
}  // namespace comshu::core
