// Rows of one column of a Parquet file, decoded: what several samples share. A row becomes a tensor.
//
// A number: a scalar. Text and bytes: uint8 [n]. A list: [n], or [n, m...] for lists of lists that are all
// equally long; of values of a fixed number of bytes: [..., bytes].
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "forebay/dataset/blocks/block_cache.h"
#include "forebay/dataset/parquet/column_values.h"
#include "forebay/tensor/tensor.h"

namespace forebay::dataset {

/// What stands for null: an element's bytes. A null text is empty, and so is a null list.
using NullFill = std::vector<std::byte>;

/// Returns the bytes of `value` as an element; invalid_argument if the type does not have that value.
Result<NullFill> null_fill(double value, tensor::DType dtype);

/// Immutable once made; thread safe.
class ColumnBlock final : public Block {
 public:
  uint64_t size_bytes() const override;
  uint64_t rows() const { return row_starts_.empty() ? slots_ : row_starts_.size() - 1; }

  /// The row as a tensor with memory of its own. `row`: below rows(). `fill`: null: nulls are data_loss.
  /// Lists of lists of different lengths are data_loss.
  Result<tensor::Tensor> row(uint64_t row, const NullFill* fill) const;

 private:
  friend class ColumnBlockBuilder;
  ColumnBlock(const ParquetLeaf& leaf, uint64_t most_bytes) : leaf_(leaf), values_(leaf, most_bytes) {}

  /// A slot is a value, or stands for one that is not there.
  static constexpr uint32_t kNull = 0xffffffff;
  static constexpr uint32_t kEmptyList = 0xfffffffe;
  static constexpr uint32_t kNullList = 0xfffffffd;
  static constexpr uint32_t kMaxValues = 0xfffffff0;

  struct Slots {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t count() const { return end - begin; }
  };
  uint32_t value_of(uint64_t slot) const {
    return value_of_.empty() ? static_cast<uint32_t>(slot) : value_of_[slot];
  }
  Slots slots_of(uint64_t row) const;
  Result<tensor::Shape> lists_of(Slots* slots, const NullFill* fill) const;
  Result<tensor::Tensor> text_of(uint64_t slot, const NullFill* fill) const;
  Result<tensor::Tensor> elements_of(Slots slots, const tensor::TensorSpec& spec, const NullFill* fill) const;

  const ParquetLeaf leaf_;
  uint64_t slots_ = 0;
  std::vector<uint64_t> row_starts_;  // of columns with lists: first slots, and the end
  std::vector<uint8_t> repetition_;   // by slot, of columns with lists of lists
  std::vector<uint32_t> value_of_;    // by slot; empty: each slot is the value of its number
  ColumnValues values_;
};

/// Puts a block together from pages. Not thread safe.
class ColumnBlockBuilder {
 public:
  /// `most_bytes`: what the block may take; resource_exhausted beyond.
  ColumnBlockBuilder(const ParquetLeaf& leaf, uint64_t most_bytes)
      : most_bytes_(most_bytes), block_(new ColumnBlock(leaf, most_bytes)) {}

  /// A dictionary must come before pages of data. data_loss if the page is damaged.
  Status add(const ParquetPage& page);
  /// How many values and nulls pages of data have had.
  uint64_t slots() const { return block_->slots_; }
  /// data_loss unless there are so many rows.
  Result<std::shared_ptr<const ColumnBlock>> finish(uint64_t rows);

 private:
  Status add_dictionary(const ParquetPage& page);
  Status add_data(const ParquetPage& page);
  Status check_room(uint64_t more_slots) const;
  Result<std::vector<uint32_t>> values_of(const ParquetPage& page, uint64_t present);
  Status add_rows(std::span<const uint32_t> repetition);
  void name_all_slots();

  const uint64_t most_bytes_;
  std::shared_ptr<ColumnBlock> block_;
  uint64_t dictionary_size_ = 0;
  bool has_dictionary_ = false;
  bool has_names_ = false;  // value_of_ is in use
};

}  // namespace forebay::dataset
