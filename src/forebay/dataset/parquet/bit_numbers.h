// Numbers of few bits, as pages of Parquet hold levels, numbers of dictionary entries and differences.
// https://github.com/apache/parquet-format (Encodings.md)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// Reads numbers of `bits` bits each (0 to 64) one after the other, the least significant bits first. Bits
/// behind the end are zeros.
class BitNumbers {
 public:
  explicit BitNumbers(Bytes bytes) : bytes_(bytes) {}

  uint64_t next(int bits);

 private:
  Bytes bytes_;
  uint64_t bit_ = 0;
};

/// Takes a varint (LEB128) off the front; data_loss if there is none of at most 64 bits.
Result<uint64_t> take_varint(Bytes* bytes);

/// The coding RLE: runs of equal numbers, and of packed ones. Fills all of `out`; data_loss if there are
/// fewer numbers, or one above `most`. `bits`: 0 to 32.
Status decode_runs(Bytes bytes, int bits, uint32_t most, std::span<uint32_t> out);

/// The coding DELTA_BINARY_PACKED. Takes it off the front. data_loss if it is damaged or has more than
/// `most_count` numbers.
Result<std::vector<int64_t>> take_delta_numbers(Bytes* bytes, uint64_t most_count);

/// How many bits the numbers 0 to `most` take.
int bits_of(uint32_t most);

}  // namespace forebay::dataset
