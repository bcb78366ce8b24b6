// A page of a Parquet column: its header, and its bytes unpacked and divided into levels and values.
// https://github.com/apache/parquet-format (parquet.thrift, README.md: data pages)
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/compression/unpack.h"
#include "forebay/dataset/parquet/parquet_schema.h"

namespace forebay::dataset {

/// How values are coded; the numbers are the format's.
enum class ParquetCoding : int8_t {
  kPlain = 0,
  kPlainDictionary = 2,
  kRuns = 3,
  kDeltaNumbers = 5,
  kDeltaLengths = 6,
  kDeltaBytes = 7,
  kDictionary = 8,
  kSplitStreams = 9,
};

struct ParquetPage {
  enum class Kind : uint8_t { kData, kDictionary, kOther };

  Kind kind = Kind::kOther;
  uint64_t values = 0;  // and nulls
  ParquetCoding coding = ParquetCoding::kPlain;
  Bytes repetition;  // levels as runs; empty where the column has none
  Bytes definition;
  Bytes content;
  uint64_t end = 0;  // where in `pages` the page ends

  std::vector<std::byte> unpacked;  // what the above may point to
};

/// Reads the page at `offset` of `pages`, and checks its checksum if it has one. `most_bytes`: what an
/// unpacked page may take; resource_exhausted beyond. data_loss if the page is damaged or is not all there;
/// unimplemented for codings of levels that nobody has written for years.
Result<ParquetPage> read_parquet_page(Bytes pages, uint64_t offset, const ParquetLeaf& leaf,
                                      Compression compression, uint64_t most_bytes);

}  // namespace forebay::dataset
