// The values of a Parquet column, as they are stored: of one width each, or of their own lengths. Values of a
// dictionary come first, those of pages without one behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/parquet/parquet_page.h"

namespace forebay::dataset {

class ColumnValues {
 public:
  /// `most_bytes`: what the values may take.
  ColumnValues(const ParquetLeaf& leaf, uint64_t most_bytes)
      : type_(leaf.type), width_(leaf.width), most_bytes_(most_bytes) {}

  /// Appends the first `count` values of a page's content, in any coding but those of dictionaries. data_loss
  /// if they are not there; unimplemented for a coding that does not go with the type; resource_exhausted
  /// beyond the limit.
  Status append(ParquetCoding coding, Bytes content, uint64_t count);

  uint64_t count() const { return width_ > 0 ? data_.size() / width_ : ends_.size(); }
  Bytes value(uint64_t number) const;
  /// The bytes of values that are neighbours, of types that have a width.
  Bytes values(uint64_t first, uint64_t count) const {
    return Bytes(data_).subspan(first * width_, count * width_);
  }
  uint64_t size_bytes() const { return data_.size() + ends_.size() * sizeof(uint64_t); }

 private:
  Status check_room(uint64_t more_bytes) const;
  Status add(Bytes value);

  Status append_plain(Bytes content, uint64_t count);
  Status append_truths(Bytes content, uint64_t count);
  Status append_truth_runs(Bytes content, uint64_t count);
  Status append_texts(Bytes content, uint64_t count);
  Status append_delta_numbers(Bytes content, uint64_t count);
  Status append_delta_lengths(Bytes content, uint64_t count);
  Status append_delta_bytes(Bytes content, uint64_t count);
  Status append_split(Bytes content, uint64_t count);

  ParquetType type_;
  uint32_t width_;
  uint64_t most_bytes_;
  std::vector<std::byte> data_;
  std::vector<uint64_t> ends_;  // of values without a width, in data_
};

}  // namespace forebay::dataset
