// A table in one region of memory without pointers: written once, mapped by any process at any address, read
// in place. Little-endian, version 1:
//
//   header, 64 bytes       magic, version, sizes, rows, number of columns
//   description            metadata, fields and types, then for each column its length, null count and the
//                          place of each buffer as bytes from the header's first; children and dictionaries
//                          after their column
//   buffers                each aligned to 64 bytes and padded with zeroes
//
// Only the rows of a slice are packed: bitmaps are shifted and offsets rebased, so every packed column begins
// at row 0. The code that opens a region trusts nothing in it.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::tensor {

/// The plan for packing a table; keeps the table alive. write() may be called any number of times.
class PackPlan {
 public:
  /// Checks the table with kBounds; failed_precondition unless all of it is in host memory.
  static Result<PackPlan> make(const Table& table);

  uint64_t size_bytes() const { return size_bytes_; }
  /// Fills exactly the first size_bytes() bytes of `region`; copies are counted. invalid_argument if the
  /// region is too small.
  Status write(MutableBytes region) const;

 private:
  friend class Packer;
  enum class How : uint8_t { kCopy, kBits, kOffsets32, kOffsets64 };
  // `count` values of the source, starting at `first`, go to offset `target`, where they take `bytes`.
  struct Piece {
    How how;
    const std::byte* source;
    int64_t first;
    int64_t count;
    uint64_t target;
    uint64_t bytes;
  };

  static void write_piece(const Piece& piece, std::byte* to);

  Table table_;
  std::vector<std::byte> description_;  // including the header
  std::vector<Piece> pieces_;           // in order of target
  uint64_t size_bytes_ = 0;
};

struct OpenPackedOptions {
  /// Use kFull for data written by others. Use kBounds (O(columns), so opening takes microseconds) if the
  /// writer is trusted to write valid columns; all places are still checked.
  ValidationLevel validation = ValidationLevel::kFull;
  uint64_t max_description_bytes = uint64_t{64} << 20;
};

/// Opens the table in a region without a copy: its columns share the region's memory. The region begins with
/// the header, is aligned to 64 bytes, and must not be written while the table is in use (shared_table.h
/// seals it). data_loss, naming the part that is wrong, for everything that PackPlan would not have written.
Result<Table> open_packed(const BufferRange& region, const OpenPackedOptions& options = {});

}  // namespace forebay::tensor
