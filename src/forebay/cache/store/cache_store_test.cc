#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_conformance.h"

// The suite's macro opens its tests in this namespace.
namespace forebay::storage {
namespace {

std::shared_ptr<cache::Cache> cache_in(const std::string& path) {
  return *cache::Cache::open(
      {.directories = {{.path = path, .quota_bytes = 64 << 20, .least_free_bytes = 0}}});
}

const SteppedClock& stopped_clock() {
  static const SteppedClock clock;
  return clock;
}

struct CacheOverMemory {
  TemporaryDirectory directory;
  std::shared_ptr<ObjectStore> store = cache::store_over(
      cache_in(directory / "cache"), std::make_shared<MemoryStore>(), {.clock = &stopped_clock()});
};
FOREBAY_TEST_OBJECT_STORE(CacheOverMemory, CacheOverMemory);

struct CacheInMemoryOnly {
  std::shared_ptr<ObjectStore> store =
      cache::store_over(*cache::Cache::open({.memory_bytes = 1 << 20}), std::make_shared<MemoryStore>(),
                        {.clock = &stopped_clock()});
};
FOREBAY_TEST_OBJECT_STORE(CacheInMemoryOnly, CacheInMemoryOnly);

struct CacheOverLocal {
  TemporaryDirectory directory;
  std::shared_ptr<ObjectStore> store =
      cache::store_over(cache_in(directory / "cache"),
                        std::make_shared<LocalStore>(LocalStoreOptions{.root = directory / "data"}),
                        {.clock = &stopped_clock()});
};
FOREBAY_TEST_OBJECT_STORE(CacheOverLocal, CacheOverLocal);

}  // namespace
}  // namespace forebay::storage
