// Orders that bring samples of like length together.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/dataset/order/order.h"
#include "forebay/dataset/testing/order_with.h"

namespace forebay::dataset {
namespace {

using testing::order_with;
using LengthsOfSamples = std::vector<uint64_t>;

OrderOptions bucketed(uint64_t size, uint32_t batch_size, uint32_t window) {
  RandomStream draws(random_key(7, 0, hash64("order_buckets_test")), size, 0);
  LengthsOfSamples lengths(size);
  std::ranges::generate(lengths, [&] { return draws.below(1000); });
  return {.dataset_size = size,
          .seed = 5,
          .random_shuffle = true,
          .batch_size = batch_size,
          .bucket_by_length = window,
          .lengths = std::make_shared<const LengthsOfSamples>(std::move(lengths))};
}

Order without_buckets(OrderOptions options) {
  options.bucket_by_length = 0;
  options.lengths = nullptr;
  return order_with(options);
}

uint64_t length_at(const Order& order, uint64_t k) {
  return (*order.options().lengths)[order.at(k).index];
}

/// What padding adds to batches, over what they have without.
double padded_share(const Order& order, const LengthsOfSamples& lengths, uint64_t batches) {
  uint64_t padded = 0;
  uint64_t whole = 0;
  for (uint64_t batch = 0; batch < batches; ++batch) {
    uint64_t longest = 0;
    for (uint64_t i = 0; i < order.options().batch_size; ++i) {
      const uint64_t length = lengths[order.at(batch * order.options().batch_size + i).index];
      longest = std::max(longest, length);
      whole += length;
    }
    padded += longest * order.options().batch_size;
  }
  return static_cast<double>(padded) / static_cast<double>(whole) - 1;
}

TEST(OrderBuckets, AnEpochHasTheSamplesThatItHasWithout) {
  for (const uint32_t shards : {1u, 3u}) {
    for (const bool is_padded : {false, true}) {
      for (uint32_t rank = 0; rank < shards; ++rank) {
        OrderOptions options = bucketed(101, 4, 5);
        options.num_shards = shards;
        options.shard_id = rank;
        options.pad_last_batch = is_padded;
        const Order order = order_with(options);
        const Order plain = without_buckets(options);
        for (uint64_t epoch = 0; epoch < 4; ++epoch) {
          std::set<std::array<uint64_t, 2>> found;
          std::set<std::array<uint64_t, 2>> expected;
          const uint64_t first = order.first_of_epoch(epoch);
          ASSERT_EQ(first, plain.first_of_epoch(epoch));
          for (uint64_t k = first; k < order.first_of_epoch(epoch + 1); ++k) {
            found.insert({order.at(k).position, order.at(k).index});
            expected.insert({plain.at(k).position, plain.at(k).index});
            EXPECT_EQ(order.at(k).is_padding, plain.at(k).is_padding);
          }
          EXPECT_EQ(found, expected);
        }
      }
    }
  }
}

TEST(OrderBuckets, BatchesNeedLittlePadding) {
  OrderOptions options = bucketed(4000, 16, 50);
  const Order order = order_with(options);
  EXPECT_LT(padded_share(order, *options.lengths, 250), 0.05);
  EXPECT_GT(padded_share(without_buckets(options), *options.lengths, 250), 0.5);
}

TEST(OrderBuckets, BatchesAreShuffledIfSamplesAre) {
  OrderOptions options = bucketed(800, 8, 100);
  const auto first_lengths = [](const Order& order) {
    LengthsOfSamples lengths;
    for (uint64_t batch = 0; batch < 100; ++batch) {
      lengths.push_back(length_at(order, batch * 8));
    }
    return lengths;
  };
  const LengthsOfSamples shuffled = first_lengths(order_with(options));
  EXPECT_FALSE(std::ranges::is_sorted(shuffled));
  options.random_shuffle = false;
  EXPECT_TRUE(std::ranges::is_sorted(first_lengths(order_with(options))));
}

TEST(OrderBuckets, FindIsTheInverse) {
  for (const bool is_padded : {false, true}) {
    OrderOptions options = bucketed(60, 4, 3);
    options.num_shards = 2;
    options.pad_last_batch = is_padded;
    const Order order = order_with(options);
    for (uint64_t k = 0; k < 200; ++k) {
      const StreamItem item = order.at(k);
      if (!item.is_padding) {
        EXPECT_EQ(order.find(item.epoch, item.position), k);
      }
      EXPECT_EQ(order.next_read(item.index, k), k);
    }
  }
}

TEST(OrderBuckets, WhatLooksAheadIsNeverToldALaterRead) {
  OrderOptions options = bucketed(60, 4, 3);
  options.num_shards = 2;
  const Order order = order_with(options);
  for (uint64_t from = 0; from < 130; ++from) {
    for (uint64_t index = 0; index < 60; ++index) {
      for (const uint64_t before : {uint64_t{300}, uint64_t{301}, uint64_t{305}, kNeverRead}) {
        const uint64_t exact = order.next_read(index, from, before);
        const uint64_t told = order.next_read_or_earlier(index, from, before);
        if (exact != kNeverRead) {
          ASSERT_LE(told, exact);
          ASSERT_LE(exact - told, 12u);
          ASSERT_GE(told, from);
        }
      }
    }
  }
}

TEST(OrderBuckets, ARankAloneHasTheSameAsOneThatBeganEarlier) {
  const OrderOptions options = bucketed(500, 8, 10);
  const Order one = order_with(options);
  const Order other = order_with(options);
  for (uint64_t k = 0; k < 1200; ++k) {
    one.at(k * 7 % 1200);  // windows in another order
    EXPECT_EQ(one.at(k), other.at(k));
  }
}

TEST(OrderBuckets, WhatCannotBeIsRefused) {
  OrderOptions options = bucketed(50, 4, 3);
  options.lengths = nullptr;
  EXPECT_EQ(Order::create(options).status().code(), StatusCode::kInvalidArgument);
  options = bucketed(50, 1 << 10, 1 << 16);
  EXPECT_EQ(Order::create(options).status().code(), StatusCode::kInvalidArgument);
  options = bucketed(50, 4, 3);
  options.begin =
      order_with({.dataset_size = 50, .num_shards = 2}).left_behind(std::array<uint64_t, 2>{3, 4});
  EXPECT_EQ(Order::create(options).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(fixed_shards_of(options), "bucket_by_length");
}

}  // namespace
}  // namespace forebay::dataset
