#include "forebay/tensor/columns/packed_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/packed_format.h"
#include "forebay/tensor/testing/sample_table.h"

namespace forebay::tensor {
namespace {

using ::testing::HasSubstr;
using testing::sample_table;

BufferRange packed(const Table& table) {
  const PackPlan plan = *PackPlan::make(table);
  const memory::BufferRef region = *memory::Buffer::allocate(plan.size_bytes());
  std::memset(region->data(), 0xAB, region->size_bytes());
  EXPECT_TRUE(plan.write(region->mutable_bytes()).ok());
  return region;
}

// A copy in a block of exactly that size, so that the sanitizer detects reads past the end.
BufferRange copy_of(const BufferRange& region, size_t bytes) {
  const memory::BufferRef copy = *memory::Buffer::allocate(bytes, memory::host_resource());
  std::memcpy(copy->data(), region.data(), bytes);
  return copy;
}

PackedHeader& header_of(const BufferRange& region) {
  return *static_cast<PackedHeader*>(region.owner->data());
}

TEST(PackedTable, ComesBackWithoutACopy) {
  const Table table = sample_table(100);
  ASSERT_TRUE(validate(table, ValidationLevel::kFull).ok()) << validate(table, ValidationLevel::kFull);
  const BufferRange region = packed(table);
  const uint64_t before = memory::bytes_copied();
  const Table back = *open_packed(region);
  EXPECT_LE(memory::bytes_copied() - before, 4096);  // only the description was copied
  EXPECT_TRUE(equal_values(back, table));
  for (const BufferRange& buffer : back.column(0).buffers) {
    EXPECT_EQ(buffer.owner, region.owner);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0);
  }
  EXPECT_EQ(back.field(3).type->to_string(), "timestamp<us, UTC>");
}

TEST(PackedTable, SlicesOfAnyOffsetPackOnlyTheirRows) {
  const Table table = sample_table(64);
  for (int64_t first = 0; first < 20; ++first) {
    for (const int64_t count : {0, 1, 7, 8, 9, 31, 44}) {
      const Table part = *table.slice(first, count);
      const BufferRange region = packed(part);
      const auto back = open_packed(region);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(equal_values(*back, part)) << first << " " << count;
    }
  }
  EXPECT_LT(PackPlan::make(*table.slice(3, 2))->size_bytes(), PackPlan::make(table)->size_bytes() / 2);
}

TEST(PackedTable, TheSameTableGivesTheSameBytes) {
  const Table table = sample_table(33);
  const BufferRange first = packed(table);
  const BufferRange second = packed(table);
  ASSERT_EQ(first.size_bytes, second.size_bytes);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size_bytes), 0);
  // A packed table packs to itself: its offsets already start at row 0.
  const BufferRange again = packed(*open_packed(first));
  ASSERT_EQ(again.size_bytes, first.size_bytes);
  EXPECT_EQ(std::memcmp(again.data(), first.data(), first.size_bytes), 0);
}

TEST(PackedTable, TablesWithoutRowsOrColumns) {
  EXPECT_TRUE(equal_values(*open_packed(packed(sample_table(0))), sample_table(0)));
  EXPECT_TRUE(equal_values(*open_packed(packed(Table())), Table()));
  EXPECT_EQ(open_packed(packed(*Table::make({}, {}, 7)))->rows(), 7);
}

TEST(PackedTable, RegionsThatDoNotFit) {
  const PackPlan plan = *PackPlan::make(sample_table(3));
  const memory::BufferRef small = *memory::Buffer::allocate(plan.size_bytes() - 1);
  EXPECT_EQ(plan.write(small->mutable_bytes()).code(), StatusCode::kInvalidArgument);
  const BufferRange region = packed(sample_table(3));
  EXPECT_EQ(open_packed({region.owner, 8, region.size_bytes - 8}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(open_packed({}).status().code(), StatusCode::kFailedPrecondition);
}

struct BrokenHeader {
  const char* name;
  void (*damage)(PackedHeader&);
  const char* words;
};

const BrokenHeader kBroken[] = {
    {"another magic", [](PackedHeader& h) { h.magic += 1; }, "not a table"},
    {"a later version", [](PackedHeader& h) { h.version = 2; }, "version 2"},
    {"another header", [](PackedHeader& h) { h.header_bytes = 128; }, "a header of 128 bytes"},
    {"larger than the region", [](PackedHeader& h) { h.total_bytes += 64; }, "in a region of"},
    {"no bytes", [](PackedHeader& h) { h.total_bytes = 0; }, "a table of 0 bytes"},
    {"all bytes there are", [](PackedHeader& h) { h.total_bytes = UINT64_MAX; }, "in a region of"},
    {"cut buffers", [](PackedHeader& h) { h.total_bytes -= 64; }, "a buffer of"},
    {"a long description", [](PackedHeader& h) { h.description_bytes = UINT64_MAX - 8; },
     "with a description of"},
    {"a short description", [](PackedHeader& h) { h.description_bytes -= 1; }, "the description ends early"},
    {"an empty description", [](PackedHeader& h) { h.description_bytes = 0; }, "end early"},
    {"more rows", [](PackedHeader& h) { h.rows += 1; }, "rows, the table"},
    {"rows without end", [](PackedHeader& h) { h.rows = UINT64_MAX; }, "rows"},
    {"fewer columns", [](PackedHeader& h) { h.columns -= 1; }, "packed table"},
    {"more columns", [](PackedHeader& h) { h.columns += 1; }, "packed table"},
    {"columns without end", [](PackedHeader& h) { h.columns = UINT32_MAX; }, "columns"},
};

TEST(PackedTable, EachBrokenHeaderIsNamed) {
  const BufferRange good = packed(sample_table(20));
  for (const BrokenHeader& broken : kBroken) {
    const BufferRange region = copy_of(good, good.size_bytes);
    broken.damage(header_of(region));
    const auto table = open_packed(region);
    ASSERT_FALSE(table.ok()) << broken.name;
    EXPECT_EQ(table.status().code(), StatusCode::kDataLoss) << broken.name;
    EXPECT_THAT(std::string(message(table.status())), HasSubstr(broken.words)) << broken.name;
  }
  OpenPackedOptions options;
  options.max_description_bytes = 100;
  EXPECT_EQ(open_packed(good, options).status().code(), StatusCode::kResourceExhausted);
}

TEST(PackedTable, EveryCutIsRefused) {
  const BufferRange good = packed(sample_table(5));
  for (size_t bytes = 0; bytes < good.size_bytes; bytes += bytes < 256 ? 1 : 37) {
    EXPECT_EQ(open_packed(copy_of(good, bytes)).status().code(), StatusCode::kDataLoss) << bytes;
  }
}

TEST(PackedTable, AnyDamagedByteIsRefusedOrHarmless) {
  const Table table = sample_table(9);
  const BufferRange good = packed(table);
  int refused = 0;
  for (size_t at = 0; at < good.size_bytes; ++at) {
    for (const uint8_t flip : {0x01, 0x80, 0xFF}) {
      const BufferRange region = copy_of(good, good.size_bytes);
      static_cast<uint8_t*>(region.owner->data())[at] ^= flip;
      const auto opened = open_packed(region);
      if (!opened.ok()) {
        ++refused;
        EXPECT_TRUE(opened.status().code() == StatusCode::kDataLoss ||
                    opened.status().code() == StatusCode::kResourceExhausted)
            << opened.status();
        continue;
      }
      if (opened->rows() <= 9) {
        (void)equal_values(opened->as_struct(), table.as_struct());  // reads every value
        (void)equal_values(opened->as_struct(), opened->as_struct());
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace forebay::tensor
