#include "forebay/tensor/records/convert_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::tensor {
namespace {

using ::testing::HasSubstr;

constexpr std::byte kGuard{0xEE};
constexpr size_t kGuardBytes = 64;

// `size` bytes that begin `shift` bytes after a cache line boundary, with guards on both sides, in a block of
// exactly that size.
class Guarded {
 public:
  explicit Guarded(size_t size, size_t shift = 0)
      : size_(size),
        shift_(shift),
        block_(*memory::Buffer::allocate(size + shift + 2 * kGuardBytes, memory::host_resource())) {
    std::fill(block_->mutable_bytes().begin(), block_->mutable_bytes().end(), kGuard);
  }
  MutableBytes bytes() const { return block_->mutable_bytes().subspan(kGuardBytes + shift_, size_); }
  bool is_intact() const {
    const auto is_guard = [](std::byte byte) { return byte == kGuard; };
    const Bytes all = block_->bytes();
    return std::all_of(all.begin(), all.begin() + kGuardBytes + shift_, is_guard) &&
           std::all_of(all.end() - kGuardBytes, all.end(), is_guard);
  }

 private:
  size_t size_;
  size_t shift_;
  memory::BufferRef block_;
};

void fill(MutableBytes bytes, uint32_t seed) {
  std::minstd_rand random(seed + 1);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random() >> 8);
  }
}

// Checks split_records against the simplest implementation.
void expect_split(const RecordLayout& layout, Bytes records, const std::vector<Guarded>& columns) {
  const int64_t stride = layout.stride_bytes();
  for (int i = 0; i < layout.field_count(); ++i) {
    const RecordField& field = layout.fields()[i];
    const int64_t width = field.size_bytes();
    for (int64_t row = 0; row < static_cast<int64_t>(records.size()) / stride; ++row) {
      ASSERT_EQ(std::memcmp(columns[i].bytes().data() + row * width,
                            records.data() + row * stride + field.offset_bytes, width),
                0)
          << "field " << field.name << " of " << layout.field_count() << ", row " << row;
    }
  }
}

// The records with zeroed padding.
std::vector<std::byte> without_padding(const RecordLayout& layout, Bytes records) {
  std::vector<std::byte> clean(records.size());
  for (size_t record = 0; record < records.size(); record += layout.stride_bytes()) {
    for (const RecordField& field : layout.fields()) {
      std::memcpy(&clean[record + field.offset_bytes], &records[record + field.offset_bytes],
                  field.size_bytes());
    }
  }
  return clean;
}

void expect_both_ways(const RecordLayout& layout, int64_t count, Stores stores, size_t shift = 0) {
  SCOPED_TRACE(::testing::Message() << layout.field_count() << " fields, stride " << layout.stride_bytes()
                                    << ", " << count << " records, shift " << shift);
  const size_t record_bytes = count * layout.stride_bytes();
  const Guarded records(record_bytes, shift);
  fill(records.bytes(), static_cast<uint32_t>(count));
  std::vector<Guarded> columns;
  std::vector<MutableBytes> out;
  std::vector<Bytes> in;
  for (const RecordField& field : layout.fields()) {
    columns.emplace_back(count * field.size_bytes(), shift);
    out.push_back(columns.back().bytes());
    in.push_back(columns.back().bytes());
  }
  ASSERT_TRUE(split_records(layout, records.bytes(), out, stores).ok());
  expect_split(layout, records.bytes(), columns);
  const Guarded back(record_bytes, shift);
  ASSERT_TRUE(join_records(layout, in, back.bytes(), stores).ok());
  EXPECT_TRUE(std::ranges::equal(back.bytes(), without_padding(layout, records.bytes())));
  EXPECT_TRUE(back.is_intact());
  for (const Guarded& column : columns) {
    EXPECT_TRUE(column.is_intact());
  }
}

RecordLayout same_fields(int count, DType dtype) {
  std::vector<RecordField> fields;
  for (int i = 0; i < count; ++i) {
    fields.push_back({std::to_string(i), dtype});
  }
  return *RecordLayout::packed(fields);
}

TEST(ConvertRecords, OneToSixtyFourFieldsOfOneWidth) {
  for (const DType dtype : {DType::kUint8, DType::kInt16, DType::kFloat, DType::kFloat64}) {
    for (int fields = 1; fields <= 64; ++fields) {
      for (const Stores stores : {Stores::kCached, Stores::kStreaming}) {
        expect_both_ways(same_fields(fields, dtype), 203, stores);
      }
    }
  }
}

TEST(ConvertRecords, AnyNumberOfRecordsAndAnyAlignment) {
  const RecordLayout mixed = *RecordLayout::packed({{"a", DType::kFloat64},
                                                    {"b", DType::kFloat},
                                                    {"c", DType::kUint8, 3},
                                                    {"d", DType::kUint16},
                                                    {"e", DType::kBool},
                                                    {"f", DType::kFloat, 3}});
  for (const RecordLayout& layout : {mixed, same_fields(3, DType::kFloat), same_fields(2, DType::kUint8)}) {
    for (int64_t count = 0; count < 200; ++count) {
      expect_both_ways(layout, count, Stores::kStreaming);
    }
    for (const size_t shift : {1, 4, 8, 32, 63}) {
      expect_both_ways(layout, 150, Stores::kStreaming, shift);
      expect_both_ways(layout, 150, Stores::kCached, shift);
    }
  }
}

TEST(ConvertRecords, RandomLayoutsWithPadding) {
  std::minstd_rand random(7);
  constexpr DType kTypes[] = {DType::kUint8, DType::kInt16, DType::kFloat16, DType::kInt32,
                              DType::kFloat, DType::kInt64, DType::kBool};
  for (int round = 0; round < 300; ++round) {
    std::vector<RecordField> fields;
    int64_t end = 0;
    for (int i = 1 + random() % 24; i > 0; --i) {
      const int64_t count = random() % 4 == 0 ? 1 + random() % 40 : 1;
      end += random() % 3 == 0 ? random() % 9 : 0;
      fields.push_back({std::to_string(i), kTypes[random() % std::size(kTypes)], count, end});
      end += fields.back().size_bytes();
    }
    std::shuffle(fields.begin(), fields.end(), random);
    const RecordLayout layout = *RecordLayout::make(fields, end + random() % 20);
    expect_both_ways(layout, random() % 300, round % 2 == 0 ? Stores::kStreaming : Stores::kCached);
  }
}

TEST(ConvertRecords, FieldsMayBeLeftOut) {
  const RecordLayout layout = same_fields(8, DType::kFloat);
  const Guarded records(100 * layout.stride_bytes());
  fill(records.bytes(), 1);
  const Guarded column(100 * sizeof(float));
  std::vector<MutableBytes> out(8);
  out[5] = column.bytes();
  ASSERT_TRUE(split_records(layout, records.bytes(), out).ok());
  std::vector<Bytes> in(8);
  in[5] = column.bytes();
  const Guarded back(100 * layout.stride_bytes());
  ASSERT_TRUE(join_records(layout, in, back.bytes()).ok());
  const RecordLayout only = *RecordLayout::make({layout.fields()[5]}, layout.stride_bytes());
  EXPECT_TRUE(std::ranges::equal(back.bytes(), without_padding(only, records.bytes())));
}

TEST(ConvertRecords, LargeOutputsGoPastTheCacheByThemselves) {
  const RecordLayout layout = same_fields(5, DType::kFloat);
  expect_both_ways(layout, kStreamingBytes / 20 + 77, Stores::kAuto);
}

TEST(ConvertRecords, ConvertingIsNotCopyingButForOneField) {
  const uint64_t before = memory::bytes_copied();
  expect_both_ways(same_fields(4, DType::kFloat), 1000, Stores::kAuto);
  EXPECT_EQ(memory::bytes_copied(), before);
  expect_both_ways(same_fields(1, DType::kFloat), 1000, Stores::kAuto);
  EXPECT_EQ(memory::bytes_copied(), before + 8000);
}

TEST(ConvertRecords, WrongSizesAreRefused) {
  const RecordLayout layout = same_fields(2, DType::kFloat);
  std::vector<std::byte> bytes(64);
  const MutableBytes all(bytes);
  const std::vector<MutableBytes> columns = {all.first(12), all.first(16)};
  EXPECT_EQ(message(split_records(layout, all.first(33), columns)),
            "33 bytes are not a whole number of records of 8");
  EXPECT_EQ(message(split_records(layout, all.first(32), columns)),
            "column '0' has 12 bytes; 4 records need 16");
  EXPECT_EQ(message(split_records(layout, all.first(32), std::span(columns).first(1))),
            "1 columns for 2 fields");
}

TEST(PlaceColumns, AlignedPaddedAndSkewed) {
  const RecordLayout layout = same_fields(16, DType::kFloat);
  const ColumnPlaces places = *place_columns(layout, 1 << 20);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(places.offsets_bytes[i] % 4096, i * 320 % 4096);
    EXPECT_GE((i == 15 ? places.total_bytes : places.offsets_bytes[i + 1]) - places.offsets_bytes[i],
              4 << 20);
  }
  EXPECT_LT(places.total_bytes, (64 << 20) + 16 * 4096);
  EXPECT_EQ(place_columns(layout, 0)->offsets_bytes.size(), 16);
  EXPECT_EQ(place_columns(layout, INT64_MAX / 8).status().code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(place_columns(layout, -1).ok());
}

// ---- layouts

enum class Colour : uint8_t { kRed };

struct Event {
  double time;
  float position[3];
  Colour colour;
  bool is_last;
  std::array<int16_t, 4> channels;
};

TEST(RecordLayout, OfAStructure) {
  constexpr auto kTime = member("time", &Event::time);
  static_assert(kTime.kDType == DType::kFloat64 && kTime.kCount == 1);
  static_assert(decltype(member("position", &Event::position))::kCount == 3);
  const RecordLayout layout =
      *record_layout_of(kTime, member("position", &Event::position), member("colour", &Event::colour),
                        member("is_last", &Event::is_last), member("channels", &Event::channels));
  EXPECT_EQ(layout.stride_bytes(), sizeof(Event));
  EXPECT_EQ(layout.fields()[1], (RecordField{"position", DType::kFloat, 3, offsetof(Event, position), {3}}));
  EXPECT_EQ(layout.fields()[2], (RecordField{"colour", DType::kUint8, 1, offsetof(Event, colour)}));
  EXPECT_EQ(layout.fields()[4], (RecordField{"channels", DType::kInt16, 4, offsetof(Event, channels), {4}}));
  EXPECT_EQ(layout.find("is_last"), 3);
  EXPECT_EQ(layout.find("first"), -1);

  std::vector<Event> events(100);
  for (int i = 0; i < 100; ++i) {
    events[i].time = i;
  }
  std::vector<double> times(100);
  std::vector<MutableBytes> columns(5);
  columns[0] = std::as_writable_bytes(std::span(times));
  ASSERT_TRUE(split_records(layout, std::as_bytes(std::span(events)), columns).ok());
  EXPECT_EQ(times[77], 77);
}

TEST(RecordLayout, PlacesFieldsAsCDoes) {
  const RecordLayout layout =
      *RecordLayout::aligned({{"a", DType::kUint8}, {"b", DType::kFloat64}, {"c", DType::kInt16}});
  EXPECT_EQ(layout.fields()[1].offset_bytes, 8);
  EXPECT_EQ(layout.stride_bytes(), 24);
  EXPECT_EQ(layout.payload_bytes(), 11);
  EXPECT_EQ(RecordLayout::packed(layout.fields())->stride_bytes(), 11);
}

TEST(RecordLayout, WhatIsNoRecordIsRefused) {
  const auto words = [](std::vector<RecordField> fields, int64_t stride) {
    return std::string(message(RecordLayout::make(std::move(fields), stride).status()));
  };
  EXPECT_THAT(words({}, 4), HasSubstr("a record of 0 fields"));
  EXPECT_THAT(words({{"a", DType::kFloat}}, 0), HasSubstr("a record of 0 bytes"));
  EXPECT_THAT(words({{"a", DType::kNone}}, 4), HasSubstr("no element type"));
  EXPECT_THAT(words({{"a", DType::kFloat, 0}}, 4), HasSubstr("has 0 elements"));
  EXPECT_THAT(words({{"a", DType::kFloat, INT64_MAX}}, 4), HasSubstr("elements"));
  EXPECT_THAT(words({{"a", DType::kFloat, 1, 1}}, 4), HasSubstr("is not within a record of 4"));
  EXPECT_THAT(words({{"a", DType::kFloat, 1, INT64_MAX}}, 4), HasSubstr("is not within a record of 4"));
  EXPECT_THAT(words({{"a", DType::kFloat, 1, 2}, {"b", DType::kFloat, 1, 0}}, 8),
              HasSubstr("'b' and 'a' overlap"));
  EXPECT_THAT(words({{"a", DType::kFloat}, {"a", DType::kFloat, 1, 4}}, 8), HasSubstr("called 'a'"));
}

}  // namespace
}  // namespace forebay::tensor
