#include "comshu/core/layout.h"

#include <gtest/gtest.h>

#include "comshu/schema/record_traits.h"

#include "comshu/schema/schema_data.h"

namespace comshu::core {
namespace {

TEST(Layout, DescribesASpanRecord) {
    const RecordLayout* layout = Schema::BuiltIn().FindTable("mpi_point_to_point");
    ASSERT_NE(layout, nullptr);
    EXPECT_EQ(layout->type, 310);
    EXPECT_EQ(layout->layer, "mpi");
    EXPECT_EQ(layout->head, Head::kSpan);
    EXPECT_EQ(layout->struct_bytes, sizeof(schema::MpiPointToPoint));
    EXPECT_EQ(layout->columns[0].name, "begin");
    EXPECT_EQ(layout->columns[4].name, "flags");
    EXPECT_EQ(layout->columns[5].name, "caller");
    const Column& tag = layout->columns[static_cast<size_t>(layout->FindColumn("tag"))];
    EXPECT_TRUE(tag.is_signed);
    EXPECT_EQ(tag.null, Null::kMin);
    EXPECT_TRUE(tag.IsNull(static_cast<uint64_t>(int64_t{INT32_MIN})));
    EXPECT_FALSE(tag.IsNull(0));
    const Column& function = layout->columns[static_cast<size_t>(layout->FindColumn("function"))];
    ASSERT_GE(function.enum_index, 0);
    EXPECT_EQ(Schema::BuiltIn().enums()[static_cast<size_t>(function.enum_index)].name,
              "MpiFunction");
}

TEST(Layout, TraitsAgreeWithTheBinarySchema) {
    const Schema& schema = Schema::BuiltIn();
    EXPECT_EQ(schema.Find(schema::RecordTraits<schema::Gap>::kType)->name, "Gap");
    EXPECT_TRUE(schema::RecordTraits<schema::MpiCall>::kIsSpan);
    EXPECT_TRUE(schema::RecordTraits<schema::MpiCompletion>::kIsInstant);
    EXPECT_EQ(schema.Find(schema::RecordTraits<schema::MpiCompletion>::kType)->head,
              Head::kInstant);
    EXPECT_EQ(schema.Find(0), nullptr);
    EXPECT_EQ(schema.Find(60000), nullptr);
}

TEST(Layout, NullValues) {
    Column column;
    column.width = 8;
    column.null = Null::kMax;
    EXPECT_TRUE(column.IsNull(~uint64_t{0}));
    column.width = 4;
    EXPECT_TRUE(column.IsNull(0xffffffffu));
    column.null = Null::kMin;
    column.is_signed = true;
    column.width = 8;
    EXPECT_TRUE(column.IsNull(uint64_t{1} << 63));
}

TEST(Layout, RefusesWhatIsNoSchema) {
    std::string error;
    const uint8_t junk[64] = {1, 2, 3};
    EXPECT_EQ(Schema::Load(junk, sizeof junk, &error), nullptr);
    EXPECT_NE(error, "");
    EXPECT_EQ(Schema::Load(junk, 0, &error), nullptr);
}

TEST(Layout, TakesTypesOfAnotherSchemaThatAreInTheRangeAndNew) {
    std::string error;
    const auto schema = Schema::Load(schema::kSchema, schema::kSchemaBytes, &error);
    ASSERT_NE(schema, nullptr) << error;
    const size_t before = schema->records().size();
    const RecordLayout* own = schema->Find(1);
    EXPECT_TRUE(
        schema->Add(schema::kSchema, schema::kSchemaBytes, 1, Schema::kLargestType, &error));
    EXPECT_EQ(schema->records().size(), before) << "all were known";
    EXPECT_EQ(schema->Find(1), own);
    const uint8_t nonsense[32] = {};
    EXPECT_FALSE(schema->Add(nonsense, sizeof nonsense, 1, Schema::kLargestType, &error));
    EXPECT_EQ(error, "not a binary FlatBuffers schema");
    EXPECT_EQ(schema->Find(Schema::kLargestType + 1), nullptr);
}

}  // namespace
}  // namespace comshu::core
