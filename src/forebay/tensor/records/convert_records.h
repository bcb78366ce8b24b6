// Records to columns and back (AoS <-> SoA), for records described at run time. Windows of 16 bytes of
// neighbouring fields are transposed in registers; large outputs are written past the cache, whole lines at a
// time. The method, and what it gains, is in docs/design/columns.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/tensor/records/record_layout.h"

namespace forebay::tensor {

enum class Stores : uint8_t {
  kAuto,       // kStreaming for outputs of kStreamingBytes and more, where the columns are aligned
  kCached,     // what is written is read soon
  kStreaming,  // past the cache; outputs that are not aligned to 64 bytes are written as by kCached
};
inline constexpr int64_t kStreamingBytes = int64_t{4} << 20;

/// Ranges of records that several threads convert begin at multiples of this, so that every column's part
/// begins with a cache line of its own.
inline constexpr int64_t kRecordTile = 64;

/// Writes field i of every record behind each other to columns[i]; an empty column leaves that field out. The
/// number of records is records.size() / stride. Nothing overlaps. invalid_argument when the bytes are no
/// whole number of records, or a column is too small, or there is not one for each field. Not a copy, so not
/// counted, but for records of one field without padding.
Status split_records(const RecordLayout& layout, Bytes records, std::span<const MutableBytes> columns,
                     Stores stores = Stores::kAuto);

/// The opposite: every field from its column, padding bytes zero. An empty column gives zeroes.
Status join_records(const RecordLayout& layout, std::span<const Bytes> columns, MutableBytes records,
                    Stores stores = Stores::kAuto);

/// Where columns of `rows` records lie in one block: aligned to 64 bytes, padded to 64, and each skewed by
/// another 320 bytes, since columns at a distance of a power of two would share the same few sets of the
/// cache.
struct ColumnPlaces {
  std::vector<int64_t> offsets_bytes;  // of each field
  int64_t total_bytes = 0;
};
inline constexpr int64_t kColumnSkewBytes = 320;
/// resource_exhausted when that is more than 2^62 bytes.
Result<ColumnPlaces> place_columns(const RecordLayout& layout, int64_t rows);

}  // namespace forebay::tensor
