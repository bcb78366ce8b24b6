#include "forebay/dataset/order/shard_order.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/random/random.h"

namespace forebay::dataset {
namespace {

const uint64_t kShardsKey = hash64("dataset.shard_order.shards");
const uint64_t kWithinKey = hash64("dataset.shard_order.within");

constexpr uint64_t kMaxInShard = uint64_t{1} << 40;
// A cache looks ahead as many epochs as there are ranks, up to 32.
constexpr size_t kMaxEpochsKept = 40;
constexpr size_t kLeastEpochsKept = 4;
constexpr uint64_t kMaxBytesKept = uint64_t{64} << 20;

__extension__ using Wide = unsigned __int128;

uint64_t share_begin(uint64_t share, uint64_t size, uint64_t num_shares) {
  return static_cast<uint64_t>(static_cast<Wide>(share) * size / num_shares);
}

/// The orders of this process, for as long as somebody has them. Thread safe.
class SharedOrders {
 public:
  std::shared_ptr<const ShardOrder> find(uint64_t name) const {
    const MutexLock lock(mutex_);
    const auto found = orders_.find(name);
    return found == orders_.end() ? nullptr : found->second.lock();
  }
  void put(uint64_t name, const std::shared_ptr<const ShardOrder>& order) {
    const MutexLock lock(mutex_);
    std::erase_if(orders_, [](const auto& each) { return each.second.expired(); });
    orders_[name] = order;
  }

 private:
  mutable Mutex mutex_;
  std::map<uint64_t, std::weak_ptr<const ShardOrder>> orders_ FOREBAY_GUARDED_BY(mutex_);
};

// Never destroyed: threads may outlive the end of the program.
SharedOrders& shared_orders() {
  static auto* const orders = new SharedOrders();
  return *orders;
}

/// Which of the ranges that begin at `begins` has `n`; empty ranges have nothing.
uint64_t range_with(const std::vector<uint64_t>& begins, uint64_t n) {
  return static_cast<uint64_t>(std::ranges::upper_bound(begins, n) - begins.begin()) - 1;
}

}  // namespace

Permutation ShardOrder::shards_of(uint64_t seed, uint64_t epoch, uint64_t num_shards) {
  return {random_key(seed, epoch, kShardsKey), num_shards};
}

uint64_t ShardOrder::first_shard(uint64_t share, uint64_t num_shards, uint64_t num_shares) {
  return share_begin(share, num_shards, num_shares);
}

Permutation ShardOrder::within(uint64_t seed, uint64_t epoch, uint64_t shard, uint64_t samples) {
  return {mix64(random_key(seed, epoch, kWithinKey), shard), samples};
}

Result<std::shared_ptr<const ShardOrder>> ShardOrder::create(uint64_t seed,
                                                             const std::vector<uint64_t>& shards,
                                                             uint32_t num_shares) {
  if (shards.size() > kMaxShards) {
    return invalid_argument("a data set of {} shards; shard by shard, at most {} can be shuffled",
                            shards.size(), kMaxShards);
  }
  uint64_t samples = 0;
  for (const uint64_t in_shard : shards) {
    if (in_shard > kMaxInShard) {
      return invalid_argument("a shard of {} samples; shard by shard, at most {} can be shuffled", in_shard,
                              kMaxInShard);
    }
    samples += in_shard;
  }
  if (samples == 0) {
    return invalid_argument("shards without a sample");
  }
  if (num_shares == 0 || num_shares > kMaxShares) {
    return invalid_argument(
        "{} readers; of a data set that is shuffled shard by shard, at most {} can share it", num_shares,
        kMaxShares);
  }
  uint64_t name = mix64(seed, num_shares);
  for (const uint64_t in_shard : shards) {
    name = mix64(name, in_shard);
  }
  if (std::shared_ptr<const ShardOrder> known = shared_orders().find(name);
      known && known->seed_ == seed && known->num_shares_ == num_shares &&
      known->firsts_ == firsts_of(shards)) {
    return known;
  }
  std::shared_ptr<const ShardOrder> made(new ShardOrder(seed, shards, num_shares));
  shared_orders().put(name, made);
  return made;
}

ShardOrder::ShardOrder(uint64_t seed, const std::vector<uint64_t>& shards, uint32_t num_shares)
    : seed_(seed), num_shares_(num_shares), firsts_(firsts_of(shards)) {
}

std::vector<uint64_t> ShardOrder::firsts_of(const std::vector<uint64_t>& shards) {
  std::vector<uint64_t> firsts(1);
  firsts.reserve(shards.size() + 1);
  for (const uint64_t samples : shards) {
    firsts.push_back(firsts.back() + samples);
  }
  return firsts;
}

// Made with the lock held, so that of those who need it at once one makes it.
std::shared_ptr<const ShardOrder::Epoch> ShardOrder::epoch_of(uint64_t epoch) const {
  const MutexLock lock(mutex_);
  KeptEpoch& kept = epochs_[epoch];
  if (kept.epoch == nullptr) {
    kept.epoch = make_epoch(epoch);
  }
  kept.last_use = ++uses_;
  std::shared_ptr<const Epoch> found = kept.epoch;
  const uint64_t bytes = 8 * num_shards() + 2 * sizeof(Piece) * found->pieces.size();
  const uint64_t most = std::clamp<uint64_t>(kMaxBytesKept / bytes, kLeastEpochsKept, kMaxEpochsKept);
  if (epochs_.size() > most) {
    forget_one();
  }
  return found;
}

void ShardOrder::forget_one() const {
  epochs_.erase(std::ranges::min_element(epochs_, {}, [](const auto& kept) { return kept.second.last_use; }));
}

std::shared_ptr<const ShardOrder::Epoch> ShardOrder::make_epoch(uint64_t epoch) const {
  auto made = std::make_shared<Epoch>();
  made->starts.reserve(num_shards() + 1);
  made->starts.push_back(0);
  const Permutation shard_at = shards_of(seed_, epoch, num_shards());
  for (uint64_t place = 0; place < num_shards(); ++place) {
    made->starts.push_back(made->starts.back() + samples_in(shard_at(place)));
  }
  made->pieces = divide(made->starts);
  made->in_order = made->pieces;
  std::ranges::sort(made->in_order, {}, &Piece::n);
  return made;
}

std::vector<ShardOrder::Piece> ShardOrder::divide(const std::vector<uint64_t>& starts) const {
  std::vector<Piece> own;
  std::deque<Piece> left;  // beyond the shares whose shards they are of
  for (uint64_t share = 0; share < num_shares_; ++share) {
    const uint64_t place = share_begin(share, size(), num_shares_);
    const uint64_t wanted = share_begin(share + 1, size(), num_shares_) - place;
    const uint64_t begin = starts[first_shard(share, num_shards(), num_shares_)];
    const uint64_t end = starts[first_shard(share + 1, num_shards(), num_shares_)];
    const uint64_t taken = std::min(wanted, end - begin);
    own.push_back({begin, place, taken});
    if (taken < end - begin) {
      left.push_back({.n = begin + taken, .length = end - begin - taken});
    }
  }
  std::vector<Piece> pieces;
  for (uint64_t share = 0; share < num_shares_; ++share) {
    const uint64_t end = share_begin(share + 1, size(), num_shares_);
    uint64_t place = own[share].place + own[share].length;
    if (own[share].length > 0) {
      pieces.push_back(own[share]);
    }
    while (place < end) {
      Piece& next = left.front();
      const uint64_t taken = std::min(end - place, next.length);
      pieces.push_back({next.n, place, taken});
      place += taken;
      next.n += taken;
      next.length -= taken;
      if (next.length == 0) {
        left.pop_front();
      }
    }
  }
  return pieces;
}

uint64_t ShardOrder::position_of(uint64_t epoch, uint64_t n) const {
  FOREBAY_CHECK(n < size());
  const std::shared_ptr<const Epoch> order = epoch_of(epoch);
  const uint64_t shard = range_with(order->starts, n);
  return position(shard, n - order->starts[shard]);
}

std::optional<uint64_t> ShardOrder::n_at_position(uint64_t epoch, uint64_t position) const {
  const uint64_t shard = position >> kWithinBits;
  const uint64_t within_shard = position & (kMaxInShard - 1);
  if (shard >= num_shards()) {
    return std::nullopt;
  }
  const std::shared_ptr<const Epoch> order = epoch_of(epoch);
  const uint64_t n = order->starts[shard] + within_shard;
  return n < order->starts[shard + 1] ? std::optional(n) : std::nullopt;
}

uint64_t ShardOrder::sample_of(uint64_t epoch, uint64_t n) const {
  FOREBAY_CHECK(n < size());
  const std::shared_ptr<const Epoch> order = epoch_of(epoch);
  const uint64_t place = range_with(order->starts, n);
  const uint64_t shard = shards_of(seed_, epoch, num_shards())(place);
  return firsts_[shard] + within(seed_, epoch, shard, samples_in(shard))(n - order->starts[place]);
}

uint64_t ShardOrder::n_of_sample(uint64_t epoch, uint64_t sample) const {
  FOREBAY_CHECK(sample < size());
  const uint64_t shard = range_with(firsts_, sample);
  const uint64_t place = shards_of(seed_, epoch, num_shards()).inverse(shard);
  const Permutation order = within(seed_, epoch, shard, samples_in(shard));
  return epoch_of(epoch)->starts[place] + order.inverse(sample - firsts_[shard]);
}

uint64_t ShardOrder::n_at_place(uint64_t epoch, uint64_t place) const {
  FOREBAY_CHECK(place < size());
  const std::shared_ptr<const Epoch> order = epoch_of(epoch);
  const Piece& piece = *std::prev(std::ranges::upper_bound(order->pieces, place, {}, &Piece::place));
  return piece.n + place - piece.place;
}

uint64_t ShardOrder::place_of(uint64_t epoch, uint64_t n) const {
  FOREBAY_CHECK(n < size());
  const std::shared_ptr<const Epoch> order = epoch_of(epoch);
  const Piece& piece = *std::prev(std::ranges::upper_bound(order->in_order, n, {}, &Piece::n));
  return piece.place + n - piece.n;
}

void ShardOrder::append_parts(uint64_t epoch, uint64_t begin, uint64_t end,
                              std::vector<storage::EpochPart>* parts) const {
  for (const Piece& piece : epoch_of(epoch)->pieces) {
    const uint64_t from = std::max(begin, piece.place);
    const uint64_t to = std::min(end, piece.place + piece.length);
    if (from < to) {
      parts->push_back({epoch, piece.n + from - piece.place, piece.n + to - piece.place});
    }
  }
}

}  // namespace forebay::dataset
