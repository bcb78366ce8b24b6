// The samples of an index in the order in which they are stored: by object, then by offset. In this order the
// samples in one part of an object are neighbours, so "which samples have bytes here" is a binary search.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/dataset/index/sample_index.h"
#include "forebay/storage/planned_items.h"

namespace forebay::dataset {

/// Immutable; thread safe. Takes no memory where the index is in this order already, as those of tar and
/// TFRecord shards are; otherwise 8 bytes a sample.
class StoredOrder {
 public:
  /// Looks at each row of the index once. At most 2^32 - 1 samples can be out of order; of a larger index
  /// samples_in() finds those that happen to be in order.
  explicit StoredOrder(std::shared_ptr<const SampleIndex> index);

  uint64_t size() const { return static_cast<uint64_t>(index_->size()); }
  /// The place of a sample in this order, and its inverse.
  uint64_t place_of(uint64_t sample) const;
  uint64_t sample_at(uint64_t place) const;

  /// Returns the places of the samples that have bytes in [begin_bytes, end_bytes) of an object. Where
  /// samples overlap each other, a few others may be among them.
  storage::ItemRun samples_in(uint32_t object, uint64_t begin_bytes, uint64_t end_bytes) const;

 private:
  /// From the first byte of a sample's fields to the last.
  struct Extent {
    uint32_t object = kNoObject;
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
  };

  Extent extent_of(uint64_t sample) const;
  bool is_before(const Extent& extent, uint32_t object, uint64_t offset_bytes) const;
  uint64_t first_not_before(uint32_t object, uint64_t offset_bytes) const;
  bool is_in_order() const;
  void sort();

  const std::shared_ptr<const SampleIndex> index_;
  std::vector<uint32_t> samples_;  // by place; empty: the identity
  std::vector<uint32_t> places_;   // by sample
};

}  // namespace forebay::dataset
