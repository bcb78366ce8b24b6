// The metadata at the end of a Parquet file: its columns, its row groups, and where each column of a row
// group is. https://github.com/apache/parquet-format (parquet.thrift)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/compression/unpack.h"
#include "forebay/dataset/parquet/parquet_schema.h"

namespace forebay::dataset {

/// The last bytes of a file: the metadata's length, and the format's name.
inline constexpr uint64_t kParquetTailBytes = 8;

/// A column of a row group. Its bytes are in the file.
struct ParquetChunk {
  uint64_t offset_bytes = 0;  // of its first page
  uint64_t length_bytes = 0;  // of all its pages
  uint64_t unpacked_bytes = 0;
  uint64_t values = 0;  // and nulls
  Compression compression = Compression::kNone;
  uint64_t page_index_offset = 0;  // where its pages are said to be
  uint64_t page_index_bytes = 0;   // 0: nowhere
  /// Why it cannot be read: data_loss for what is damaged or points outside of the file, unimplemented for
  /// what the format has but is not read here (LZO, encrypted columns, columns in other files). The rest is
  /// then not set.
  Status problem;
};

struct ParquetGroup {
  uint64_t first_row = 0;
  uint64_t rows = 0;
  uint64_t offset_bytes = 0;         // of its first chunk
  uint64_t length_bytes = 0;         // to the end of its last one
  std::vector<ParquetChunk> chunks;  // one for each leaf
};

struct ParquetFooter {
  std::vector<ParquetLeaf> leaves;  // all of them
  std::vector<ParquetGroup> groups;
  uint64_t rows = 0;
};

/// Returns the length of the metadata in front of the tail. data_loss if it is no Parquet file, or longer
/// than it; unimplemented if its metadata is encrypted.
Result<uint64_t> parquet_footer_bytes(Bytes tail, uint64_t file_bytes);

/// data_loss if the metadata is damaged; unimplemented if the file is encrypted.
Result<ParquetFooter> parse_parquet_footer(Bytes metadata, uint64_t file_bytes);

/// A page with values, according to the index of a chunk's pages.
struct ParquetPagePlace {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // its header included
  uint64_t first_row = 0;     // counted from the row group's first
};

/// data_loss if the index is damaged, or its pages are not in the chunk in the order of its rows.
Result<std::vector<ParquetPagePlace>> parse_parquet_page_index(Bytes index, const ParquetChunk& chunk,
                                                               uint64_t rows);

}  // namespace forebay::dataset
