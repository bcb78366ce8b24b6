#include "forebay/dataset/order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset/testing/dali_orders.h"
#include "forebay/dataset/testing/order_with.h"

namespace forebay::dataset {
namespace {

using testing::order_with;

TEST(Order, EqualsWhatDaliDelivers) {
  for (const DaliOrder& dali : kDaliOrders) {
    OrderOptions options;
    options.dataset_size = static_cast<uint64_t>(dali.dataset_size);
    options.num_shards = static_cast<uint32_t>(dali.num_shards);
    options.shard_id = static_cast<uint32_t>(dali.shard_id);
    options.batch_size = static_cast<uint32_t>(dali.batch_size);
    options.pad_last_batch = dali.pad_last_batch;
    options.stick_to_shard = dali.stick_to_shard;
    const Order order = order_with(options);
    const std::string expected = dali.indices;
    std::string ours;
    for (uint64_t k = 0; k < expected.size(); ++k) {
      ours += static_cast<char>('0' + order.at(k).index);
    }
    EXPECT_EQ(ours, expected) << "size " << dali.dataset_size << " batch " << dali.batch_size << " shards "
                              << dali.num_shards << " shard " << dali.shard_id << " pad "
                              << dali.pad_last_batch << " stick " << dali.stick_to_shard;
  }
}

using Shards = std::vector<uint64_t>;

/// The options of an order shard by shard.
OrderOptions shard_first(const Shards& shards, uint32_t num_shards = 1) {
  OrderOptions options = {.num_shards = num_shards, .seed = 5, .shard_first = true};
  for (const uint64_t samples : shards) {
    options.dataset_size += samples;
  }
  options.stored_shards = std::make_shared<const Shards>(shards);
  return options;
}

/// Samples in shards of all lengths, some of them empty.
Shards uneven_shards(uint64_t size) {
  Shards shards = {0};
  for (uint64_t left = size, next = 1; left > 0; next = next * 3 % 17) {
    shards.push_back(std::min(left, next));
    left -= shards.back();
    if (next == 9) {
      shards.push_back(0);
    }
  }
  return shards;
}

/// All valid combinations of options, for small data sets.
std::vector<OrderOptions> many_options() {
  std::vector<OrderOptions> all;
  for (const uint64_t size : {1, 2, 7, 24, 101}) {
    for (const uint32_t shards : {1u, 2u, 3u, 8u}) {
      for (int flags = 0; flags < 16 && shards <= size; ++flags) {
        OrderOptions options = {.dataset_size = size, .num_shards = shards, .seed = 5, .batch_size = 4};
        options.random_shuffle = (flags & 1) != 0;
        options.stick_to_shard = (flags & 2) != 0;
        options.pad_last_batch = (flags & 4) != 0;
        options.shuffle_after_epoch = (flags & 8) != 0;
        if (!options.shuffle_after_epoch || (!options.random_shuffle && !options.stick_to_shard)) {
          all.push_back(options);
        }
      }
      for (const Shards& stored : {Shards{size}, uneven_shards(size), Shards(size, 1)}) {
        OrderOptions options = shard_first(stored, std::min<uint32_t>(shards, static_cast<uint32_t>(size)));
        options.batch_size = 4;
        all.push_back(options);
        options.pad_last_batch = true;
        all.push_back(options);
      }
    }
  }
  return all;
}

TEST(Order, TheRanksOfAnEpochReadEverySampleOnce) {
  for (OrderOptions options : many_options()) {
    for (const uint64_t epoch : {0, 1, 2, 3, 10}) {
      std::multiset<uint64_t> seen;
      std::multiset<uint64_t> positions;
      for (uint32_t rank = 0; rank < options.num_shards; ++rank) {
        options.shard_id = rank;
        const Order order = order_with(options);
        const uint64_t first = order.first_of_epoch(epoch);
        for (uint64_t k = first; k < first + order.samples_in_epoch(epoch); ++k) {
          const StreamItem item = order.at(k);
          ASSERT_EQ(item.epoch, epoch);
          ASSERT_EQ(order.epoch_of(k), epoch);
          ASSERT_EQ(item.index, order.index_at(epoch, item.position));
          ASSERT_EQ(item.position, order.position_of(epoch, item.index));
          if (!item.is_padding) {
            seen.insert(item.index);
            positions.insert(item.position);
          }
        }
        ASSERT_EQ(order.first_of_epoch(epoch + 1), first + order.samples_in_epoch(epoch));
      }
      ASSERT_EQ(seen.size(), options.dataset_size);
      ASSERT_EQ(std::set<uint64_t>(seen.begin(), seen.end()).size(), options.dataset_size);
      ASSERT_EQ(std::set<uint64_t>(positions.begin(), positions.end()).size(), options.dataset_size);
    }
  }
}

TEST(Order, TellsWhenASampleIsReadNext) {
  for (OrderOptions options : many_options()) {
    if (options.dataset_size > 24) {
      continue;
    }
    options.shard_id = options.num_shards - 1;
    const Order order = order_with(options);
    const uint64_t before = order.first_of_epoch(5) + 1;
    std::vector<uint64_t> next(options.dataset_size, kNeverRead);
    for (uint64_t k = before; k-- > 0;) {
      next[order.at(k).index] = k;
      for (uint64_t index = 0; index < options.dataset_size; ++index) {
        ASSERT_EQ(order.next_read(index, k, before), next[index]) << "sample " << index << " from " << k;
      }
    }
  }
}

TEST(Order, TellsWhenASampleIsReadNextOfAnEndlessStream) {
  const Order order =
      order_with({.dataset_size = 1'000'003, .num_shards = 8, .seed = 1, .random_shuffle = true});
  for (uint64_t index = 0; index < 1000; ++index) {
    const uint64_t k = order.next_read(index, 5'000'000);
    ASSERT_GE(k, 5'000'000u);
    ASSERT_EQ(order.at(k).index, index);
  }
  const Order stuck =
      order_with({.dataset_size = 100, .num_shards = 2, .random_shuffle = true, .stick_to_shard = true});
  uint64_t never = 0;
  for (uint64_t index = 0; index < 100; ++index) {
    never += stuck.next_read(index, 7) == kNeverRead;
  }
  EXPECT_EQ(never, 50u);
  EXPECT_EQ(order.next_read(0, 9, 9), kNeverRead);
}

TEST(Order, AnEpochDoesNotDependOnTheNumberOfRanks) {
  for (const uint32_t shards : {1u, 2u, 3u, 8u}) {
    const Order order =
        order_with({.dataset_size = 1000, .num_shards = shards, .seed = 9, .random_shuffle = true});
    const Order one = order_with({.dataset_size = 1000, .seed = 9, .random_shuffle = true});
    for (uint64_t position = 0; position < 1000; position += 7) {
      EXPECT_EQ(order.index_at(4, position), one.index_at(4, position));
      EXPECT_EQ(order.replacement_index(4, position, 1), one.replacement_index(4, position, 1));
    }
  }
}

TEST(Order, PaddedEpochsAreWholeBatchesOfOneLength) {
  for (const OrderOptions& options : many_options()) {
    if (!options.pad_last_batch) {
      continue;
    }
    const Order order = order_with(options);
    for (uint32_t rank = 0; rank < options.num_shards; ++rank) {
      EXPECT_EQ(order.samples_in_epoch(rank, 3), order.samples_in_epoch(0, 0));
      EXPECT_EQ(order.samples_in_epoch(rank, 3) % options.batch_size, 0u);
      EXPECT_LE(order.unpadded_samples_in_epoch(rank, 3), order.samples_in_epoch(rank, 3));
    }
    const StreamItem last = order.at(order.samples_in_epoch(0) - 1);
    const StreamItem real = order.at(order.unpadded_samples_in_epoch(0, 0) - 1);
    EXPECT_EQ(last.index, real.index);
    EXPECT_EQ(last.position, real.position);
  }
}

TEST(Order, BatchSizeMattersForPaddingOnly) {
  const Order small =
      order_with({.dataset_size = 101, .num_shards = 3, .random_shuffle = true, .batch_size = 1});
  const Order large =
      order_with({.dataset_size = 101, .num_shards = 3, .random_shuffle = true, .batch_size = 64});
  for (uint64_t k = 0; k < 500; ++k) {
    EXPECT_EQ(small.at(k), large.at(k));
  }
}

TEST(Order, ShufflesByEpochAndSeed) {
  const Order order = order_with({.dataset_size = 1000, .seed = 1, .random_shuffle = true});
  const Order other = order_with({.dataset_size = 1000, .seed = 2, .random_shuffle = true});
  int same_epochs = 0;
  int same_seeds = 0;
  double moved = 0;
  for (uint64_t k = 0; k < 1000; ++k) {
    same_epochs += order.at(k).index == order.at(k + 1000).index;
    same_seeds += order.at(k).index == other.at(k).index;
    moved += std::abs(static_cast<double>(order.at(k).index) - static_cast<double>(k)) / 1000;
  }
  EXPECT_LT(same_epochs, 10);
  EXPECT_LT(same_seeds, 10);
  // The mean distance of two uniform positions, so the shuffle is global.
  EXPECT_NEAR(moved / 1000, 1.0 / 3, 0.05);
}

TEST(Order, ShardFirstReadsOneShardAfterTheOther) {
  const Shards shards = {30, 10, 0, 25, 35};
  const std::vector<uint64_t> firsts = {0, 30, 40, 40, 65, 100};
  const Order order = order_with(shard_first(shards));
  std::set<std::vector<uint64_t>> orders;
  for (uint64_t epoch = 0; epoch < 6; ++epoch) {
    std::vector<uint64_t> visited;
    std::vector<uint64_t> samples;
    for (uint64_t k = 100 * epoch; k < 100 * (epoch + 1); ++k) {
      samples.push_back(order.at(k).index);
      const uint64_t shard =
          static_cast<uint64_t>(std::ranges::upper_bound(firsts, samples.back()) - firsts.begin()) - 1;
      if (visited.empty() || visited.back() != shard) {
        visited.push_back(shard);
      }
    }
    EXPECT_EQ(visited.size(), 4u) << "each of the shards with samples once";
    EXPECT_FALSE(std::ranges::is_sorted(samples));
    EXPECT_TRUE(orders.insert(samples).second) << "another order in each epoch";
  }
}

TEST(Order, ShardFirstGivesRanksWholeShardsWhereThatIsEven) {
  for (uint32_t rank = 0; rank < 4; ++rank) {
    OrderOptions options = shard_first(Shards(8, 25), 4);
    options.shard_id = rank;
    const Order order = order_with(options);
    std::set<uint64_t> shards;
    for (uint64_t k = 0; k < 50; ++k) {
      shards.insert(order.at(k).index / 25);
    }
    EXPECT_EQ(shards.size(), 2u);
  }
}

TEST(Order, ShardFirstGivesRanksWhatOthersHaveTooMuchOf) {
  std::vector<uint64_t> lengths;
  std::multiset<uint64_t> seen;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    OrderOptions options = shard_first({1, 2, 90, 1, 4, 2}, 3);
    options.shard_id = rank;
    const Order order = order_with(options);
    lengths.push_back(order.samples_in_epoch(0));
    for (uint64_t k = 0; k < lengths.back(); ++k) {
      seen.insert(order.at(k).index);
    }
  }
  EXPECT_EQ(lengths, (std::vector<uint64_t>{33, 33, 34}));
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 100u);
}

// So that random numbers are those of a run in which all shards are known.
TEST(Order, ShardFirstPositionsOfAShardAreThoseOfAnyOtherLengths) {
  const Order order = order_with(shard_first({30, 10, 20, 25, 35}, 2));
  Shards others = {31, 11, 21, 26, 36};
  const uint64_t first = order.at(0).index;
  const Shards ends = {30, 40, 60, 85, 120};
  const auto shard = std::ranges::upper_bound(ends, first) - ends.begin();
  others[shard] -= 1;
  const Order other = order_with(shard_first(others, 2));
  for (uint64_t k = 0; k < others[shard]; ++k) {
    EXPECT_EQ(order.at(k).position, other.at(k).position);
  }
  EXPECT_NE(order.find(0, order.at(0).position), std::nullopt);
  EXPECT_FALSE(order.has_position(0, order.at(0).position + 35));
  EXPECT_FALSE(order.has_position(0, kNeverRead));
}

// A cache asks so of every item for each of the ranks.
TEST(Order, ShardFirstLooksFarAheadWithoutMakingEpochsAnew) {
  OrderOptions options = shard_first(Shards(20'000, 1), 16);
  const Order order = order_with(options);
  const uint64_t end = order.first_of_epoch(32);
  std::set<uint64_t> read;
  for (uint64_t k = 0; k < end; ++k) {
    read.insert(order.at(k).index);
  }
  for (uint64_t index = 0; index < 20'000; ++index) {
    ASSERT_EQ(order.next_read(index, 0, end) != kNeverRead, read.contains(index));
  }
  options.shard_id = 1;
  EXPECT_NE(order_with(options).at(0).index, order.at(0).index);
}

TEST(Order, ARankThatSticksKeepsItsSamples) {
  OrderOptions options = {.dataset_size = 100, .num_shards = 3, .shard_id = 1, .random_shuffle = true};
  options.stick_to_shard = true;
  const Order order = order_with(options);
  std::set<uint64_t> first;
  std::vector<uint64_t> orders[2];
  for (uint64_t k = 0; k < 33; ++k) {
    first.insert(order.at(k).index);
  }
  EXPECT_EQ(order.samples_in_epoch(0), 33u);
  for (uint64_t epoch = 1; epoch < 3; ++epoch) {
    for (uint64_t k = 0; k < 33; ++k) {
      const uint64_t index = order.at(epoch * 33 + k).index;
      EXPECT_TRUE(first.contains(index));
      orders[epoch - 1].push_back(index);
    }
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(*first.rbegin(), 65u);  // not a range of the stored order, so labels are mixed
  EXPECT_TRUE(first.contains(order.replacement_index(2, order.at(5).position, 0)));
}

TEST(Order, AnyPlaceIsReachedAtOnce) {
  const uint64_t large = (uint64_t{1} << 40) + 12345;
  for (const bool pad : {false, true}) {
    OrderOptions options = {
        .dataset_size = large, .num_shards = 1000, .shard_id = 999, .random_shuffle = true};
    options.pad_last_batch = pad;
    const Order order = order_with(options);
    const uint64_t first = order.first_of_epoch(70'000);
    EXPECT_EQ(order.at(first).epoch, 70'000u);
    EXPECT_EQ(order.at(first - 1).epoch, 69'999u);
    EXPECT_LT(order.at(first).index, large);
  }
}

TEST(Order, MetaAsDaliGivesIt) {
  OrderOptions options = {
      .dataset_size = 7, .num_shards = 3, .shard_id = 1, .pad_last_batch = true, .batch_size = 2};
  EXPECT_EQ(order_with(options).reader_meta().epoch_size, 7u);
  EXPECT_EQ(order_with(options).reader_meta().epoch_size_padded, 9u);
  EXPECT_FALSE(order_with(options).reader_meta().stick_to_shard);
  options.pad_last_batch = false;
  options.shuffle_after_epoch = true;
  EXPECT_EQ(order_with(options).reader_meta().epoch_size_padded, 7u);
  EXPECT_TRUE(order_with(options).reader_meta().stick_to_shard);
}

TEST(Order, RefusesWhatHasNoMeaning) {
  const OrderOptions wrong[] = {
      {.dataset_size = 0},
      {.dataset_size = 2, .num_shards = 3},
      {.dataset_size = 2, .num_shards = 0},
      {.dataset_size = 2, .num_shards = 2, .shard_id = 2},
      {.dataset_size = 2, .batch_size = 0},
      {.dataset_size = 2, .random_shuffle = true, .shuffle_after_epoch = true},
      {.dataset_size = 2, .shuffle_after_epoch = true, .stick_to_shard = true},
      {.dataset_size = 2, .shard_first = true},
      {.dataset_size = 2, .shard_first = true, .stored_shards = std::make_shared<const Shards>()},
      {.dataset_size = 2, .shard_first = true, .stored_shards = std::make_shared<const Shards>(Shards{3})},
      {.dataset_size = 2, .random_shuffle = true, .shard_first = true},
      {.dataset_size = 2, .shard_first = true, .shuffle_after_epoch = true},
      {.dataset_size = 2, .shard_first = true, .stick_to_shard = true},
  };
  for (const OrderOptions& options : wrong) {
    EXPECT_EQ(Order::create(options).status().code(), StatusCode::kInvalidArgument);
  }
}

enum class Shuffle { kNone, kGlobal, kShardFirst };

/// A run of `shards` ranks that begins at `begin`.
std::vector<Order> ranks_of(uint64_t size, uint32_t shards, Shuffle shuffle,
                            const storage::StreamBegin& begin) {
  OrderOptions options = shard_first(uneven_shards(size), shards);
  options.shard_first = shuffle == Shuffle::kShardFirst;
  options.random_shuffle = shuffle == Shuffle::kGlobal;
  options.begin = begin;
  std::vector<Order> ranks;
  for (uint32_t rank = 0; rank < shards; ++rank) {
    options.shard_id = rank;
    ranks.push_back(order_with(options));
  }
  return ranks;
}

using Reads = std::multiset<std::pair<uint64_t, uint64_t>>;  // epoch, position

void check_item(const Order& order, uint64_t k) {
  const StreamItem item = order.at(k);
  ASSERT_EQ(order.epoch_of(k), item.epoch);
  ASSERT_EQ(item.index, order.index_at(item.epoch, item.position));
  ASSERT_EQ(order.find(item.epoch, item.position), k);
  ASSERT_EQ(order.next_read(item.index, k, k + 1), k);
  ASSERT_GE(k, order.first_of_epoch(item.epoch));
  ASSERT_LT(k, order.first_of_epoch(item.epoch) + order.samples_in_epoch(item.epoch));
}

TEST(Order, RanksOfAnyNumberGoOnFromOthers) {
  std::minstd_rand random(3);
  for (int trial = 0; trial < 600; ++trial) {
    const auto shuffle = static_cast<Shuffle>(trial % 3);
    const uint64_t size = 1 + random() % 40;
    storage::StreamBegin begin;
    Reads seen;
    uint64_t last_epoch = 0;
    for (int run = 0; run < 4; ++run) {
      const auto shards = static_cast<uint32_t>(1 + random() % std::min<uint64_t>(size, 6));
      const std::vector<Order> ranks = ranks_of(size, shards, shuffle, begin);
      std::vector<uint64_t> read;
      for (const Order& rank : ranks) {
        read.push_back(random() % (1 + 2 * size / shards));
        for (uint64_t k = 0; k < read.back(); ++k) {
          check_item(rank, k);
          seen.emplace(rank.at(k).epoch, rank.at(k).position);
          last_epoch = std::max(last_epoch, rank.at(k).epoch);
        }
      }
      begin = ranks[0].left_behind(read);
    }
    for (const Order& rank : ranks_of(size, 1, shuffle, begin)) {
      for (uint64_t k = 0; rank.epoch_of(k) <= last_epoch; ++k) {
        check_item(rank, k);
        seen.emplace(rank.at(k).epoch, rank.at(k).position);
      }
    }
    ASSERT_EQ(seen.size(), size * (last_epoch + 1));
    ASSERT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size());
  }
}

TEST(Order, WhatIsLeftIsDividedEvenly) {
  const std::vector<Order> four = ranks_of(1000, 4, Shuffle::kGlobal, {});
  const storage::StreamBegin begin = four[0].left_behind(std::vector<uint64_t>{100, 50, 250, 260});
  EXPECT_EQ(begin.first_epoch, 0u);
  EXPECT_EQ(begin.first_whole_epoch, 2u);  // the last rank has read ten samples of the second epoch
  for (const Order& rank : ranks_of(1000, 3, Shuffle::kGlobal, begin)) {
    EXPECT_NEAR(static_cast<double>(rank.samples_in_epoch(0)), 350 / 3.0, 1);
    EXPECT_NEAR(static_cast<double>(rank.samples_in_epoch(1)), 990 / 3.0, 1);
    EXPECT_NEAR(static_cast<double>(rank.samples_in_epoch(2)), 1000 / 3.0, 1);
    EXPECT_EQ(rank.next_read(four[1].at(0).index, 0, rank.first_of_epoch(1)), kNeverRead) << "it was read";
  }
}

TEST(Order, RefusesABeginThatCannotBe) {
  const auto refused = [](const storage::StreamBegin& begin) {
    return !Order::create({.dataset_size = 10, .begin = begin}).ok();
  };
  EXPECT_FALSE(refused({0, 1, {{0, 2, 4}, {0, 4, 10}}}));
  EXPECT_TRUE(refused({1, 0, {}}));
  EXPECT_TRUE(refused({0, uint64_t{1} << 40, {}}));
  EXPECT_TRUE(refused({0, 1, {{0, 2, 11}}})) << "beyond the data";
  EXPECT_TRUE(refused({0, 1, {{0, 4, 4}}}));
  EXPECT_TRUE(refused({0, 1, {{0, 4, 6}, {0, 5, 8}}}));
  EXPECT_TRUE(refused({0, 1, {{1, 4, 6}}})) << "of a whole epoch";
  EXPECT_TRUE(refused({1, 2, {{0, 4, 6}}})) << "before the first epoch";
}

}  // namespace
}  // namespace forebay::dataset
