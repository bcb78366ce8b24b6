#include "forebay/dataset/order/order.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/random/permutation.h"
#include "forebay/base/random/random.h"

namespace forebay::dataset {
namespace {

// Keys for the random draws of an order, distinct from those of any operator.
const uint64_t kShuffleKey = hash64("dataset.order.shuffle");
const uint64_t kShardKey = hash64("dataset.order.shard");
const uint64_t kReplaceKey = hash64("dataset.order.replace");

__extension__ using Wide = unsigned __int128;

uint64_t ceil_divide(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

Status check_shuffle(const OrderOptions& options) {
  if (options.shuffle_after_epoch && (options.random_shuffle || options.stick_to_shard)) {
    return invalid_argument("shuffle_after_epoch goes with neither random_shuffle nor stick_to_shard");
  }
  if (options.shard_first &&
      (options.random_shuffle || options.shuffle_after_epoch || options.stick_to_shard)) {
    return invalid_argument(
        "a shuffle shard by shard goes with none of random_shuffle, shuffle_after_epoch and stick_to_shard");
  }
  return ok_status();
}

/// Null for other orders.
Result<std::shared_ptr<const ShardOrder>> shard_order_of(const OrderOptions& options) {
  if (!options.shard_first) {
    return nullptr;
  }
  if (options.stored_shards == nullptr || options.stored_shards->empty()) {
    return invalid_argument(
        "the data set is not stored in shards, so it cannot be shuffled shard by shard; use random_shuffle");
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const ShardOrder> shards,
                           ShardOrder::create(options.seed, *options.stored_shards, options.num_shards));
  if (shards->size() != options.dataset_size) {
    return invalid_argument("the shards have {} samples, and the data set {}", shards->size(),
                            options.dataset_size);
  }
  return shards;
}

Status check_buckets(const OrderOptions& options) {
  if (options.bucket_by_length == 0) {
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(check_window(options));
  if (options.lengths == nullptr || options.lengths->size() != options.dataset_size) {
    return invalid_argument("bucket_by_length needs the lengths of all {} samples, and there are {}",
                            options.dataset_size, options.lengths == nullptr ? 0 : options.lengths->size());
  }
  return ok_status();
}

// Appends the parts of one epoch, and makes one of those that touch.
void append_in_order(std::vector<storage::EpochPart> parts, std::vector<storage::EpochPart>* all) {
  std::ranges::sort(parts, {}, &storage::EpochPart::begin);
  for (const storage::EpochPart& part : parts) {
    if (!all->empty() && all->back().epoch == part.epoch && all->back().end == part.begin) {
      all->back().end = part.end;
    } else {
      all->push_back(part);
    }
  }
}

}  // namespace

std::string_view fixed_shards_of(const OrderOptions& options) {
  if (options.stick_to_shard) {
    return "stick_to_shard";
  }
  if (options.pad_last_batch) {
    return "pad_last_batch";
  }
  if (options.bucket_by_length != 0) {
    return "bucket_by_length";
  }
  return options.shuffle_after_epoch ? "shuffle_after_epoch" : "";
}

Result<Order> Order::create(const OrderOptions& options) {
  if (options.dataset_size == 0) {
    return invalid_argument("the data set has no samples");
  }
  if (options.num_shards == 0 || options.num_shards > options.dataset_size) {
    return invalid_argument("num_shards is {}; it must be from 1 to the number of samples, {}",
                            options.num_shards, options.dataset_size);
  }
  if (options.shard_id >= options.num_shards) {
    return invalid_argument("shard_id is {}; it must be below num_shards, {}", options.shard_id,
                            options.num_shards);
  }
  if (options.batch_size == 0) {
    return invalid_argument("the batch size must be at least 1");
  }
  FOREBAY_RETURN_IF_ERROR(check_shuffle(options));
  FOREBAY_RETURN_IF_ERROR(check_buckets(options));
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const ShardOrder> shards, shard_order_of(options));
  if (options.begin == storage::StreamBegin()) {
    return Order(options, std::move(shards), nullptr);
  }
  if (const std::string_view fixed = fixed_shards_of(options); !fixed.empty()) {
    return invalid_argument("what other readers have left cannot be divided anew with {}", fixed);
  }
  FOREBAY_ASSIGN_OR_RETURN(EpochRests rests, EpochRests::create(options.begin, options.dataset_size));
  return Order(options, std::move(shards), std::make_shared<const EpochRests>(std::move(rests)));
}

Order::Order(const OrderOptions& options, std::shared_ptr<const ShardOrder> shards,
             std::shared_ptr<const EpochRests> rests)
    : options_(options), shards_(std::move(shards)), rests_(std::move(rests)) {
  if (options.pad_last_batch) {
    const uint64_t longest = ceil_divide(options.dataset_size, options.num_shards);
    padded_length_ = ceil_divide(longest, options.batch_size) * options.batch_size;
  }
  if (options.bucket_by_length != 0) {
    groups_ =
        std::make_shared<const LengthGroups>(options.lengths, options.batch_size, options.bucket_by_length);
  }
  if (rests_ != nullptr) {
    for (uint64_t epoch = rests_->first_epoch(); is_partial(epoch); ++epoch) {
      rests_length_ += samples_in_epoch(epoch);
    }
    skipped_ = first_of_whole_epoch(rests_->first_whole_epoch()) - rests_length_;
  }
}

bool Order::rotates() const {
  return !options_.stick_to_shard && !options_.shuffle_after_epoch;
}

uint64_t Order::shard_begin(uint64_t shard) const {
  return static_cast<uint64_t>(static_cast<Wide>(shard) * options_.dataset_size / options_.num_shards);
}

uint64_t Order::shard_of(uint64_t position) const {
  // The last shard whose begin is at most `position`: floor(i*N/S) <= p  <=>  i*N < (p+1)*S.
  const Wide bound = (static_cast<Wide>(position) + 1) * options_.num_shards;
  return static_cast<uint64_t>((bound - 1) / options_.dataset_size);
}

uint64_t Order::shard_at(uint32_t rank, uint64_t epoch) const {
  return rotates() ? (rank + epoch % options_.num_shards) % options_.num_shards : rank;
}

uint64_t Order::epoch_key(uint64_t epoch) const {
  return random_key(options_.seed, epoch, kShuffleKey);
}

uint64_t Order::epoch_size(uint64_t epoch) const {
  return is_partial(epoch) ? rests_->size(epoch) : options_.dataset_size;
}

uint64_t Order::share_begin(uint64_t epoch, uint64_t shard) const {
  return static_cast<uint64_t>(static_cast<Wide>(shard) * epoch_size(epoch) / options_.num_shards);
}

uint64_t Order::unpadded_samples_in_epoch(uint32_t rank, uint64_t epoch) const {
  const uint64_t shard = shard_at(rank, epoch);
  return share_begin(epoch, shard + 1) - share_begin(epoch, shard);
}

uint64_t Order::samples_in_epoch(uint32_t rank, uint64_t epoch) const {
  return padded_length_ != 0 ? padded_length_ : unpadded_samples_in_epoch(rank, epoch);
}

uint64_t Order::first_of_epoch(uint64_t epoch) const {
  if (!is_partial(epoch)) {
    return first_of_whole_epoch(epoch) - skipped_;
  }
  uint64_t first = 0;
  for (uint64_t before = rests_->first_epoch(); before < epoch; ++before) {
    first += samples_in_epoch(before);
  }
  return first;
}

uint64_t Order::epoch_of(uint64_t k) const {
  if (k >= rests_length_) {
    return whole_epoch_of(k + skipped_);
  }
  uint64_t epoch = rests_->first_epoch();
  while (k >= samples_in_epoch(epoch)) {
    k -= samples_in_epoch(epoch);
    ++epoch;
  }
  return epoch;
}

uint64_t Order::first_of_whole_epoch(uint64_t epoch) const {
  if (padded_length_ != 0) {
    return epoch * padded_length_;
  }
  if (!rotates()) {
    return epoch * (shard_begin(options_.shard_id + 1) - shard_begin(options_.shard_id));
  }
  const uint64_t rounds = epoch / options_.num_shards;
  const uint64_t shard = options_.shard_id + epoch % options_.num_shards;
  const uint64_t wrapped = shard >= options_.num_shards ? options_.dataset_size : 0;
  const uint64_t place = shard_begin(shard % options_.num_shards) + wrapped;
  return rounds * options_.dataset_size + place - shard_begin(options_.shard_id);
}

uint64_t Order::whole_epoch_of(uint64_t k) const {
  if (padded_length_ != 0) {
    return k / padded_length_;
  }
  if (!rotates()) {
    return k / (shard_begin(options_.shard_id + 1) - shard_begin(options_.shard_id));
  }
  // The stream goes round through the shards, beginning with the rank's own.
  const uint64_t size = options_.dataset_size;
  const uint64_t place = shard_begin(options_.shard_id) + k % size;
  const uint64_t shard = place < size ? shard_of(place) : options_.num_shards + shard_of(place - size);
  return k / size * options_.num_shards + shard - options_.shard_id;
}

StreamItem Order::at(uint64_t k) const {
  StreamItem item;
  item.epoch = epoch_of(k);
  const uint64_t end = range_of_epoch(item.epoch).end;
  item.is_padding = k >= end;
  const uint64_t stood = number_in(LengthGroups::kBefore, item.epoch, item.is_padding ? end - 1 : k);
  const uint64_t n = n_of(item.epoch, stood);
  item.position = position_of_n(item.epoch, n);
  item.index = index_of_n(item.epoch, n);
  return item;
}

uint64_t Order::n_of(uint64_t epoch, uint64_t k) const {
  const uint64_t shard = shard_at(options_.shard_id, epoch);
  return n_at(epoch, share_begin(epoch, shard) + k - first_of_epoch(epoch));
}

uint64_t Order::n_at(uint64_t epoch, uint64_t place) const {
  if (is_partial(epoch)) {
    return rests_->position_at(epoch, place);
  }
  return shards_ == nullptr ? place : shards_->n_at_place(epoch, place);
}

std::optional<uint64_t> Order::place_of(uint64_t epoch, uint64_t n) const {
  if (is_partial(epoch)) {
    return rests_->place_of(epoch, n);
  }
  return shards_ == nullptr ? n : shards_->place_of(epoch, n);
}

uint64_t Order::position_of_n(uint64_t epoch, uint64_t n) const {
  return shards_ == nullptr ? n : shards_->position_of(epoch, n);
}

std::optional<uint64_t> Order::n_at_position(uint64_t epoch, uint64_t position) const {
  if (shards_ != nullptr) {
    return shards_->n_at_position(epoch, position);
  }
  return position < options_.dataset_size ? std::optional(position) : std::nullopt;
}

bool Order::has_position(uint64_t epoch, uint64_t position) const {
  return n_at_position(epoch, position).has_value();
}

uint64_t Order::index_at(uint64_t epoch, uint64_t position) const {
  const std::optional<uint64_t> n = n_at_position(epoch, position);
  FOREBAY_CHECK(n.has_value());
  return index_of_n(epoch, *n);
}

uint64_t Order::index_of_n(uint64_t epoch, uint64_t n) const {
  if (shards_ != nullptr) {
    return shards_->sample_of(epoch, n);
  }
  if (!options_.random_shuffle && !options_.shuffle_after_epoch) {
    return n;
  }
  if (rotates() || options_.shuffle_after_epoch) {
    return Permutation(epoch_key(epoch), options_.dataset_size)(n);
  }
  // A rank that sticks to its shard: which samples the shard has is drawn once; their order is drawn anew
  // each epoch.
  const uint64_t shard = shard_of(n);
  const uint64_t begin = shard_begin(shard);
  const Permutation within(mix64(epoch_key(epoch), shard), shard_begin(shard + 1) - begin);
  return Permutation(random_key(options_.seed, 0, kShardKey),
                     options_.dataset_size)(begin + within(n - begin));
}

uint64_t Order::n_of_index(uint64_t epoch, uint64_t index) const {
  FOREBAY_CHECK(index < options_.dataset_size);
  if (shards_ != nullptr) {
    return shards_->n_of_sample(epoch, index);
  }
  if (!options_.random_shuffle && !options_.shuffle_after_epoch) {
    return index;
  }
  if (rotates() || options_.shuffle_after_epoch) {
    return Permutation(epoch_key(epoch), options_.dataset_size).inverse(index);
  }
  const uint64_t place =
      Permutation(random_key(options_.seed, 0, kShardKey), options_.dataset_size).inverse(index);
  const uint64_t shard = shard_of(place);
  const uint64_t begin = shard_begin(shard);
  const Permutation within(mix64(epoch_key(epoch), shard), shard_begin(shard + 1) - begin);
  return begin + within.inverse(place - begin);
}

uint64_t Order::position_of(uint64_t epoch, uint64_t index) const {
  return position_of_n(epoch, n_of_index(epoch, index));
}

std::optional<uint64_t> Order::find(uint64_t epoch, uint64_t position) const {
  const std::optional<uint64_t> n = n_at_position(epoch, position);
  return n ? find_n(epoch, *n) : std::nullopt;
}

std::optional<uint64_t> Order::find_n(uint64_t epoch, uint64_t n) const {
  if (rests_ != nullptr && epoch < rests_->first_epoch()) {
    return std::nullopt;
  }
  const std::optional<uint64_t> place = place_of(epoch, n);
  const uint64_t shard = shard_at(options_.shard_id, epoch);
  if (!place || *place < share_begin(epoch, shard) || *place >= share_begin(epoch, shard + 1)) {
    return std::nullopt;
  }
  return number_in(LengthGroups::kAfter, epoch, first_of_epoch(epoch) + *place - share_begin(epoch, shard));
}

std::optional<Order::Reads> Order::reads_in_epoch(uint64_t index, uint64_t epoch) const {
  const std::optional<uint64_t> first = find_n(epoch, n_of_index(epoch, index));
  if (!first) {
    return std::nullopt;
  }
  const uint64_t first_of_rank = first_of_epoch(epoch);
  const uint64_t end = first_of_rank + unpadded_samples_in_epoch(options_.shard_id, epoch);
  const bool is_repeated = padded_length_ != 0 && *first + 1 == end;
  return Reads{*first, is_repeated ? first_of_rank + padded_length_ - 1 : *first};
}

uint64_t Order::next_read(uint64_t index, uint64_t from, uint64_t before) const {
  if (from >= before) {
    return kNeverRead;
  }
  const uint64_t last_epoch = epoch_of(before - 1);
  for (uint64_t epoch = epoch_of(from); epoch <= last_epoch; ++epoch) {
    const std::optional<Reads> reads = reads_in_epoch(index, epoch);
    if (reads && from <= reads->last) {
      const uint64_t next = std::max(from, reads->first);
      return next < before ? next : kNeverRead;
    }
    if (!reads && options_.stick_to_shard) {
      return kNeverRead;  // it is in another rank's shard, in every epoch
    }
  }
  return kNeverRead;
}

uint64_t Order::replacement_index(uint64_t epoch, uint64_t position, uint32_t attempt) const {
  RandomStream draws(random_key(options_.seed, epoch, kReplaceKey), position, attempt);
  if (!options_.stick_to_shard) {
    return index_of_n(epoch, draws.below(options_.dataset_size));
  }
  const uint64_t shard = shard_of(position);
  const uint64_t begin = shard_begin(shard);
  return index_at(epoch, begin + draws.below(shard_begin(shard + 1) - begin));
}

// Appends what this rank's stream has left of an epoch behind its first `read` samples.
void Order::append_left(uint64_t epoch, uint64_t read, std::vector<storage::EpochPart>* parts) const {
  const uint64_t shard = shard_at(options_.shard_id, epoch);
  const uint64_t first = first_of_epoch(epoch);
  const uint64_t read_of_epoch = std::clamp(read, first, first + samples_in_epoch(epoch)) - first;
  const uint64_t begin = share_begin(epoch, shard) + read_of_epoch;
  const uint64_t end = share_begin(epoch, shard + 1);
  if (begin == end) {
    return;
  }
  if (is_partial(epoch)) {
    rests_->append_parts(epoch, begin, end, parts);
  } else if (shards_ != nullptr) {
    shards_->append_parts(epoch, begin, end, parts);
  } else {
    parts->push_back({epoch, begin, end});
  }
}

storage::StreamBegin Order::left_behind(std::span<const uint64_t> read) const {
  FOREBAY_CHECK(read.size() == options_.num_shards && !options_.pad_last_batch && groups_ == nullptr);
  storage::StreamBegin left;
  left.first_epoch = std::numeric_limits<uint64_t>::max();
  left.first_whole_epoch = rests_ == nullptr ? 0 : rests_->first_whole_epoch();
  std::vector<Order> ranks;
  for (uint32_t rank = 0; rank < options_.num_shards; ++rank) {
    OrderOptions options = options_;
    options.shard_id = rank;
    ranks.push_back(Order(options, shards_, rests_));
    const uint64_t epoch = ranks[rank].epoch_of(read[rank]);
    const bool has_begun = read[rank] > ranks[rank].first_of_epoch(epoch);
    left.first_epoch = std::min(left.first_epoch, epoch);
    left.first_whole_epoch = std::max(left.first_whole_epoch, has_begun ? epoch + 1 : epoch);
  }
  for (uint64_t epoch = left.first_epoch; epoch < left.first_whole_epoch; ++epoch) {
    std::vector<storage::EpochPart> parts;
    for (uint32_t rank = 0; rank < options_.num_shards; ++rank) {
      ranks[rank].append_left(epoch, read[rank], &parts);
    }
    append_in_order(std::move(parts), &left.left);
  }
  return left;
}

ReaderMeta Order::reader_meta() const {
  ReaderMeta meta;
  meta.epoch_size = options_.dataset_size;
  meta.epoch_size_padded = options_.pad_last_batch
                               ? ceil_divide(options_.dataset_size, options_.num_shards) * options_.num_shards
                               : options_.dataset_size;
  meta.number_of_shards = options_.num_shards;
  meta.shard_id = options_.shard_id;
  meta.pad_last_batch = options_.pad_last_batch;
  meta.stick_to_shard = !rotates();
  return meta;
}

}  // namespace forebay::dataset
