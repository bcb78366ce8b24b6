// A table in one piece of memory with no pointer inside: written once, mapped by any process at any address,
// read in place. Little-endian, version 1:
//
//   header, 64 bytes       magic, version, sizes, rows, number of columns
//   description            metadata, fields and types, then for each column its length, null count and the
//                          place of each buffer as bytes from the header's first; children and dictionaries
//                          after their column
//   buffers                each aligned to 64 bytes and padded with zeroes
//
// Only the rows of a slice are packed: bitmaps are shifted and offsets rebased, so that every packed column
// begins at row 0. Whoever opens a region trusts nothing in it.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/tensor/columns/table.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::tensor {

/// What packing a table takes; it keeps the table alive. write() may be called any number of times.
class PackPlan {
 public:
  /// The table is checked by kBounds; failed_precondition unless all of it lies in memory of the host.
  static Result<PackPlan> make(const Table& table);

  uint64_t size_bytes() const { return size_bytes_; }
  /// Fills the first size_bytes() bytes of `region`, every one of them; copies are counted. invalid_argument
  /// when it is too small.
  Status write(MutableBytes region) const;

 private:
  friend class Packer;
  enum class How : uint8_t { kCopy, kBits, kOffsets32, kOffsets64 };
  // `count` values of the source from `first` on go to byte `target`, where they take `bytes`.
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
  std::vector<std::byte> description_;  // with the header
  std::vector<Piece> pieces_;           // in order of target
  uint64_t size_bytes_ = 0;
};

struct OpenPackedOptions {
  /// kFull for what another hand has written. kBounds (O(columns), so opening takes microseconds) when the
  /// writer is trusted to write valid columns; every place is still checked.
  ValidationLevel validation = ValidationLevel::kFull;
  uint64_t max_description_bytes = uint64_t{64} << 20;
};

/// The table that lies in a region, without a copy: its columns share the region's memory. The region begins
/// with the header, aligned to 64 bytes, and nobody may write to it as long as the table is used
/// (shared_table.h seals it). data_loss, with the part that is wrong, for everything that PackPlan would not
/// have written.
Result<Table> open_packed(const BufferRange& region, const OpenPackedOptions& options = {});

}  // namespace forebay::tensor
