// A store that is written back keeps the promises of every store, while objects wait and once they are
// stored, and over a cache, too. What they do not cover is that a version gets another name when it is
// stored.
#include <gtest/gtest.h>

#include <map>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/journal/write_back_store.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/unsteady_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_conformance.h"

// The suite's macro opens its tests in this namespace.
namespace forebay::storage {
namespace {

const SteppedClock& standing_clock() {
  static const SteppedClock clock;
  return clock;
}

/// Tries again only what it is told to hurry with, on a thread of its own.
class HurriedTimer final : public Timer {
 public:
  int64_t now_ns() const override { return steady_clock().now_ns(); }
  Id at(int64_t, absl::AnyInvocable<void()> then) override {
    const MutexLock lock(mutex_);
    waiting_.emplace(++last_, std::move(then));
    return last_;
  }
  void hurry(Id id) override {
    absl::AnyInvocable<void()> then;
    {
      const MutexLock lock(mutex_);
      const auto found = waiting_.find(id);
      if (found == waiting_.end()) {
        return;
      }
      then = std::move(found->second);
      waiting_.erase(found);
    }
    worker_.add(std::move(then), 0);
  }

 private:
  Mutex mutex_;
  Id last_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::map<Id, absl::AnyInvocable<void()>> waiting_ FOREBAY_GUARDED_BY(mutex_);
  cache::DiskWorker worker_;
};

struct WrittenBackStore {
  WrittenBackStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<ObjectStore> upstream) {
    cache::WriteBackOptions options;
    options.folder = directory / "journal";
    options.timer = &timer;
    options.least_free_bytes = 0;
    options.resolve = [inner, upstream](const std::string&, const std::string& uri) {
      return Result<cache::WriteBackTarget>({inner, upstream, uri.substr(upstream->uri_of("").size())});
    };
    journal = *cache::WriteBack::open(std::move(options));
    journal->start();
    store = std::make_shared<cache::WriteBackStore>(
        inner, upstream, journal, cache::WriteBackUse{.mount = "/data", .most_bytes = uint64_t{1} << 30});
  }
  ~WrittenBackStore() { journal->stop(); }

  const TemporaryDirectory directory;
  HurriedTimer timer;
  std::shared_ptr<cache::WriteBack> journal;
  std::shared_ptr<ObjectStore> store;
};

/// Each second attempt to write an object fails, so objects wait until somebody needs them stored.
std::shared_ptr<ObjectStore> failing(std::shared_ptr<ObjectStore> inner) {
  struct Attempts {
    Mutex mutex;
    std::map<std::string, int> of FOREBAY_GUARDED_BY(mutex);
  };
  auto upstream = std::make_shared<cache::testing::UnsteadyStore>(std::move(inner));
  upstream->before_write = [attempts = std::make_shared<Attempts>()](const std::string& key) {
    const MutexLock lock(attempts->mutex);
    return attempts->of[key]++ % 2 == 0 ? unavailable("try later") : ok_status();
  };
  return upstream;
}

struct StoredWhenNeeded : WrittenBackStore {
  StoredWhenNeeded() : StoredWhenNeeded(failing(std::make_shared<MemoryStore>())) {}
  explicit StoredWhenNeeded(const std::shared_ptr<ObjectStore>& upstream)
      : WrittenBackStore(upstream, upstream) {}
};
FOREBAY_TEST_OBJECT_STORE(StoredWhenNeeded, StoredWhenNeeded);

struct StoredThroughCache : WrittenBackStore {
  StoredThroughCache() : StoredThroughCache(std::make_shared<TemporaryDirectory>()) {}
  explicit StoredThroughCache(const std::shared_ptr<TemporaryDirectory>& files)
      : StoredThroughCache(
            files, failing(std::make_shared<LocalStore>(LocalStoreOptions{.root = *files / "data"})),
            *cache::Cache::open(
                {.directories = {
                     {.path = *files / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}}})) {}
  StoredThroughCache(std::shared_ptr<TemporaryDirectory> files, const std::shared_ptr<ObjectStore>& upstream,
                     const std::shared_ptr<cache::Cache>& cache)
      : WrittenBackStore(store_over(cache, upstream, {.clock = &standing_clock()}), upstream),
        files(std::move(files)) {}
  std::shared_ptr<TemporaryDirectory> files;
};
FOREBAY_TEST_OBJECT_STORE(StoredThroughCache, StoredThroughCache);

}  // namespace
}  // namespace forebay::storage
