// A small cache on disk whose rules change, and objects of one size in it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {

inline constexpr size_t kRuledBytes = 500'000;

class RuledCache : public ::testing::Test {
 protected:
  ~RuledCache() override { close(); }

  CacheOptions options(std::vector<AdmissionRule> rules) {
    CacheOptions options = small_cache(directory_ / "cache", files_);
    options.directories.front().quota_bytes = quota_bytes_;
    options.admission = std::move(rules);
    options.most_pinned_bytes = most_pinned_bytes_;
    options.unix_seconds = [this] { return now_s_.load(); };
    return options;
  }
  void open(std::vector<AdmissionRule> rules = {}) {
    close();
    cache_ = *Cache::open(options(std::move(rules)));
  }
  void close() {
    if (cache_) {
      cache_->close();
      cache_.reset();
    }
  }
  void set_rules(std::vector<AdmissionRule> rules) {
    std::promise<void> done;
    cache_->set_rules(std::move(rules), [&] { done.set_value(); });
    done.get_future().get();
  }
  CacheCore& core() { return *cache_->core(); }
  void put(int number, size_t bytes = kRuledBytes) {
    put_whole(core(), number, bytes);
    core().flush();
  }
  /// More than the cache holds.
  void put_others() {
    for (int i = 100; i < 130; ++i) {
      put(i);
    }
  }
  bool has(int number, size_t bytes = kRuledBytes) {
    const std::optional<std::string> found = get_range(core(), number, {0, bytes});
    EXPECT_TRUE(!found || *found == content_of(number, bytes));
    return found.has_value();
  }

  TemporaryDirectory directory_;
  const std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
  std::atomic<uint32_t> now_s_ = 1'000'000;
  uint64_t quota_bytes_ = 8 << 20;
  uint64_t most_pinned_bytes_ = 0;
  std::shared_ptr<Cache> cache_;
};

}  // namespace forebay::cache
