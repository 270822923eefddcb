// Providers: ranges, the wrapper in C++, what the engine asks of them.
#include "comshu/provider/provider.h"

#include "comshu/schema/schema_data.h"
#include "testing/recording.h"

namespace comshu::rec {
namespace {

class Mine : public provider::IProvider {
public:
    static constexpr const char* kName = "mine";
    static constexpr uint16_t kFirstType = 450;
    static constexpr uint16_t kLastType = 459;
    void ReportLoss(uint32_t, uint64_t, uint64_t) override { ++reports; }
    void Ending() override { ++endings; }
    int reports = 0;
    int endings = 0;
};

class ProviderTest : public Recording {};

TEST_F(ProviderTest, IsDefinedAndAsked) {
    const comshu_provider* table = provider::TableOf<Mine>();
    EXPECT_EQ(comshu_engine_declare_provider(table), 0);
    EXPECT_EQ(comshu_engine_declare_provider(table), 0) << "the same once more";
    Options options = Tiny();
    options.on_full = OnFull::kDrop;
    ASSERT_TRUE(Start(options));
    for (uint64_t i = 0; i < 50; ++i) Call(i);
    const Captured captured = EndAndRead();
    const auto providers = captured.All<schema::Provider>();
    ASSERT_EQ(providers.size(), 1u);
    EXPECT_EQ(captured.text.at(providers[0].name()), "mine");
    EXPECT_EQ(providers[0].first_type(), 450);
    EXPECT_EQ(provider::Instance<Mine>().reports, 1);
    EXPECT_EQ(provider::Instance<Mine>().endings, 1);
}

TEST_F(ProviderTest, ARangeHasOneOwner) {
    comshu_provider first = *provider::TableOf<Mine>();
    comshu_provider second = first;
    comshu_provider third = first;
    comshu_provider old = first;
    second.first_type = 459;
    second.last_type = 470;
    third.first_type = 460;
    third.last_type = 470;
    old.version = COMSHU_ENGINE_VERSION + 1;
    EXPECT_EQ(comshu_engine_declare_provider(&first), 0);
    EXPECT_EQ(comshu_engine_declare_provider(&second), 1);
    EXPECT_EQ(comshu_engine_declare_provider(&third), 0);
    EXPECT_EQ(comshu_engine_declare_provider(&old), 2);
    ASSERT_TRUE(Start(Tiny()));
    const Captured captured = EndAndRead();
    EXPECT_EQ(captured.Count<schema::Provider>(), 2u);
    size_t notes = 0;
    for (const auto& note : captured.All<schema::Note>()) {
        notes += captured.text.at(note.kind()) == "provider_refused" ? 1 : 0;
    }
    EXPECT_EQ(notes, 1u);
}

TEST_F(ProviderTest, ATableThatEndsEarlyIsServed) {
    comshu_provider shorter = *provider::TableOf<Mine>();
    shorter.size = offsetof(comshu_provider, overwriting);
    EXPECT_EQ(comshu_engine_declare_provider(&shorter), 0);
    Options options = Tiny();
    options.on_full = OnFull::kNewest;
    ASSERT_TRUE(Start(options));
    for (uint64_t i = 0; i < 50; ++i) Call(i);
    EXPECT_GT(EndAndRead().Count<schema::UserRegion>(), 0u);
}

TEST_F(ProviderTest, ASchemaOfItsOwnGoesToTheStreamBeforeItsRecords) {
    comshu_provider early = *provider::TableOf<Mine>();
    early.schema = schema::kSchema;
    early.schema_bytes = schema::kSchemaBytes;
    comshu_provider late = early;
    late.first_type = 460;
    late.last_type = 469;
    EXPECT_EQ(comshu_engine_declare_provider(&early), 0);
    ASSERT_TRUE(Start(Tiny()));
    Call(1);
    EXPECT_EQ(comshu_engine_declare_provider(&late), 0) << "while it records";
    const Captured captured = EndAndRead();
    std::vector<uint64_t> added;
    for (const core::FrameHeader& frame : captured.frames) {
        if (frame.kind == core::FrameKind::kSchema && (frame.flags & core::kAddedSchema) != 0)
            added.push_back(frame.payload_bytes);
    }
    EXPECT_EQ(added, std::vector<uint64_t>(2, schema::kSchemaBytes));
    EXPECT_EQ(captured.frames[0].flags & core::kAddedSchema, 0);
    EXPECT_EQ(captured.frames[1].flags & core::kAddedSchema, core::kAddedSchema);
    EXPECT_EQ(captured.Count<schema::UserRegion>(), 1u);
}

TEST_F(ProviderTest, ASchemaThatIsNoneLeavesANote) {
    static const uint8_t kNonsense[64] = {1, 2, 3};
    comshu_provider broken = *provider::TableOf<Mine>();
    broken.schema = kNonsense;
    broken.schema_bytes = sizeof kNonsense;
    EXPECT_EQ(comshu_engine_declare_provider(&broken), 0);
    ASSERT_TRUE(Start(Tiny()));
    const Captured captured = EndAndRead();
    const auto notes = captured.All<schema::Note>();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(captured.text.at(notes[0].kind()), "provider_schema");
    EXPECT_EQ(captured.text.at(notes[0].text()),
              "Records of provider mine cannot be read: its schema is not a binary FlatBuffers "
              "schema. Build it again with flatc --schema -b.");
}

TEST_F(ProviderTest, TheEndNamesWhatWasMissing) {
    EXPECT_EQ(comshu_engine_declare_provider(provider::TableOf<Mine>()), 0);
    EXPECT_FALSE(Providers::OfProcess().IsFinished());
    comshu_engine_finished();
    EXPECT_TRUE(Providers::OfProcess().IsFinished());
}

TEST_F(ProviderTest, NotesOncePerKind) {
    ASSERT_TRUE(Start(Tiny()));
    comshu_engine_note("a", "first");
    comshu_engine_note("a", "second");
    comshu_engine_note("b", "third");
    const Captured captured = EndAndRead();
    const auto notes = captured.All<schema::Note>();
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(captured.text.at(notes[0].text()), "first");
    EXPECT_EQ(captured.text.at(notes[1].text()), "third");
}

}  // namespace
}  // namespace comshu::rec
