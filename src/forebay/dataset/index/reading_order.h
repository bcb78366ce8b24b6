// In which order the shards of a data set are scanned, so that what a reader reads first is known first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/dataset/order/order.h"

namespace forebay::dataset {

struct ReadingOrder {
  /// All shards, by their numbers, as epoch 0 needs them: those of this reader, and between them as many of
  /// each other reader, since what a reader's share is depends on how many samples there are.
  std::vector<uint32_t> shards;
  /// Those of this reader, in its order.
  std::vector<uint32_t> own;
  uint64_t num_readers = 1;
  /// Samples are read in a random order within their shard, so none is of use before all of it are known.
  bool is_by_shard = false;

  /// All shards as they are stored, for one reader.
  static ReadingOrder as_stored(size_t num_shards);
  /// Of an order that begins with the first samples of some shards; as_stored() for all others.
  static ReadingOrder of(const OrderOptions& order, size_t num_shards);
};

}  // namespace forebay::dataset
