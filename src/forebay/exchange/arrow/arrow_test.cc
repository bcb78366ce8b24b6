// Columns across Arrow's C interfaces: out and back, and everything that a broken producer may pass.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrow/arrow_array.h"
#include "forebay/exchange/arrow/column_copy.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/column_builder.h"

namespace forebay::exchange {
namespace {

using tensor::Column;
using tensor::ColumnBuilder;
using tensor::Field;
using tensor::TypeId;

Column numbers(int64_t count) {
  ColumnBuilder builder(tensor::column_type(TypeId::kInt32));
  for (int32_t i = 0; i < count; ++i) {
    builder.append<int32_t>(i);
  }
  return *builder.finish();
}

Column words() {
  ColumnBuilder builder(tensor::column_type(TypeId::kUtf8));
  builder.append_text("one");
  builder.append_null();
  builder.append_text("three");
  return *builder.finish();
}

struct Exported {
  arrow::Owned<arrow::Schema> schema;
  arrow::Owned<arrow::Array> array;
};

Exported exported(const Column& column) {
  Exported out;
  arrow::Schema schema{};
  EXPECT_TRUE(export_schema(Field{"x", column.type}, &schema).ok());
  out.schema = arrow::Owned<arrow::Schema>(&schema);
  arrow::Array array{};
  EXPECT_TRUE(export_column(column, &array).ok());
  out.array = arrow::Owned<arrow::Array>(&array);
  return out;
}

TEST(Arrow, ColumnsComeBackOverTheSameMemory) {
  const Column struct_column = tensor::Table::of({{"n", numbers(3)}, {"w", words()}})->as_struct();
  for (const Column& column : {numbers(5), words(), struct_column, *numbers(9).slice(2, 5)}) {
    Exported out = exported(column);
    const uint64_t before = memory::bytes_copied();
    const Column back = *import_column(*out.schema, std::move(out.array));
    EXPECT_EQ(memory::bytes_copied(), before);
    EXPECT_TRUE(equal_values(back, column)) << column.type->to_string();
  }
  Exported out = exported(numbers(5));
  EXPECT_EQ(import_column(*out.schema, std::move(out.array))->buffers[1].data() == nullptr, false);
}

TEST(Arrow, EveryTypeHasAFormat) {
  const auto text = tensor::column_type(TypeId::kUtf8);
  std::vector<tensor::ColumnTypeRef> types = {
      tensor::fixed_binary_type(7),
      tensor::decimal128_type(20, 3),
      tensor::timestamp_type(tensor::TimeUnit::kMicro, "Europe/Berlin"),
      tensor::duration_type(tensor::TimeUnit::kNano),
      tensor::time_type(tensor::TimeUnit::kSecond),
      tensor::time_type(tensor::TimeUnit::kNano),
      tensor::list_type(text),
      tensor::large_list_type(text),
      tensor::fixed_size_list_type(text, 3),
      tensor::struct_type({{"a", text}, {"b", text, false}}),
      tensor::dictionary_type(TypeId::kInt16, text, true),
      tensor::tensor_type(tensor::DType::kFloat, {3, 4})};
  for (const TypeId id :
       {TypeId::kNull, TypeId::kBool, TypeId::kInt8, TypeId::kUint64, TypeId::kFloat16, TypeId::kFloat64,
        TypeId::kDate32, TypeId::kDate64, TypeId::kLargeUtf8, TypeId::kBinary, TypeId::kLargeBinary}) {
    types.push_back(tensor::column_type(id));
  }
  for (const auto& type : types) {
    arrow::Schema schema{};
    const Field field{"name", type, false, {{"key", "value"}, {"", ""}}};
    ASSERT_TRUE(export_schema(field, &schema).ok());
    const arrow::Owned<arrow::Schema> owned(&schema);
    EXPECT_EQ(*field_of(*owned), field) << type->to_string();
  }
}

TEST(Arrow, FormatsThatHaveNoCounterpart) {
  for (const char* format : {"", "x", "+", "+vl", "+r", "+us:0,1", "d:", "d:76,2,256", "d:0,1", "w:", "w:-1",
                             "w:9x", "+w:-2", "ts", "tsx:", "tdx", "tiM", "utf8"}) {
    EXPECT_FALSE(type_of_format(format).ok()) << format;
  }
  EXPECT_EQ(type_of_format("+m")->id, TypeId::kList);
  EXPECT_EQ(type_of_format("vz")->id, TypeId::kLargeBinary);
}

TEST(Arrow, MetadataThatEndTooEarly) {
  const std::string packed = pack_metadata({{"key", "value"}});
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(parse_metadata(std::as_bytes(std::span(packed).first(size))).ok());
  }
  EXPECT_TRUE(parse_metadata(std::as_bytes(std::span(packed))).ok());
}

TEST(Arrow, BrokenArraysAreRefused) {
  const auto breaks = {
      +[](arrow::Array& array) { array.length = -1; },
      +[](arrow::Array& array) { array.offset = -1; },
      +[](arrow::Array& array) { array.length = int64_t{1} << 60; },
      +[](arrow::Array& array) { array.null_count = -2; },
      +[](arrow::Array& array) { array.null_count = 99; },
      +[](arrow::Array& array) { array.n_buffers = 1; },
      +[](arrow::Array& array) { array.n_children = 1; },
      +[](arrow::Array& array) { array.buffers[0] = nullptr; },
      +[](arrow::Array& array) { array.buffers[1] = nullptr; },
      +[](arrow::Array& array) { array.buffers[2] = nullptr; },
      +[](arrow::Array& array) { array.dictionary = &array; },
      +[](arrow::Array& array) {
        const_cast<int32_t*>(static_cast<const int32_t*>(array.buffers[1]))[1] = 99;
      },
      +[](arrow::Array& array) {
        const_cast<int32_t*>(static_cast<const int32_t*>(array.buffers[1]))[3] = -4;
      },
  };
  for (const auto& break_it : breaks) {
    Exported out = exported(words());
    break_it(*out.array);
    EXPECT_FALSE(import_column(*out.schema, std::move(out.array)).ok());
  }
  Exported released = exported(words());
  arrow::release(*released.array);
  EXPECT_FALSE(import_column(*released.schema, std::move(released.array)).ok());
}

TEST(Arrow, ChildrenMayBeMovedOutAndTheParentReleased) {
  const Column whole = tensor::Table::of({{"n", numbers(3)}})->as_struct();
  Exported out = exported(whole);
  arrow::Array moved{};
  arrow::Owned<arrow::Array>(out.array->children[0]).move_to(&moved);
  arrow::release(*out.array);
  arrow::Owned<arrow::Array> child(&moved);
  EXPECT_EQ(static_cast<const int32_t*>(child->buffers[1])[2], 2);
}

TEST(Arrow, MisalignedBuffersAreCopied) {
  Exported out = exported(numbers(4));
  std::vector<std::byte> shifted(17);
  std::memcpy(shifted.data() + 1, out.array->buffers[1], 16);
  out.array->buffers[1] = shifted.data() + 1;
  Exported strict = exported(numbers(4));
  strict.array->buffers[1] = shifted.data() + 1;
  EXPECT_EQ(import_column(*out.schema, std::move(out.array))->values<int32_t>()[3], 3);
  EXPECT_FALSE(import_column(*strict.schema, std::move(strict.array), {.may_copy = false}).ok());
}

TEST(Arrow, ViewsOfTextBecomeText) {
  struct View {
    int32_t length;
    char bytes[12];
  };
  std::string longer = "0123456789abcdefghij";
  View views[3] = {{3, "abc"}, {20, {}}, {0, {}}};
  const int32_t place[2] = {0, 0};
  std::memcpy(views[1].bytes, "0123", 4);
  std::memcpy(views[1].bytes + 4, place, 8);
  int64_t sizes[1] = {20};
  const void* buffers[4] = {nullptr, views, longer.data(), sizes};
  const auto make = [&buffers] {
    arrow::Array raw{};
    raw.length = 3;
    raw.n_buffers = 4;
    raw.buffers = buffers;
    raw.release = [](arrow::Array* self) { self->release = nullptr; };
    return arrow::Owned<arrow::Array>(&raw);
  };
  arrow::Schema schema{};
  schema.format = "vu";
  schema.release = [](arrow::Schema* self) { self->release = nullptr; };
  const uint64_t before = memory::bytes_copied();
  const Column column = *import_column(schema, make());
  EXPECT_EQ(column.type->id, TypeId::kLargeUtf8);
  EXPECT_EQ(column.text_at(0), "abc");
  EXPECT_EQ(column.text_at(1), longer);
  EXPECT_EQ(column.text_at(2), "");
  EXPECT_EQ(memory::bytes_copied() - before, 23u);
  EXPECT_FALSE(import_column(schema, make(), {.may_copy = false}).ok());
  sizes[0] = 19;
  EXPECT_FALSE(import_column(schema, make()).ok());
}

TEST(Arrow, Streams) {
  ColumnChunks chunks{{"x", tensor::column_type(TypeId::kInt32)}, {numbers(3), numbers(2)}};
  arrow::Stream stream{};
  ASSERT_TRUE(export_stream(chunks, &stream).ok());
  const ColumnChunks back = *import_stream(arrow::Owned<arrow::Stream>(&stream));
  EXPECT_EQ(back.length(), 5);
  EXPECT_EQ(back.chunks[1].buffers[1].data(), chunks.chunks[1].buffers[1].data());
  const StridedArray array = *array_of(back, true);
  EXPECT_EQ(reinterpret_cast<const int32_t*>(array.data)[3], 0);
  EXPECT_FALSE(array_of(back, false).ok());
  EXPECT_FALSE(import_stream(arrow::Owned<arrow::Stream>()).ok());
}

TEST(Arrow, ProducersThatFailAreQuoted) {
  arrow::Stream stream{};
  stream.get_schema = [](arrow::Stream*, arrow::Schema*) { return 5; };
  stream.get_last_error = [](arrow::Stream*) -> const char* { return "the disk is gone"; };
  stream.release = [](arrow::Stream* self) { self->release = nullptr; };
  const Status status = import_stream(arrow::Owned<arrow::Stream>(&stream)).status();
  EXPECT_NE(message(status).find("the disk is gone"), std::string::npos);
}

TEST(ArrowDevice, HostMemoryAndEvents) {
  arrow::DeviceArray out{};
  ASSERT_TRUE(export_device_column(numbers(3), &out).ok());
  EXPECT_EQ(out.device_type, dlpack::kCpu);
  EXPECT_EQ(out.device_id, -1);
  EXPECT_EQ(out.sync_event, nullptr);
  arrow::Schema schema{};
  ASSERT_TRUE(export_schema(Field{"x", tensor::column_type(TypeId::kInt32)}, &schema).ok());
  const arrow::Owned<arrow::Schema> owned(&schema);
  int event = 0;
  out.sync_event = &event;
  out.device_type = dlpack::kCudaHost;
  static const void* waited = nullptr;
  set_event_wait([](void* seen, int32_t, int64_t) {
    waited = seen;
    return ok_status();
  });
  EXPECT_EQ(import_device_column(*owned, arrow::Owned<arrow::DeviceArray>(&out))->memory_kind(),
            memory::MemoryKind::kPinned);
  EXPECT_EQ(waited, &event);
  set_event_wait({});
  ASSERT_TRUE(export_device_column(numbers(3), &out).ok());
  out.sync_event = &event;
  EXPECT_FALSE(import_device_column(*owned, arrow::Owned<arrow::DeviceArray>(&out)).ok());
}

}  // namespace
}  // namespace forebay::exchange
