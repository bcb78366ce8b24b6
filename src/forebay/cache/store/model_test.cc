// Random calls through a cache over an upstream that fails, compared with a map of versioned objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/cache/testing/open_when_free.h"
#include "forebay/cache/testing/random_calls.h"

namespace forebay::cache {
namespace {

/// One store over a cache in this process.
struct OwnCache : CachedStores {
  size_t count() const override { return 1; }
  storage::ObjectStore& store(size_t) override { return *front; }
  void flush() override { cache->flush(); }
  void restart(RandomStream& random) override {
    front.reset();
    cache.reset();
    CacheOptions options;
    options.directories = {{.path = directory / "cache", .quota_bytes = 5 << 20, .least_free_bytes = 0}};
    options.segment_bytes = 2 << 20;
    options.memory_bytes = random.coin(0.5f) ? 1 << 20 : 0;
    options.files = files();
    cache = testing::open_when_free(options);
    front = store_over(cache, upstream, {.trusted_ns = RandomCalls::kTrustedNs, .clock = &clock});
  }

  virtual std::shared_ptr<FileSystem> files() { return host_files(); }

  TemporaryDirectory directory;
  SteppedClock clock;
  std::shared_ptr<storage::MemoryStore> bucket = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> upstream =
      std::make_shared<storage::FaultInjectingStore>(bucket);
  std::shared_ptr<Cache> cache;
  std::shared_ptr<storage::ObjectStore> front;
};

/// Its disk fails now and then, in the midst of a change, too; and before each restart it is as if the
/// process had been killed: from some change on, which may be half done, nothing reaches the disk.
struct CacheOnBadDisk final : OwnCache {
  explicit CacheOnBadDisk(uint64_t seed) : faults(seed, 5) {}
  ~CacheOnBadDisk() override {
    front.reset();
    cache.reset();  // it asks the disk until then
  }

  std::shared_ptr<FileSystem> files() override {
    auto disk = std::make_shared<FaultyFiles>();
    const MutexLock lock(mutex);
    last_change = faults.below(200);
    changes = 0;
    disk->set_hook([this](WritePoint, ChangePhase phase) {
      const MutexLock held(mutex);
      changes += phase == ChangePhase::kBefore ? 1 : 0;
      const bool is_killed =
          changes > last_change || (changes == last_change && phase != ChangePhase::kBefore);
      const bool fails = is_killed || faults.coin(0.01f);
      disturbed += fails ? 1 : 0;
      if (!fails) {
        return ok_status();
      }
      return is_killed ? errno_status(EMFILE, "after the process was killed")
                       : errno_status(faults.coin(0.3f) ? EIO : ENOMEM, "a disk that fails");
    });
    if (faults.coin(0.2f)) {
      disk->fail_reads(errno_status(EIO, "a disk that fails"));
    }
    return disk;
  }

  Mutex mutex;
  RandomStream faults FOREBAY_GUARDED_BY(mutex);
  uint64_t last_change FOREBAY_GUARDED_BY(mutex) = 0;  // that reaches the disk as a whole
  uint64_t changes FOREBAY_GUARDED_BY(mutex) = 0;
  uint64_t disturbed FOREBAY_GUARDED_BY(mutex) = 0;
};

TEST(CacheModel, RandomCallsOverABadDiskAgreeWithTheModel) {
  uint64_t disturbed = 0;
  const uint64_t seeds = rounds(8, 48);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    CacheOnBadDisk own(seed);
    RandomStream random(seed, 4);
    own.restart(random);
    RandomCalls calls(seed, own, own.bucket, own.upstream, own.clock);
    for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
      calls.step();
      if (i % 40 == 39) {
        calls.restart();
      }
    }
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(calls.answered(), 40u);
    const MutexLock lock(own.mutex);
    disturbed += own.disturbed;
  }
  EXPECT_GT(disturbed, 4 * seeds) << "the disk has not failed";
}

/// One cache for several threads, which does not end before they do.
struct SharedByThreads final : OwnCache {
  void restart(RandomStream& random) override {
    if (!front) {
      OwnCache::restart(random);
    }
  }
};

TEST(CacheModel, RandomCallsOnSeveralThreadsAgreeWithTheModel) {
  constexpr uint64_t kThreads = 4;
  for (uint64_t seed = 0; seed < rounds(3, 12); ++seed) {
    SharedByThreads own;
    RandomStream random(seed, 4);
    own.restart(random);
    std::vector<std::thread> threads;
    std::array<uint64_t, kThreads> answered{};
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        RandomCalls calls(seed * kThreads + thread, own, own.bucket, own.upstream, own.clock,
                          fmt::format("thread {}/", thread));
        for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) {
          calls.step();
        }
        answered[thread] = calls.answered();
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(*std::ranges::min_element(answered), 30u);
  }
}

TEST(CacheModel, RandomCallsAgreeWithTheModel) {
  for (uint64_t seed = 0; seed < rounds(6, 24); ++seed) {
    OwnCache own;
    RandomStream random(seed, 4);
    own.restart(random);
    RandomCalls calls(seed, own, own.bucket, own.upstream, own.clock);
    for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
      calls.step();
    }
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_GT(calls.answered(), 60u);
  }
}

}  // namespace
}  // namespace forebay::cache
