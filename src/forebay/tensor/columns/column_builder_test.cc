#include "forebay/tensor/columns/column_builder.h"

#include <gtest/gtest.h>

#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::tensor {
namespace {

std::string fault_of_built(const Column& column) {
  return std::string(message(validate(column, ValidationLevel::kFull)));
}

TEST(ColumnBuilder, NumbersWithLateNulls) {
  ColumnBuilder builder(column_type(TypeId::kInt32));
  const std::vector<int32_t> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  builder.append_all<int32_t>(values);
  builder.append_null();
  builder.append<int32_t>(11);
  const Column column = *builder.finish();
  EXPECT_EQ(fault_of_built(column), "");
  EXPECT_EQ(column.length, 11);
  EXPECT_EQ(column.null_count, 1);
  EXPECT_FALSE(column.is_null(8));
  EXPECT_TRUE(column.is_null(9));
  EXPECT_EQ(column.values<int32_t>()[10], 11);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(column.buffers[1].data()) % 64, 0);
  for (int i = 44; i < 64; ++i) {
    EXPECT_EQ(column.buffers[1].data()[i], std::byte{0});
  }
  EXPECT_EQ(builder.finish()->length, 0);
}

TEST(ColumnBuilder, BoolsTextsAndNothing) {
  ColumnBuilder bools(column_type(TypeId::kBool));
  for (int i = 0; i < 20; ++i) {
    i % 7 == 3 ? bools.append_null() : bools.append_bool(i % 3 == 0);
  }
  const Column bits = *bools.finish();
  EXPECT_EQ(fault_of_built(bits), "");
  EXPECT_EQ(bits.null_count, 3);
  EXPECT_TRUE(bits.bool_at(18));
  EXPECT_FALSE(bits.bool_at(19));

  ColumnBuilder texts(column_type(TypeId::kLargeUtf8));
  texts.append_text("one");
  texts.append_null();
  texts.append_text("");
  texts.append_text(std::string(1000, 'x'));
  const Column column = *texts.finish();
  EXPECT_EQ(fault_of_built(column), "");
  EXPECT_EQ(column.text_at(3).size(), 1000);
  EXPECT_EQ(column.text_at(0), "one");

  ColumnBuilder nothing(column_type(TypeId::kNull));
  nothing.append_null();
  EXPECT_EQ(nothing.finish()->null_count, 1);
}

TEST(ColumnBuilder, NestedTypes) {
  const ColumnTypeRef point =
      struct_type({{"x", column_type(TypeId::kFloat), true, {}},
                   {"tags", list_type(column_type(TypeId::kUtf8)), true, {}},
                   {"pair", fixed_size_list_type(column_type(TypeId::kInt16), 2), true, {}}});
  ColumnBuilder builder(list_type(point));
  ColumnBuilder& points = builder.child();
  for (int i = 0; i < 3; ++i) {
    points.child(0).append<float>(i);
    for (int tag = 0; tag < i; ++tag) {
      points.child(1).child().append_text("tag");
    }
    points.child(1).close_row();
    points.child(2).child().append<int16_t>(i);
    points.child(2).child().append_null();
    points.child(2).close_row();
    points.close_row();
  }
  points.append_null();
  builder.close_row();
  builder.append_null();
  builder.close_row();
  const Column column = *builder.finish();
  EXPECT_EQ(fault_of_built(column), "");
  EXPECT_EQ(column.length, 3);
  EXPECT_EQ(column.list_at(0).count, 4);
  EXPECT_EQ(column.list_at(2).count, 0);
  EXPECT_TRUE(column.children[0]->is_null(3));
  EXPECT_EQ(column.children[0]->children[1]->list_at(2).count, 2);
  EXPECT_EQ(column.children[0]->children[2]->children[0]->length, 8);
  EXPECT_EQ(column.type->to_string(),
            "list<struct<x: float, tags: list<utf8>, pair: fixed_size_list<int16, 2>>>");
}

TEST(ColumnBuilder, DictionariesTakeEachTextOnce) {
  ColumnBuilder builder(dictionary_type(TypeId::kUint8, column_type(TypeId::kUtf8)));
  for (int i = 0; i < 300; ++i) {
    builder.append_text("word " + std::to_string(i % 256));
  }
  builder.append_null();
  const Column column = *builder.finish();
  EXPECT_EQ(fault_of_built(column), "");
  EXPECT_EQ(column.dictionary->length, 256);
  EXPECT_EQ(column.dictionary->text_at(column.index_at(299)), "word 43");
  for (int i = 0; i < 257; ++i) {
    builder.append_text("word " + std::to_string(i));
  }
  EXPECT_EQ(builder.finish().status().code(), StatusCode::kResourceExhausted);
}

TEST(ColumnBuilder, MisuseAndMissingMemoryAreErrors) {
  ColumnBuilder numbers(column_type(TypeId::kInt32));
  numbers.append<int64_t>(1);
  numbers.append<int32_t>(1);
  EXPECT_EQ(message(numbers.finish().status()), "a value of 8 bytes for a column of int32");
  EXPECT_TRUE(numbers.finish().ok());
  numbers.append_text("x");
  EXPECT_EQ(message(numbers.finish().status()), "append_text is not for a column of int32");
  ColumnBuilder pairs(fixed_size_list_type(column_type(TypeId::kInt8), 2));
  pairs.child().append<int8_t>(1);
  pairs.close_row();
  EXPECT_EQ(message(pairs.finish().status()),
            "row 0 of fixed_size_list<int8, 2> closes with 1 rows in child 'item' instead of 2");
  ColumnBuilder wrong(decimal128_type(0, 0));
  wrong.append_null();
  EXPECT_FALSE(wrong.finish().ok());
  ColumnBuilder poor(column_type(TypeId::kUtf8),
                     std::make_shared<memory::LimitResource>(memory::host_resource(), Budget::create(1000)));
  for (int i = 0; i < 100; ++i) {
    poor.append_text("some text that needs room");
  }
  EXPECT_EQ(poor.finish().status().code(), StatusCode::kResourceExhausted);
}

TEST(ColumnBuilder, ColumnsOfADeviceAreCheckedBySizeOnly) {
  const auto device = *memory::SimulatedDevice::create();
  ColumnBuilder builder(column_type(TypeId::kInt32), device->resource());
  builder.append<int32_t>(1);
  EXPECT_EQ(builder.finish().status().code(), StatusCode::kFailedPrecondition);
  Column column{.type = column_type(TypeId::kInt32), .length = 4};
  column.buffers = {{}, *memory::Buffer::allocate(16, device->resource())};
  EXPECT_TRUE(validate(column, ValidationLevel::kMinimal).ok());
  EXPECT_EQ(validate(column, ValidationLevel::kFull).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(tensor_of(column)->kind(), memory::MemoryKind::kSimulated);
  EXPECT_EQ(column.memory_kind(), memory::MemoryKind::kSimulated);
  column.length = 5;
  EXPECT_EQ(validate(column, ValidationLevel::kMinimal).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::tensor
