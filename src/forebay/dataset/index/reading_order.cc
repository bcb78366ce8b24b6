#include "forebay/dataset/index/reading_order.h"

#include <numeric>

namespace forebay::dataset {

ReadingOrder ReadingOrder::as_stored(size_t num_shards) {
  ReadingOrder order;
  order.shards.resize(num_shards);
  std::iota(order.shards.begin(), order.shards.end(), 0);
  order.own = order.shards;
  return order;
}

ReadingOrder ReadingOrder::of(const OrderOptions& options, size_t num_shards) {
  const bool can_be_ordered =
      num_shards <= ShardOrder::kMaxShards && options.num_shards <= ShardOrder::kMaxShares;
  if (!options.shard_first || !can_be_ordered || options.num_shards > num_shards) {
    return as_stored(num_shards);
  }
  ReadingOrder order = {.num_readers = options.num_shards, .is_by_shard = true};
  const uint64_t shares = options.num_shards;
  const Permutation shard_at = ShardOrder::shards_of(options.seed, 0, num_shards);
  const auto begin_of = [&](uint64_t share) { return ShardOrder::first_shard(share, num_shards, shares); };
  for (uint64_t nth = 0; order.shards.size() < num_shards; ++nth) {
    for (uint64_t i = 0; i < shares; ++i) {
      const uint64_t share = (options.shard_id + i) % shares;
      if (begin_of(share) + nth < begin_of(share + 1)) {
        order.shards.push_back(static_cast<uint32_t>(shard_at(begin_of(share) + nth)));
      }
    }
  }
  for (uint64_t place = begin_of(options.shard_id); place < begin_of(options.shard_id + 1); ++place) {
    order.own.push_back(static_cast<uint32_t>(shard_at(place)));
  }
  return order;
}

}  // namespace forebay::dataset
