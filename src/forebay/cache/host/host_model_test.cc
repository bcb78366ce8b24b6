// Random calls by two processes to one daemon, which is ended and started again, over an upstream that fails;
// compared with a map of versioned objects.
#include <gtest/gtest.h>

#include <array>

#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/cache/testing/random_calls.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache {
namespace {

/// A thread that fetches ahead may look at the clock after the test.
SteppedClock& clock() {
  static auto* const stepped = new SteppedClock;
  return *stepped;
}

/// The stores of two processes at one daemon. After a restart, each either goes on without it or comes back.
struct HostedStores final : CachedStores {
  HostedStores() {
    daemon.stop();
    start();
    fronts = {daemon.new_store(), daemon.new_store()};
  }

  size_t count() const override { return fronts.size(); }
  storage::ObjectStore& store(size_t number) override { return *fronts[number]; }
  // Messages of one process are taken in their order.
  void settle(size_t number) override { (void)stat_now(*fronts[number], "none"); }
  void flush() override { daemon.cache().flush(); }
  void restart(RandomStream& random) override {
    daemon.stop();
    start();
    for (std::shared_ptr<HostStore>& front : fronts) {
      if (random.coin(0.7f)) {
        front = daemon.new_store();
      }
    }
  }
  void start() {
    CacheOptions options;
    options.directories = {{.path = daemon.cache_directory(), .quota_bytes = 5 << 20, .least_free_bytes = 0}};
    options.segment_bytes = 2 << 20;
    daemon.start(std::move(options));
  }

  TemporaryDirectory directory;
  HostedCache daemon{directory.path(), clock()};
  std::array<std::shared_ptr<HostStore>, 2> fronts;
};

TEST(HostModel, RandomCallsOfTwoProcessesAgreeWithTheModel) {
  for (uint64_t seed = 0; seed < rounds(6, 24); ++seed) {
    HostedStores stores;
    RandomCalls calls(seed, stores, stores.daemon.bucket(), stores.daemon.faulty_upstream(), clock());
    for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
      calls.step();
    }
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(calls.answered(), 60u);
  }
}

}  // namespace
}  // namespace forebay::cache
