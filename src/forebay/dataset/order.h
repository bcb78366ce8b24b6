// Which sample a rank reads as its k-th, as arithmetic: constant time and memory, no state. So resuming is
// setting k, a plan looks ahead, and any sample can be replayed. docs/design/order.md compares the orders
// with DALI's.
//
// An epoch is an order of the whole data set: the stored order, or a keyed permutation of it (seed, epoch).
// Shard i of S is the range of positions [floor(i*N/S), floor((i+1)*N/S)). Rank r reads in epoch e the shard
// (r + e) mod S, or always shard r when it sticks to it. So the shards of an epoch, over all ranks, are the
// data set, each sample once.
//
// Without padding the order does not depend on the batch size: a batch may begin in one epoch and end in the
// next. With pad_last_batch every rank's epoch is as long as every other's, and whole batches: the last
// sample is repeated to ceil(ceil(N/S) / B) * B, as DALI does. Which samples are read does not depend on it,
// only how many repeats.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"

namespace forebay::dataset {

struct OrderOptions {
  uint64_t dataset_size = 0;
  uint32_t num_shards = 1;
  uint32_t shard_id = 0;
  uint64_t seed = 0;
  bool random_shuffle = false;  // a new order each epoch
  bool shuffle_after_epoch =
      false;  // as random_shuffle, with shards that do not rotate (DALI: implies stick_to_shard)
  bool stick_to_shard = false;  // with random_shuffle: the rank's set of samples is the same in every epoch
  bool pad_last_batch = false;
  uint32_t batch_size = 1;  // matters for pad_last_batch only
};

/// One sample of the stream.
struct StreamItem {
  uint64_t epoch = 0;
  uint64_t position =
      0;               // global place in the epoch's order, in [0, N); a repeat has that of what it repeats
  uint64_t index = 0;  // sample of the data set
  bool is_padding = false;  // a repeat of the rank's last sample

  friend bool operator==(const StreamItem&, const StreamItem&) = default;
};

/// As DALI's Pipeline.reader_meta(); epoch_size is of the whole data set, over all ranks.
struct ReaderMeta {
  uint64_t epoch_size = 0;
  uint64_t epoch_size_padded = 0;
  uint32_t number_of_shards = 1;
  uint32_t shard_id = 0;
  bool pad_last_batch = false;
  bool stick_to_shard = false;
};

/// A value; thread safe.
class Order {
 public:
  /// invalid_argument for an empty data set, more shards than samples, a shard id out of range, batch size 0,
  /// and shuffle_after_epoch together with random_shuffle or stick_to_shard (as DALI).
  static Result<Order> create(const OrderOptions& options);

  /// The k-th sample that this rank reads, counted from the start of epoch 0.
  StreamItem at(uint64_t k) const;

  /// The epoch that the k-th sample belongs to.
  uint64_t epoch_of(uint64_t k) const;

  /// The k of this rank's first sample of `epoch`; O(1).
  uint64_t first_of_epoch(uint64_t epoch) const;

  /// How many samples `rank` reads in `epoch`, with its padding.
  uint64_t samples_in_epoch(uint32_t rank, uint64_t epoch) const;
  uint64_t samples_in_epoch(uint64_t epoch) const { return samples_in_epoch(options_.shard_id, epoch); }
  /// Without its padding.
  uint64_t unpadded_samples_in_epoch(uint32_t rank, uint64_t epoch) const;

  /// The sample at a global position of an epoch's order, whoever reads it.
  uint64_t index_at(uint64_t epoch, uint64_t position) const;
  /// The position at which an epoch has a sample: the inverse of index_at.
  uint64_t position_of(uint64_t epoch, uint64_t index) const;

  /// The sample that stands in for a broken one: a pure function of (seed, epoch, position, attempt), uniform
  /// over the data set, so that it does not depend on the number of ranks; with stick_to_shard, over the
  /// shard of `position`.
  uint64_t replacement_index(uint64_t epoch, uint64_t position, uint32_t attempt) const;

  ReaderMeta reader_meta() const;
  const OrderOptions& options() const { return options_; }

 private:
  explicit Order(const OrderOptions& options);
  bool rotates() const;
  uint64_t shard_begin(uint64_t shard) const;
  uint64_t shard_of(uint64_t position) const;
  uint64_t shard_at(uint32_t rank, uint64_t epoch) const;
  uint64_t epoch_key(uint64_t epoch) const;

  OrderOptions options_;
  uint64_t padded_length_ = 0;  // of one rank's epoch; 0: not padded
};

}  // namespace forebay::dataset
