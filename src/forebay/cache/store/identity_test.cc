// What a cached name stands for: one service's object, in a version that proves its content.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/weak_store.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::CallContext;
using storage::ReadBytes;
using storage::text_of;

std::shared_ptr<Cache> identity_cache(const TemporaryDirectory& directory) {
  return *Cache::open(
      {.directories = {{.path = directory / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}}});
}

/// The same URIs and versions as others have, with content of its own.
class ServiceStore final : public storage::ForwardingStore {
 public:
  explicit ServiceStore(std::string name)
      : ForwardingStore(std::make_shared<storage::MemoryStore>()), name_(std::move(name)) {}
  std::string service() const override { return name_; }
  void stat(std::string key, const CallContext&, storage::StatCallback done) override {
    done(storage::ObjectStat{.key = std::move(key), .size_bytes = name_.size(), .version = "v1"});
  }
  void read(storage::ReadRequest, const CallContext&, storage::ReadCallback done) override {
    const auto text = std::make_shared<const std::string>(name_);
    done(ReadBytes{.owner = text, .bytes = as_bytes(*text), .version = "v1"});
  }

 private:
  const std::string name_;
};

TEST(CacheIdentity, ObjectsOfTwoServicesAreDifferentThoughTheirUrisAreTheSame) {
  const TemporaryDirectory directory;
  for (int run = 0; run < 2; ++run) {
    const std::shared_ptr<Cache> cache = identity_cache(directory);
    for (int round = 0; round < 2; ++round) {
      for (const std::string name : {"https://one.example", "https://two.example"}) {
        const auto store = store_over(cache, std::make_shared<ServiceStore>(name));
        EXPECT_EQ(text_of(*read_now(*store, {.key = "k"})), name);
      }
    }
    EXPECT_EQ(cache->statistics().upstream_reads, run == 0 ? 2U : 0U);
    cache->close();
  }
}

TEST(CacheIdentity, WhatHasAWeakVersionIsNotKeptUnlessItNeverChanges) {
  for (const bool is_immutable : {false, true}) {
    const TemporaryDirectory directory;
    const auto bucket = std::make_shared<storage::MemoryStore>();
    const std::string small = "small";
    const std::string large(3 << 20, 'l');
    ASSERT_TRUE(write_now(*bucket, "small", as_bytes(small)).ok());
    ASSERT_TRUE(write_now(*bucket, "large", as_bytes(large)).ok());
    const std::shared_ptr<Cache> cache = identity_cache(directory);
    const auto store =
        store_over(cache, std::make_shared<storage::WeakStore>(bucket), {.is_immutable = is_immutable});
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(text_of(*read_now(*store, {.key = "small"})), small);
      EXPECT_EQ(text_of(*read_now(*store, {.key = "large"})), large);
    }
    EXPECT_EQ(cache->statistics().upstream_bytes, (small.size() + large.size()) * (is_immutable ? 1 : 2));
    EXPECT_EQ(cache->statistics().entries > 0, is_immutable);
  }
}

// As a file that is opened, and read some time later.
TEST(CacheIdentity, LongRangesOfANamedVersionAreKeptHoweverLongAgoItsSizeWasLearnt) {
  for (const bool names_size : {false, true}) {
    const TemporaryDirectory directory;
    const auto bucket = std::make_shared<storage::MemoryStore>();
    const auto upstream = std::make_shared<storage::FaultInjectingStore>(bucket);
    std::string content(9 << 20, '\0');
    for (size_t i = 0; i < content.size(); ++i) {
      content[i] = static_cast<char>(i >> 12);
    }
    ASSERT_TRUE(write_now(*bucket, "k", as_bytes(content)).ok());
    SteppedClock clock;
    const std::shared_ptr<Cache> cache = identity_cache(directory);
    const auto store = store_over(cache, upstream, {.clock = &clock});
    const storage::ObjectStat stat = *stat_now(*store, "k");
    for (int round = 0; round < 2; ++round) {
      for (uint64_t at = 0; at < content.size(); at += 4'000'000) {
        clock.advance_ns(10 * kSecond);
        const uint64_t bytes = std::min<uint64_t>(4'000'000, content.size() - at);
        storage::ReadRequest request = {
            .key = "k", .offset_bytes = at, .length_bytes = bytes, .if_version = stat.version};
        if (names_size) {
          request.object_bytes = stat.size_bytes;
        }
        EXPECT_EQ(text_of(*read_now(*store, std::move(request))), content.substr(at, bytes));
      }
    }
    EXPECT_EQ(cache->statistics().upstream_bytes, content.size()) << names_size;
  }
}

}  // namespace
}  // namespace forebay::cache
