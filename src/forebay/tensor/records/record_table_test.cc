#include "forebay/tensor/records/record_table.h"

#include <gtest/gtest.h>

#include "forebay/tensor/columns/validate_column.h"
#include "forebay/tensor/records/conversion_cost.h"

namespace forebay::tensor {
namespace {

struct Sample {
  int64_t id;
  float position[3];
  bool is_good;
  uint8_t kind;
};

RecordLayout sample_layout() {
  return *record_layout_of(member("id", &Sample::id), member("position", &Sample::position),
                           member("is_good", &Sample::is_good), member("kind", &Sample::kind));
}

std::vector<Sample> samples(int64_t count) {
  std::vector<Sample> made(count);
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    made[i] = {i * 3, {value, value + 0.25F, value + 0.5F}, i % 5 == 0, static_cast<uint8_t>(i)};
  }
  return made;
}

TEST(RecordTable, StructuresBecomeColumnsAndComeBack) {
  const RecordLayout layout = sample_layout();
  for (const int64_t count : {0, 1, 63, 1000, 9001, 300000}) {
    const std::vector<Sample> records = samples(count);
    const Table table = *table_of_records<Sample>(layout, records);
    ASSERT_TRUE(validate(table, ValidationLevel::kFull).ok());
    EXPECT_EQ(table.rows(), count);
    std::vector<Sample> back(count);
    ASSERT_TRUE(records_of_table(layout, table, std::as_writable_bytes(std::span(back))).ok());
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(table.column(0).values<int64_t>()[i], records[i].id);
      ASSERT_EQ(table.column(2).bool_at(i), records[i].is_good);
      ASSERT_EQ(back[i].position[2], records[i].position[2]);
      ASSERT_EQ(back[i].is_good, records[i].is_good);
      ASSERT_EQ(back[i].kind, records[i].kind);
    }
  }
  const Table table = *table_of_records<Sample>(layout, samples(10));
  EXPECT_EQ(table.field(1).type->to_string(), "tensor<float, 3>");
  EXPECT_EQ(tensor_of(table.column(1))->shape(), (Shape{10, 3}));
}

struct Frame {
  int16_t grid[2][3];
  float alone[1];
  bool flags[2][2];
  uint8_t kind;
};

TEST(RecordTable, ArraysKeepTheirExtents) {
  const RecordLayout layout = *record_layout_of(member("grid", &Frame::grid), member("alone", &Frame::alone),
                                                member("flags", &Frame::flags), member("kind", &Frame::kind));
  std::vector<Frame> frames(10);
  frames[7].grid[1][2] = 42;
  frames[7].flags[1][0] = true;
  const Table table = *table_of_records<Frame>(layout, frames);
  ASSERT_TRUE(validate(table, ValidationLevel::kFull).ok());
  EXPECT_EQ(table.field(0).type->to_string(), "tensor<int16, 2x3>");
  EXPECT_EQ(table.field(1).type->to_string(), "tensor<float, 1>");
  EXPECT_EQ(table.field(2).type->to_string(), "tensor<bool, 2x2>");
  EXPECT_EQ(table.field(3).type->to_string(), "uint8");
  const Tensor grid = *tensor_of(table.column(0));
  EXPECT_EQ(grid.shape(), (Shape{10, 2, 3}));
  EXPECT_EQ(grid.view().span<int16_t>()[7 * 6 + 5], 42);
  std::vector<Frame> back(10);
  ASSERT_TRUE(records_of_table(layout, table, std::as_writable_bytes(std::span(back))).ok());
  EXPECT_EQ(back[7].grid[1][2], 42);
  EXPECT_TRUE(back[7].flags[1][0]);
  EXPECT_FALSE(RecordLayout::packed({{"grid", DType::kInt16, 6, 0, Shape{2, 2}}}).ok());
}

TEST(RecordTable, SlicesAndChosenColumnsBecomeRecords) {
  const RecordLayout layout = sample_layout();
  const Table table = *table_of_records<Sample>(layout, samples(100))->slice(13, 50);
  std::vector<Sample> part(50);
  ASSERT_TRUE(records_of_table(layout, table, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_EQ(part[7].id, 60);
  EXPECT_TRUE(part[7].is_good);
  EXPECT_FALSE(part[8].is_good);
  EXPECT_EQ(part[49].position[1], 62.25F);
}

TEST(RecordTable, WhatDoesNotFitIsNamed) {
  const RecordLayout layout = sample_layout();
  const Table table = *table_of_records<Sample>(layout, samples(4));
  std::vector<std::byte> bytes(4 * sizeof(Sample));
  EXPECT_EQ(records_of_table(layout, table, MutableBytes(bytes).first(8)).code(),
            StatusCode::kInvalidArgument);
  EXPECT_FALSE(table_of_records(layout, MutableBytes(bytes).first(9)).ok());
  const std::vector<int> wrong(3);
  EXPECT_FALSE(table_of_records<int>(layout, wrong).ok());
  const RecordLayout other = *RecordLayout::packed({{"id", DType::kInt32}});
  EXPECT_EQ(message(records_of_table(other, table, MutableBytes(bytes).first(16))),
            "column 'id' is of int64, the field of int32");
  const RecordLayout unknown = *RecordLayout::packed({{"size", DType::kInt32}});
  EXPECT_EQ(records_of_table(unknown, table, MutableBytes(bytes).first(16)).code(), StatusCode::kNotFound);
  Column column = table.column(0);
  column.null_count = 4;
  column.buffers[0] = *memory::Buffer::allocate(1);
  const Table with_nulls = *Table::of({{"id", column}});
  const RecordLayout id = *RecordLayout::packed({{"id", DType::kInt64}});
  EXPECT_EQ(message(records_of_table(id, with_nulls, MutableBytes(bytes).first(32))),
            "column 'id' contains nulls, which records cannot");
}

RecordLayout floats(int count) {
  std::vector<RecordField> fields;
  for (int i = 0; i < count; ++i) {
    fields.push_back({std::to_string(i), DType::kFloat});
  }
  return *RecordLayout::packed(fields);
}

TEST(ConversionCost, MorePassesAndFewerFieldsPayMore) {
  const RecordLayout layout = floats(16);
  const std::vector<int> one = {3};
  const ConversionEstimate once = estimate_conversion(layout, {.fields = one});
  const ConversionEstimate often = estimate_conversion(layout, {.fields = one, .passes = 20});
  EXPECT_DOUBLE_EQ(often.records_ns, 20 * once.records_ns);
  EXPECT_DOUBLE_EQ(often.convert_ns, once.convert_ns);
  EXPECT_FALSE(conversion_pays(layout, {.fields = one, .passes = 0}));
  EXPECT_TRUE(conversion_pays(layout, {.fields = one, .passes = 20}));
  EXPECT_TRUE(conversion_pays(layout, {.fields = one, .passes = once.break_even_passes * 1.01}));
  EXPECT_FALSE(conversion_pays(layout, {.fields = one, .passes = once.break_even_passes * 0.99}));
  // There and back costs twice; and if computing dominates, the layout does not matter.
  EXPECT_DOUBLE_EQ(estimate_conversion(layout, {.fields = one, .goes_back = true}).convert_ns,
                   2 * once.convert_ns);
  EXPECT_FALSE(conversion_pays(floats(1), {.fields = std::vector<int>{0}, .passes = 1}));
}

TEST(ConversionCost, CountsTheLinesThatAreTouched) {
  ConversionRates rates;
  rates.read_bytes_per_ns = 1;
  rates.scalar_values_per_ns = 1e9;
  const std::vector<int> first = {0};
  EXPECT_DOUBLE_EQ(estimate_conversion(floats(16), {.fields = first}, rates).records_ns, 64);
  EXPECT_DOUBLE_EQ(estimate_conversion(floats(64), {.fields = first}, rates).records_ns, 64);
  EXPECT_DOUBLE_EQ(estimate_conversion(floats(4), {.fields = first}, rates).records_ns, 16);
  EXPECT_DOUBLE_EQ(estimate_conversion(floats(3), {.fields = first}, rates).records_ns, 12);
  const std::vector<int> ends = {0, 63};
  EXPECT_DOUBLE_EQ(estimate_conversion(floats(64), {.fields = ends}, rates).records_ns, 128);
}

}  // namespace
}  // namespace forebay::tensor
