#include "forebay/exchange/arrow/time_columns.h"

#include <gtest/gtest.h>

#include <vector>

#include "forebay/exchange/arrays/array_interface.h"
#include "forebay/exchange/arrays/dlpack.h"
#include "forebay/exchange/arrow/column_copy.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/column_builder.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::exchange {
namespace {

using tensor::Column;
using tensor::DType;
using tensor::Tensor;
using tensor::TimeUnit;
using tensor::TypeId;

constexpr TimeType kNanoseconds{TimeKind::kMoment, TimeUnit::kNano};
constexpr TimeType kDays{TimeKind::kDay};

Tensor counts_of(const std::vector<int64_t>& numbers) {
  Tensor tensor = *Tensor::allocate({tensor::Shape{static_cast<int64_t>(numbers.size())}, DType::kInt64, {}});
  std::copy(numbers.begin(), numbers.end(), static_cast<int64_t*>(tensor.mutable_data()));
  return tensor;
}

std::vector<int64_t> numbers_of(const Tensor& tensor) {
  const auto values = tensor.view().span<int64_t>();
  return {values.begin(), values.end()};
}

StridedArray times_of(const std::vector<int64_t>& numbers, TimeType type) {
  StridedArray array = *array_of(counts_of(numbers));
  array.type = kTimeElement;
  array.time = type;
  return array;
}

TEST(TimeTypeTest, NumpysTypestringsAndArrowsTypes) {
  for (const char* text : {"<M8[s]", "<M8[ms]", "<M8[us]", "<M8[ns]", "<m8[s]", "<m8[ns]", "<M8[D]"}) {
    const auto type = time_type_of(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(typestring_of(*type), text);
    EXPECT_EQ(time_type_of(*column_type_of(*type)), type);
  }
  for (const char* text :
       {"<M8", "<M8[]", "<M8[h]", "<m8[D]", "<M8[25s]", ">M8[s]", "<i8", "<M4[s]", "|V8", "<M8[s"}) {
    EXPECT_FALSE(time_type_of(text)) << text;
  }
  EXPECT_EQ(name_of({TimeKind::kDuration, TimeUnit::kMilli}), "timedelta64[ms]");
  EXPECT_FALSE(time_type_of(*tensor::column_type(TypeId::kInt64)));
  EXPECT_EQ(time_type_of(*tensor::column_type(TypeId::kDate64)),
            (TimeType{TimeKind::kMoment, TimeUnit::kMilli}));
}

TEST(TimeColumnsTest, SharesTheNumbersAndSaysWhereThereAreNone) {
  const Tensor counts = counts_of({5, kNotATime, 7});
  const uint64_t before = memory::bytes_copied();
  const Column column = *column_of_times(counts, kNanoseconds, false);
  EXPECT_EQ(column.type->to_string(), "timestamp<ns>");
  EXPECT_EQ(column.buffers[1].data(), static_cast<const std::byte*>(counts.data()));
  EXPECT_EQ(column.null_count, 1);
  EXPECT_TRUE(column.is_null(1));
  EXPECT_FALSE(column.is_null(2));
  EXPECT_EQ(tensor::validate(column, tensor::ValidationLevel::kFull), ok_status());
  const TimeCounts back = *counts_of_times(column, false);
  EXPECT_EQ(back.counts.data(), counts.data());
  EXPECT_FALSE(back.is_copied);
  EXPECT_EQ(memory::bytes_copied(), before);
  EXPECT_FALSE(column_of_times(counts_of({1, 2}), kNanoseconds, false)->has_validity());
}

TEST(TimeColumnsTest, NullsOverOtherNumbersAreCopiedAsNaT) {
  Column column = *column_of_times(counts_of({5, kNotATime, 7}), kNanoseconds, false);
  const Tensor other = counts_of({5, 6, 7});
  column.buffers[1] = {other.buffer(), other.offset_bytes(), other.size_bytes()};
  EXPECT_EQ(counts_of_times(column, false).status().code(), StatusCode::kFailedPrecondition);
  const uint64_t before = memory::bytes_copied();
  const TimeCounts back = *counts_of_times(column, true);
  EXPECT_TRUE(back.is_copied);
  EXPECT_EQ(memory::bytes_copied(), before + 24);
  EXPECT_EQ(numbers_of(back.counts), (std::vector<int64_t>{5, kNotATime, 7}));
  EXPECT_EQ(counts_of_times(*column.slice(2, 1), false)->counts.data(),
            static_cast<const std::byte*>(other.data()) + 16);
}

TEST(TimeColumnsTest, DaysAreCopiedBothWays) {
  const Tensor counts = counts_of({-1, kNotATime, 20000});
  EXPECT_EQ(column_of_times(counts, kDays, false).status().code(), StatusCode::kFailedPrecondition);
  const uint64_t before = memory::bytes_copied();
  const Column column = *column_of_times(counts, kDays, true);
  EXPECT_EQ(column.type->id, TypeId::kDate32);
  EXPECT_EQ(column.values<int32_t>()[2], 20000);
  EXPECT_EQ(counts_of_times(column, false).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(numbers_of(counts_of_times(column, true)->counts), numbers_of(counts));
  EXPECT_EQ(memory::bytes_copied(), before + 12 + 24);
  EXPECT_EQ(column_of_times(counts_of({int64_t{1} << 31}), kDays, true).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(TimeColumnsTest, ArraysOfTimesAreNoNumbers) {
  const StridedArray times = times_of({1, 2, 3, 4}, kNanoseconds);
  EXPECT_EQ(element_name(times), "datetime64[ns]");
  EXPECT_FALSE(tensor_of(times, true).ok());
  EXPECT_FALSE(to_dlpack(times, {}).ok());
  EXPECT_FALSE(to_dlpack_versioned(times, {}).ok());
  EXPECT_EQ(array_interface_of(times)->typestring, "<M8[ns]");
  EXPECT_TRUE(tensor_of(as_numbers(times), false).ok());
  StridedArray square = times;
  square.shape = {2, 2};
  square.strides_bytes = {16, 8};
  EXPECT_EQ(column_of(square, true).status().code(), StatusCode::kInvalidArgument);
}

TEST(TimeColumnsTest, ColumnsOfAnyNumberOfChunksBecomeOneArray) {
  const Column column = *column_of(times_of({1, 2}, kNanoseconds), false);
  const tensor::Field field{"", column.type};
  EXPECT_EQ(array_of(ColumnChunks{field, {column}}, false)->time, kNanoseconds);
  const StridedArray two = *array_of(ColumnChunks{field, {column, column}}, true);
  EXPECT_EQ(two.time, kNanoseconds);
  EXPECT_EQ(two.shape, Extents{4});
  EXPECT_TRUE(two.is_copied);
  EXPECT_FALSE(array_of(ColumnChunks{field, {column, column}}, false).ok());
  EXPECT_EQ(array_of(ColumnChunks{field, {}}, false)->time, kNanoseconds);
}

}  // namespace
}  // namespace forebay::exchange
