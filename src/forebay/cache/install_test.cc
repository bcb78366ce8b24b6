#include "forebay/cache/install.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::text_of;

TEST(InstallCache, StoresOfTheSchemesAreReadThroughIt) {
  storage::StoreRegistry registry;
  const std::shared_ptr<Cache> cache = *Cache::open({.memory_bytes = 1 << 20});
  const auto plain = registry.resolve("mem://k")->store;
  install(registry, cache);
  EXPECT_EQ(registry.resolve("mem://k")->store, plain);
  install(registry, cache, {"mem"});
  const storage::ObjectAddress address = *registry.resolve("mem://k");
  const std::string content = "content";
  ASSERT_TRUE(write_now(*plain, address.key, as_bytes(content)).ok());
  EXPECT_EQ(text_of(*read_now(*address.store, {.key = address.key})), content);
  EXPECT_EQ(cache->statistics().upstream_bytes, content.size());
  EXPECT_EQ(address.uri(), plain->uri_of(address.key));
  install(registry, nullptr);
  EXPECT_EQ(registry.resolve("mem://k")->store, plain);
}

TEST(InstallCache, AForkedChildReadsPastIt) {
  const TemporaryDirectory directory;
  storage::StoreRegistry registry;
  std::shared_ptr<Cache> cache = *Cache::open({.directories = {{.path = directory / "cache"}}});
  install(registry, cache, {"mem"});
  storage::ObjectAddress address = *registry.resolve("mem://k");
  const std::string content(100'000, 'x');
  ASSERT_TRUE(write_now(*address.store, address.key, as_bytes(content)).ok());
  std::optional<storage::ReadBytes> view = *read_now(*address.store, {.key = address.key});
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<storage::ReadBytes> read = read_now(*address.store, {.key = address.key});
    const bool is_right = read.ok() && text_of(*read) == content && text_of(*view) == content;
    view.reset();
    install(registry, nullptr);
    address.store.reset();
    cache.reset();
    ::_exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace forebay::cache
