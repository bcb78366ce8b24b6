// Computes which sample a rank reads as its k-th: constant time and memory, no state. So resuming means
// setting k, a plan can look ahead, and any sample can be replayed. docs/design/order.md compares the orders
// with DALI's.
//
// An epoch is an order of the whole data set: the stored order, or a permutation keyed by (seed, epoch).
// Shard i of S is the range of positions [floor(i*N/S), floor((i+1)*N/S)). In epoch e, rank r reads shard (r
// + e) mod S, or always shard r if it sticks to its shard. So the shards of an epoch, over all ranks, cover
// the data set, each sample once.
//
// Without padding, the order does not depend on the batch size: a batch may begin in one epoch and end in the
// next. With pad_last_batch, all ranks' epochs have the same length, a whole number of batches: the last
// sample is repeated up to ceil(ceil(N/S) / B) * B, as in DALI. Padding changes only the number of repeats,
// not which samples are read.
//
// With shard_first, the order of an epoch goes through the shards in which samples are stored one by one, and
// ranks divide it by those as far as they can: shard_order.h. Positions are then not in [0, N), but as there.
//
// With bucket_by_length, samples of like length make batches: a rank's stream is rearranged within windows of
// so many of its batches, none of which goes beyond its epoch (length_groups.h). A sample keeps its position,
// so what is drawn for it stays the same. The order then depends on the batch size, on purpose, and what is
// left of it cannot be divided between other ranks. O(1) becomes a sort of a window where the window is not
// the one asked for before.
//
// A stream may go on from others, of another number of ranks perhaps: of the epochs in which these stopped,
// the ranks divide what is left in the same way. All numbers k count from where the stream begins.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/dataset/order/epoch_rests.h"
#include "forebay/dataset/order/length_groups.h"
#include "forebay/dataset/order/shard_order.h"
#include "forebay/storage/planned_items.h"

namespace forebay::dataset {

struct OrderOptions {
  uint64_t dataset_size = 0;
  uint32_t num_shards = 1;
  uint32_t shard_id = 0;
  uint64_t seed = 0;
  bool random_shuffle = false;  // a new order each epoch
  bool shard_first = false;     // the same, shard by shard of those in which samples are stored
  /// With shard_first: how many samples each of these has, in the order in which they are stored.
  std::shared_ptr<const std::vector<uint64_t>> stored_shards;
  bool shuffle_after_epoch =
      false;  // like random_shuffle, with shards that do not rotate (DALI: implies stick_to_shard)
  bool stick_to_shard = false;  // with random_shuffle: the rank's set of samples is the same in every epoch
  bool pad_last_batch = false;
  uint32_t batch_size = 1;        // only used with pad_last_batch and bucket_by_length
  uint32_t bucket_by_length = 0;  // batches in a window; 0: samples come as they do without
  /// With bucket_by_length: of each sample, in any unit.
  std::shared_ptr<const std::vector<uint64_t>> lengths;
  storage::StreamBegin begin;
};

/// The option by which ranks keep their shards or pad them, so that what they leave cannot be divided anew;
/// empty if there is none.
std::string_view fixed_shards_of(const OrderOptions& options);

/// Whether the same options with another batch size have another order.
bool depends_on_batch_size(const OrderOptions& options);

/// invalid_argument for windows of bucket_by_length that are too large to be sorted beside the reading.
Status check_window(const OrderOptions& options);

inline constexpr uint64_t kNeverRead = std::numeric_limits<uint64_t>::max();

/// One sample of the stream.
struct StreamItem {
  uint64_t epoch = 0;
  /// In the epoch's global order: in [0, N), unless that is shard_first. A repeat has that of what it
  /// repeats.
  uint64_t position = 0;
  uint64_t index = 0;       // the sample's index in the data set
  bool is_padding = false;  // a repeat of the rank's last sample

  friend bool operator==(const StreamItem&, const StreamItem&) = default;
};

/// The fields of DALI's Pipeline.reader_meta(). epoch_size counts the whole data set, over all ranks.
struct ReaderMeta {
  uint64_t epoch_size = 0;
  uint64_t epoch_size_padded = 0;
  uint32_t number_of_shards = 1;
  uint32_t shard_id = 0;
  bool pad_last_batch = false;
  bool stick_to_shard = false;
};

/// A value type; thread safe.
class Order {
 public:
  /// invalid_argument for an empty data set, more shards than samples, a shard id out of range, batch size 0,
  /// and shuffle_after_epoch together with random_shuffle or stick_to_shard (as in DALI), or shard_first with
  /// any of these, or without shards that have all samples; for bucket_by_length without the lengths of all
  /// samples; for a begin that cannot be, or that goes on from others with shards that stay, padding or
  /// buckets.
  static Result<Order> create(const OrderOptions& options);

  /// Where streams of any number of ranks go on from this one and those of its other ranks, which have read
  /// the first `read[rank]` samples of theirs. Without padding and buckets only.
  storage::StreamBegin left_behind(std::span<const uint64_t> read) const;

  /// Returns the k-th sample that this rank reads.
  StreamItem at(uint64_t k) const;

  /// The epoch that the k-th sample belongs to.
  uint64_t epoch_of(uint64_t k) const;

  /// Returns the k of this rank's first sample in `epoch`, 0 for epochs before the stream's begin; O(1).
  uint64_t first_of_epoch(uint64_t epoch) const;

  /// Returns how many samples `rank` reads in `epoch`, including padding.
  uint64_t samples_in_epoch(uint32_t rank, uint64_t epoch) const;
  uint64_t samples_in_epoch(uint64_t epoch) const { return samples_in_epoch(options_.shard_id, epoch); }
  /// The same without padding.
  uint64_t unpadded_samples_in_epoch(uint32_t rank, uint64_t epoch) const;
  /// Returns how many samples all ranks together read in `epoch`, without padding.
  uint64_t epoch_size(uint64_t epoch) const;

  /// Whether a sample of an epoch's order has this position.
  bool has_position(uint64_t epoch, uint64_t position) const;
  /// Returns the sample at a global position of an epoch's order, whichever rank reads it.
  uint64_t index_at(uint64_t epoch, uint64_t position) const;
  /// Returns the position of a sample in an epoch: the inverse of index_at.
  uint64_t position_of(uint64_t epoch, uint64_t index) const;
  /// Returns the first k at which this rank reads the sample at a position of an epoch's order; nullopt if it
  /// does not.
  std::optional<uint64_t> find(uint64_t epoch, uint64_t position) const;

  /// Returns the smallest k in [from, before) whose sample is `index`, repeats included; kNeverRead if this
  /// rank does not read it there. O(1) for each epoch between the two. A sample that replaces a broken one is
  /// read outside the order.
  uint64_t next_read(uint64_t index, uint64_t from, uint64_t before = kNeverRead) const;

  /// The same in O(1) for orders with bucket_by_length too, where it is the begin of the window in which the
  /// sample is read, unless that is the window of `from`: never later than next_read() says, but for a sample
  /// that is repeated as padding.
  uint64_t next_read_or_earlier(uint64_t index, uint64_t from, uint64_t before = kNeverRead) const;

  /// Returns the sample that replaces a broken one: a pure function of (seed, epoch, position, attempt),
  /// uniform over the data set so that it does not depend on the number of ranks; with stick_to_shard,
  /// uniform over the shard of `position`.
  uint64_t replacement_index(uint64_t epoch, uint64_t position, uint32_t attempt) const;

  ReaderMeta reader_meta() const;
  const OrderOptions& options() const { return options_; }

 private:
  Order(const OrderOptions& options, std::shared_ptr<const ShardOrder> shards,
        std::shared_ptr<const EpochRests> rests);
  /// The first k at which the rank reads a sample in an epoch, and the last, which differs for a sample that
  /// is repeated as padding.
  struct Reads {
    uint64_t first;
    uint64_t last;
  };
  void append_left(uint64_t epoch, uint64_t read, std::vector<storage::EpochPart>* parts) const;
  std::optional<Reads> reads_in_epoch(uint64_t index, uint64_t epoch) const;
  bool rotates() const;
  // An epoch's order has the samples 0 to N-1. In which place these are where the ranks' shares follow each
  // other, and which position they have:
  uint64_t n_at(uint64_t epoch, uint64_t place) const;
  std::optional<uint64_t> place_of(uint64_t epoch, uint64_t n) const;
  uint64_t position_of_n(uint64_t epoch, uint64_t n) const;
  std::optional<uint64_t> n_at_position(uint64_t epoch, uint64_t position) const;
  uint64_t index_of_n(uint64_t epoch, uint64_t n) const;
  uint64_t n_of_index(uint64_t epoch, uint64_t index) const;
  std::optional<uint64_t> find_n(uint64_t epoch, uint64_t n) const;
  uint64_t shard_begin(uint64_t shard) const;
  uint64_t shard_of(uint64_t position) const;
  uint64_t shard_at(uint32_t rank, uint64_t epoch) const;
  uint64_t epoch_key(uint64_t epoch) const;
  bool is_partial(uint64_t epoch) const { return rests_ != nullptr && rests_->is_partial(epoch); }
  /// The first of the samples of an epoch, those left of it, that a shard has.
  uint64_t share_begin(uint64_t epoch, uint64_t shard) const;
  // Of streams that begin with epoch 0:
  uint64_t first_of_whole_epoch(uint64_t epoch) const;
  uint64_t whole_epoch_of(uint64_t k) const;
  /// With kBefore the number that the k-th sample would have without bucket_by_length, with kAfter the other
  /// way round.
  uint64_t number_in(LengthGroups::Table table, uint64_t epoch, uint64_t k) const;
  StreamRange range_of_epoch(uint64_t epoch) const;
  std::optional<uint64_t> bucket_key(uint64_t epoch) const;
  /// n of the k-th sample without bucket_by_length, which is no padding.
  uint64_t n_of(uint64_t epoch, uint64_t k) const;

  OrderOptions options_;
  std::shared_ptr<const ShardOrder> shards_;    // null: not shard_first
  std::shared_ptr<const EpochRests> rests_;     // null: the stream begins with epoch 0
  std::shared_ptr<const LengthGroups> groups_;  // null: not bucket_by_length
  uint64_t rests_length_ = 0;                   // of this rank's share in them
  uint64_t skipped_ = 0;        // k in a stream that begins with epoch 0 is k + this, behind the rests
  uint64_t padded_length_ = 0;  // length of one rank's epoch; 0: not padded
};

}  // namespace forebay::dataset
