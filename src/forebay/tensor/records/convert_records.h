// Converts records to columns and back (AoS <-> SoA), for records described at run time. Windows of 16 bytes
// of neighbouring fields are transposed in registers; large outputs are written past the cache, whole lines
// at a time. docs/design/columns.md describes the method and its gain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/tensor/records/record_layout.h"

namespace forebay::tensor {

enum class Stores : uint8_t {
  kAuto,       // kStreaming for outputs of at least kStreamingBytes if the columns are aligned
  kCached,     // the output is read soon
  kStreaming,  // past the cache; outputs not aligned to 64 bytes are written like kCached
};
inline constexpr int64_t kStreamingBytes = int64_t{4} << 20;

/// If several threads convert ranges of records, the ranges should begin at multiples of this, so that no two
/// parts of a column share a cache line.
inline constexpr int64_t kRecordTile = 64;

/// Writes field i of all records consecutively to columns[i]; an empty column skips the field. The number of
/// records is records.size() / stride. Nothing may overlap. invalid_argument if the bytes are not a whole
/// number of records, a column is too small, or there is not one column for each field. Not counted as a
/// copy, except for records of a single field without padding.
Status split_records(const RecordLayout& layout, Bytes records, std::span<const MutableBytes> columns,
                     Stores stores = Stores::kAuto);

/// The reverse: every field comes from its column, padding bytes are zero. An empty column gives zeroes.
Status join_records(const RecordLayout& layout, std::span<const Bytes> columns, MutableBytes records,
                    Stores stores = Stores::kAuto);

/// Where the columns of `rows` records are placed in one block: aligned to 64 bytes, padded to 64, and each
/// shifted by another 320 bytes, because columns whose distance is a power of two would compete for the same
/// few cache sets.
struct ColumnPlaces {
  std::vector<int64_t> offsets_bytes;  // one per field
  int64_t total_bytes = 0;
};
inline constexpr int64_t kColumnSkewBytes = 320;
/// resource_exhausted if the total exceeds 2^62 bytes.
Result<ColumnPlaces> place_columns(const RecordLayout& layout, int64_t rows);

}  // namespace forebay::tensor
