// The order of epochs in which shards come one after the other, in a new random order each epoch, and the
// samples of each in a random order too: what is read together lies together, and only the first shards have
// to be known for the first samples.
//
// The n-th sample of an epoch's order also has a position, which is known before it is known how many samples
// other shards have: the place of its shard in the order of shards, and its own within that.
//
// Readers divide an epoch by whole shards as far as that gives each its share: share i of S begins with the
// shard at place floor(i*M/S) of M. Shares are as long as if all N samples were cut in S parts; what the
// shards up to those of the next share have beyond that goes to the shares that have too few, in order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/base/random/permutation.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/planned_items.h"

namespace forebay::dataset {

/// Samples are numbered shard by shard, as they are stored. Thread safe. Takes 8 bytes a shard, and for each
/// of the epochs asked about last, up to 40 of them in 64 MiB, as many again and 48 for each two shares. An
/// epoch that is not among these costs a permutation of the shards.
class ShardOrder {
 public:
  static constexpr uint64_t kMaxShards = uint64_t{1} << 22;  // so that positions are positive if signed, too
  static constexpr uint32_t kMaxShares = 1 << 16;

  /// `shards`: how many samples each has. invalid_argument if there are too many, or none has any. Those who
  /// ask for the same order at a time share it.
  static Result<std::shared_ptr<const ShardOrder>> create(uint64_t seed, const std::vector<uint64_t>& shards,
                                                          uint32_t num_shares);

  /// What of an epoch depends on the number of shards alone: which shard is at which place,
  static Permutation shards_of(uint64_t seed, uint64_t epoch, uint64_t num_shards);
  /// at which place a share begins,
  static uint64_t first_shard(uint64_t share, uint64_t num_shards, uint64_t num_shares);
  /// and the position of the sample that is the `within`-th of the shard at a place.
  static uint64_t position(uint64_t place, uint64_t within) { return place << kWithinBits | within; }
  /// Which sample of a shard is the n-th of it.
  static Permutation within(uint64_t seed, uint64_t epoch, uint64_t shard, uint64_t samples);

  /// How many samples there are.
  uint64_t size() const { return firsts_.back(); }

  /// `n` below size().
  uint64_t position_of(uint64_t epoch, uint64_t n) const;
  /// The inverse; nothing for a position that no sample has.
  std::optional<uint64_t> n_at_position(uint64_t epoch, uint64_t position) const;
  /// The number of the n-th sample.
  uint64_t sample_of(uint64_t epoch, uint64_t n) const;
  /// The inverse.
  uint64_t n_of_sample(uint64_t epoch, uint64_t sample) const;

  /// Behind each other, the shares are all of the epoch. Which sample of its order is at a place of these.
  uint64_t n_at_place(uint64_t epoch, uint64_t place) const;
  /// The inverse.
  uint64_t place_of(uint64_t epoch, uint64_t n) const;
  /// Appends which samples of the order are at the places [begin, end) of the shares.
  void append_parts(uint64_t epoch, uint64_t begin, uint64_t end,
                    std::vector<storage::EpochPart>* parts) const;

 private:
  static constexpr int kWithinBits = 40;

  /// Samples that follow each other in the order and in the shares.
  struct Piece {
    uint64_t n = 0;  // of the first
    uint64_t place = 0;
    uint64_t length = 0;
  };
  struct Epoch {
    std::vector<uint64_t> starts;  // of the shards, in their order; and the end
    std::vector<Piece> pieces;     // by place in the shares
    std::vector<Piece> in_order;
  };

  struct KeptEpoch {
    std::shared_ptr<const Epoch> epoch;
    uint64_t last_use = 0;
  };

  ShardOrder(uint64_t seed, const std::vector<uint64_t>& shards, uint32_t num_shares);

  static std::vector<uint64_t> firsts_of(const std::vector<uint64_t>& shards);
  std::shared_ptr<const Epoch> epoch_of(uint64_t epoch) const;
  void forget_one() const FOREBAY_REQUIRES(mutex_);
  std::shared_ptr<const Epoch> make_epoch(uint64_t epoch) const;
  std::vector<Piece> divide(const std::vector<uint64_t>& starts) const;
  uint64_t num_shards() const { return firsts_.size() - 1; }
  uint64_t samples_in(uint64_t shard) const { return firsts_[shard + 1] - firsts_[shard]; }

  const uint64_t seed_;
  const uint32_t num_shares_;
  const std::vector<uint64_t> firsts_;  // the number of each shard's first sample; and of samples
  mutable Mutex mutex_;
  mutable std::map<uint64_t, KeptEpoch> epochs_ FOREBAY_GUARDED_BY(mutex_);
  mutable uint64_t uses_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::dataset
