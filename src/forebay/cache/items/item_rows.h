// The rows of a table of items, as they lie in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "forebay/base/byte_source.h"
#include "forebay/base/crc32c.h"

namespace forebay::cache {

inline constexpr uint64_t kItemTableMagic = 0x0032534d45544946;  // "FITEMS2\0"
inline constexpr uint64_t kMaxTableObjects = std::numeric_limits<uint32_t>::max();
inline constexpr uint64_t kMaxTableItems = std::numeric_limits<uint32_t>::max();
inline constexpr uint64_t kMaxTableShards = uint64_t{1} << 22;
inline constexpr uint64_t kMaxEmptyShards = uint64_t{1} << 16;
inline constexpr uint64_t kMaxItemOffset = uint64_t{1} << 62;
inline constexpr uint32_t kItemIsRead = 1;
inline constexpr uint32_t kItemIsToEnd = 2;

struct ItemTableHeader {
  uint64_t magic = kItemTableMagic;
  uint64_t objects = 0;
  uint64_t items = 0;
  uint64_t shards = 0;
  uint64_t names_bytes = 0;
  uint32_t has_order = 0;
  uint32_t crc = 0;  // over all that follows, begun with that over the fields before
};
static_assert(sizeof(ItemTableHeader) == 48);

struct TableObjectRow {
  uint64_t name_offset = 0;
  uint32_t name_bytes = 0;
  uint32_t version_bytes = 0;  // follows the name
  uint64_t first_item = 0;
  uint64_t items = 0;
};
static_assert(sizeof(TableObjectRow) == 32);

struct TableItemRow {
  uint32_t object = 0;
  uint32_t flags = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};
static_assert(sizeof(TableItemRow) == 24);

template <class Row>
Row load_row(const std::byte* table, uint64_t row) {
  Row value;
  std::memcpy(&value, table + row * sizeof(Row), sizeof(Row));
  return value;
}

inline uint32_t table_crc(const ItemTableHeader& header, Bytes content) {
  return crc32c(content, crc32c(std::as_bytes(std::span(&header, 1)).first(offsetof(ItemTableHeader, crc))));
}

}  // namespace forebay::cache
