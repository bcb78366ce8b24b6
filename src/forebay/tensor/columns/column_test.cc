#include "forebay/tensor/columns/column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::tensor {
namespace {

template <class T>
BufferRange buffer_of(std::vector<T> values) {
  auto buffer = memory::Buffer::allocate(values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), static_cast<T*>((*buffer)->data()));
  return *buffer;
}

BufferRange text_buffer(std::string_view text) {
  return buffer_of(std::vector<char>(text.begin(), text.end()));
}

ColumnRef shared(Column column) {
  return std::make_shared<const Column>(std::move(column));
}

Column ints(std::vector<int32_t> values) {
  const auto length = static_cast<int64_t>(values.size());
  return {
      .type = column_type(TypeId::kInt32), .length = length, .buffers = {{}, buffer_of(std::move(values))}};
}

Column texts() {  // "ab", null, "", "é"
  return {.type = column_type(TypeId::kUtf8),
          .length = 4,
          .null_count = 1,
          .buffers = {buffer_of<uint8_t>({0b1101}), buffer_of<int32_t>({0, 2, 2, 2, 4}),
                      text_buffer("ab\xC3\xA9")}};
}

Column lists() {  // [1, 2], [], [3]
  Column column{.type = list_type(column_type(TypeId::kInt32)), .length = 3};
  column.buffers = {{}, buffer_of<int32_t>({0, 2, 2, 3})};
  column.children = {shared(ints({1, 2, 3}))};
  return column;
}

Column words() {  // "x", "y", "x" by a dictionary
  Column values{.type = column_type(TypeId::kUtf8), .length = 2};
  values.buffers = {{}, buffer_of<int32_t>({0, 1, 2}), text_buffer("xy")};
  Column column{.type = dictionary_type(TypeId::kInt8, column_type(TypeId::kUtf8)), .length = 3};
  column.buffers = {{}, buffer_of<int8_t>({0, 1, 0})};
  column.dictionary = shared(std::move(values));
  return column;
}

std::string fault(const Column& column, ValidationLevel level = ValidationLevel::kFull) {
  return std::string(message(validate(column, level, "c")));
}

TEST(Column, ReadsEveryLayout) {
  EXPECT_EQ(fault(texts()), "");
  EXPECT_EQ(texts().text_at(0), "ab");
  EXPECT_TRUE(texts().is_null(1));
  EXPECT_EQ(texts().text_at(3), "\xC3\xA9");
  EXPECT_EQ(fault(lists()), "");
  EXPECT_EQ(lists().list_at(2), (Column::Range{2, 1}));
  EXPECT_EQ(fault(words()), "");
  EXPECT_EQ(words().index_at(1), 1);
  const Column bits{
      .type = column_type(TypeId::kBool), .length = 3, .buffers = {{}, buffer_of<uint8_t>({0b101})}};
  EXPECT_EQ(fault(bits), "");
  EXPECT_TRUE(bits.bool_at(0));
  EXPECT_FALSE(bits.bool_at(1));
  const Column nothing{.type = column_type(TypeId::kNull), .length = 5, .null_count = 5};
  EXPECT_EQ(fault(nothing), "");
  EXPECT_TRUE(nothing.is_null(4));
}

TEST(Column, SlicesShareTheirBuffers) {
  const uint64_t before = memory::bytes_copied();
  const Column whole = texts();
  const Column part = *whole.slice(1, 3);
  EXPECT_EQ(part.null_count, kUnknownNullCount);
  EXPECT_EQ(part.count_nulls(), 1);
  EXPECT_TRUE(part.is_null(0));
  EXPECT_EQ(part.text_at(2), "\xC3\xA9");
  EXPECT_EQ(part.buffers[2].data(), whole.buffers[2].data());
  EXPECT_EQ(part.slice(1, 1)->text_at(0), "");
  EXPECT_EQ(part.slice(1, 2)->count_nulls(), 0);
  EXPECT_EQ(memory::bytes_copied(), before);
  EXPECT_EQ(whole.slice(4, 0)->length, 0);
  EXPECT_FALSE(whole.slice(5, 0).ok());
  EXPECT_FALSE(whole.slice(2, 3).ok());
  EXPECT_FALSE(whole.slice(-1, 1).ok());
  EXPECT_FALSE(whole.slice(1, INT64_MAX).ok());
  EXPECT_EQ(message(whole.slice(2, 3).status()), "3 rows from row 2 on, in a column of 4");
}

TEST(Column, CountsNullsOverWholeWords) {
  std::vector<uint8_t> bitmap(40, 0xFF);
  bitmap[3] = 0b11110111;   // row 27
  bitmap[20] = 0b01111110;  // rows 160 and 167
  Column column{.type = column_type(TypeId::kInt8), .length = 320, .null_count = kUnknownNullCount};
  column.buffers = {buffer_of(bitmap), buffer_of(std::vector<int8_t>(320))};
  EXPECT_EQ(column.count_nulls(), 3);
  EXPECT_EQ(column.slice(28, 292)->count_nulls(), 2);
  EXPECT_EQ(column.slice(27, 134)->count_nulls(), 2);
  EXPECT_EQ(column.slice(161, 6)->count_nulls(), 0);
}

TEST(Column, EqualityIsOfMeaning) {
  EXPECT_TRUE(equal_values(texts(), texts()));
  Column other = texts();
  other.buffers[1] = buffer_of<int32_t>({0, 2, 2, 2, 3});
  other.buffers[2] = text_buffer("abc");
  EXPECT_FALSE(equal_values(texts(), other));
  EXPECT_TRUE(equal_values(*texts().slice(0, 3), *other.slice(0, 3)));
  EXPECT_FALSE(equal_values(ints({1, 2}), ints({1, 3})));
  EXPECT_TRUE(equal_values(*ints({0, 1, 2}).slice(1, 2), ints({1, 2})));
  Column swapped = words();
  swapped.buffers[1] = buffer_of<int8_t>({1, 0, 1});
  EXPECT_FALSE(equal_values(words(), swapped));
  Column values = *swapped.dictionary;
  values.buffers[2] = text_buffer("yx");
  swapped.dictionary = shared(values);
  EXPECT_TRUE(equal_values(words(), swapped));
}

TEST(Column, TensorsAndColumnsShareMemory) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Tensor tensor = *Tensor::copy_of<float>(values, {3, 2, 2});
  const uint64_t before = memory::bytes_copied();
  const Column column = *column_of(tensor);
  EXPECT_EQ(fault(column), "");
  EXPECT_EQ(column.type->to_string(), "tensor<float, 2x2>");
  EXPECT_EQ(column.length, 3);
  const Tensor back = *tensor_of(column);
  EXPECT_EQ(back.data(), tensor.data());
  EXPECT_EQ(back.shape(), (Shape{3, 2, 2}));
  const Tensor part = *tensor_of(*column.slice(1, 2));
  EXPECT_EQ(part.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(part.view().as<float>()[0], 5);
  EXPECT_EQ(tensor_of(*column_of(*Tensor::copy_of<float>(values, {12})))->shape(), (Shape{12}));
  EXPECT_EQ(memory::bytes_copied(), before + 48);  // the copy in the line above
  EXPECT_EQ(message(tensor_of(texts()).status()), "a column with 1 nulls cannot become a tensor");
  EXPECT_EQ(message(tensor_of(*texts().slice(2, 2)).status()), "a column of utf8 cannot become a tensor");
  EXPECT_FALSE(column_of(*Tensor::scalar<float>(1)).ok());
  EXPECT_FALSE(column_of(*Tensor::allocate({Shape{2}, DType::kBool, {}})).ok());
}

TEST(ValidateColumn, NamesWhatIsWrong) {
  Column column = ints({1, 2, 3});
  column.length = 4;
  EXPECT_EQ(fault(column), "column 'c': buffer 1 (values) has 12 bytes; 4 values need 4 bytes each");
  column = ints({1, 2, 3});
  column.null_count = 1;
  EXPECT_EQ(fault(column), "column 'c': buffer 0 (validity) is absent, but there are 1 nulls");
  column.buffers[0] = buffer_of<uint8_t>({0b100});
  EXPECT_EQ(fault(column, ValidationLevel::kBounds), "");
  EXPECT_EQ(fault(column), "column 'c': buffer 0 (validity) has 2 nulls, the column says 1");
  column = texts();
  column.buffers[2] = text_buffer("ab\xC3(");
  EXPECT_EQ(fault(column), "column 'c': buffer 2 (bytes) is not UTF-8 at row 3");
  column.buffers[1] = buffer_of<int32_t>({0, 2, 3, 2, 4});
  EXPECT_EQ(fault(column, ValidationLevel::kBounds), "");
  EXPECT_EQ(fault(column), "column 'c': buffer 1 (offsets) goes back from 3 to 2 at row 2");
  column.buffers[1] = buffer_of<int32_t>({0, 2, 3, 2, 5});
  EXPECT_EQ(fault(column, ValidationLevel::kMinimal), "");
  EXPECT_EQ(fault(column, ValidationLevel::kBounds),
            "column 'c': buffer 1 (offsets) goes from 0 to 5, there are bytes up to 4");
  column = words();
  column.buffers[1] = buffer_of<int8_t>({0, 2, 0});
  EXPECT_EQ(fault(column), "column 'c': buffer 1 (values) at row 1 is 2; the dictionary has 2 rows");
  column.dictionary = nullptr;
  EXPECT_EQ(fault(column), "column 'c': dictionary<int8, utf8> without a dictionary");
}

TEST(ValidateColumn, NamesThePathOfAChild) {
  Column column = lists();
  Column child = *column.children[0];
  child.null_count = 7;
  column.children[0] = shared(child);
  EXPECT_EQ(fault(column), "column 'c.item': 7 nulls in 3 rows");
  child.null_count = 0;
  child.length = 2;
  column.children[0] = shared(child);
  EXPECT_EQ(fault(column), "column 'c': buffer 1 (offsets) goes from 0 to 3, there are elements up to 2");
  column.children[0] = nullptr;
  EXPECT_EQ(fault(column), "column 'c': 'item' is missing");
  column.children[0] = shared(texts());
  EXPECT_EQ(fault(column), "column 'c': 'item' is not of the type int32");
}

TEST(ValidateColumn, RequiredFieldsHaveNoNullsUnderValidRows) {
  Column child = ints({1, 2, 3});
  child.null_count = 1;
  child.buffers[0] = buffer_of<uint8_t>({0b101});
  Column column{.type = struct_type({{"x", column_type(TypeId::kInt32), false, {}}}), .length = 3};
  column.buffers = {{}};
  column.children = {shared(child)};
  EXPECT_EQ(fault(column), "column 'c': child 'x' may hold no nulls and has one in row 1");
  column.buffers = {buffer_of<uint8_t>({0b101})};
  column.null_count = 1;
  EXPECT_EQ(fault(column), "");
}

TEST(ValidateColumn, NumbersThatOverflow) {
  Column column = ints({1});
  column.offset = INT64_MAX - 1;
  EXPECT_NE(fault(column), "");
  column.offset = INT64_MAX / 4;
  EXPECT_NE(fault(column), "");
  column.offset = 0;
  column.length = -1;
  EXPECT_EQ(fault(column), "column 'c': -1 rows from 0");
  Column rows{.type = fixed_size_list_type(column_type(TypeId::kNull), (int64_t{1} << 31) - 1)};
  rows.buffers = {{}};
  rows.length = int64_t{1} << 40;
  rows.children = {
      shared({.type = column_type(TypeId::kNull), .length = INT64_MAX - 8, .null_count = INT64_MAX - 8})};
  EXPECT_NE(fault(rows), "");
  column = ints({1, 2});
  column.buffers[1] = BufferRange(column.buffers[1].owner, 4, 8);
  EXPECT_EQ(fault(column), "column 'c': buffer 1 (values) is 8 bytes at 4 of a block of 8");
  column.buffers[1] = BufferRange(column.buffers[1].owner, 2, 4);
  column.length = 1;
  EXPECT_EQ(fault(column), "column 'c': buffer 1 (values) is not aligned to 4 bytes");
}

TEST(ValidateColumn, TypesAreChecked) {
  EXPECT_FALSE(check_type(*fixed_size_list_type(column_type(TypeId::kInt8), -1)).ok());
  EXPECT_FALSE(check_type(*dictionary_type(TypeId::kFloat, column_type(TypeId::kInt8))).ok());
  EXPECT_FALSE(check_type(*decimal128_type(39, 0)).ok());
  EXPECT_TRUE(check_type(*time_type(TimeUnit::kNano)).ok());
  ColumnType type = *tensor_type(DType::kFloat, {2, 3});
  EXPECT_TRUE(check_type(type).ok());
  type.tensor->permutation = {1, 1};
  EXPECT_FALSE(check_type(type).ok());
  type.tensor->permutation = {1, 0};
  EXPECT_TRUE(check_type(type).ok());
  type.list_size = 5;
  EXPECT_EQ(message(check_type(type)), "type: a tensor shape 2x3 does not have 5 elements");
  ColumnTypeRef deep = column_type(TypeId::kInt8);
  for (int depth = 1; depth < kMaxTypeDepth; ++depth) {
    deep = list_type(deep);
  }
  EXPECT_TRUE(check_type(*deep).ok());
  EXPECT_FALSE(check_type(*list_type(deep)).ok());
  ColumnTypeRef wide = column_type(TypeId::kInt8);
  for (int depth = 0; depth < 40; ++depth) {  // 2^40 parts, each shared
    wide = struct_type({{"a", wide, true, {}}, {"b", wide, true, {}}});
  }
  EXPECT_FALSE(check_type(*wide).ok());
}

TEST(Table, SlicesSelectsAndIsAStruct) {
  const Table table = *Table::of({{"n", ints({1, 2, 3})}, {"list", lists()}, {"word", words()}});
  EXPECT_TRUE(validate(table, ValidationLevel::kFull).ok());
  const Table part = *table.slice(1, 2);
  EXPECT_EQ((*part.column("n"))->values<int32_t>()[0], 2);
  EXPECT_EQ(message(part.column("m").status()),
            "there is no column 'm'; the columns are 'n', 'list', 'word'");
  const std::vector<std::string> names = {"word", "n"};
  EXPECT_EQ(part.select(names)->field(0).name, "word");
  const Column rows = part.as_struct();
  EXPECT_TRUE(validate(rows, ValidationLevel::kFull).ok());
  EXPECT_TRUE(equal_values(*Table::from_struct(rows), part));
  EXPECT_TRUE(equal_values(*Table::from_struct(*table.as_struct().slice(1, 2)), part));
  EXPECT_FALSE(equal_values(*table.slice(0, 2), part));
  EXPECT_EQ(message(Table::of({{"n", ints({1})}, {"list", lists()}}).status()),
            "column 'list' has 3 rows, the table 1");
  EXPECT_FALSE(table.slice(2, 2).ok());
}

}  // namespace
}  // namespace forebay::tensor
