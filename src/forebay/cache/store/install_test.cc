#include "forebay/cache/store/install.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <semaphore>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/namespace_fixture.h"
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

TEST(InstallCache, WhatIsMountedAsImmutableIsNotLookedAtAgain) {
  const storage::NamespaceFixture names;
  names.mount({.path = "/fixed", .uri = "mem://bucket", .immutable = true});
  names.mount("/other", "mem://bucket");
  const auto plain = names.registry->resolve("mem://bucket")->store;
  const std::shared_ptr<Cache> cache = *Cache::open({.memory_bytes = 1 << 20});
  SteppedClock clock;
  install(*names.registry, cache, {"mem"}, {.clock = &clock});
  const storage::ObjectAddress fixed = *names.registry->resolve("/fixed/k");
  const storage::ObjectAddress other = *names.registry->resolve("/other/k");
  const std::string before = "before";
  const std::string after = "and after";
  ASSERT_TRUE(write_now(*plain, "bucket/k", as_bytes(before)).ok());
  for (const storage::ObjectAddress& address : {fixed, other}) {
    EXPECT_EQ(text_of(*read_now(*address.store, {.key = address.key})), before);
  }
  ASSERT_TRUE(write_now(*plain, "bucket/k", as_bytes(after)).ok());
  clock.advance_ns(int64_t{3'600'000'000'000});
  EXPECT_EQ(text_of(*read_now(*fixed.store, {.key = fixed.key})), before);
  EXPECT_EQ(text_of(*read_now(*other.store, {.key = other.key})), after);
  install(*names.registry, nullptr);
}

TEST(InstallCache, LocalFilesAreReadThroughItWhereTheirMountSaysSo) {
  const TemporaryDirectory directory;
  storage::StoreRegistry registry;
  const std::shared_ptr<Cache> cache = *Cache::open({.memory_bytes = 1 << 20});
  install(registry, cache);
  const storage::Uri uri = *storage::parse_uri(directory / "k");
  const storage::ObjectAddress plain = *registry.open(uri, {});
  const storage::ObjectAddress cached = *registry.open(uri, {.options = {{"cache", "on"}}});
  EXPECT_EQ(registry.open(uri, {.options = {{"cache", "off"}}})->store, plain.store);
  EXPECT_EQ(registry.open(uri, {.options = {{"cache", "x"}}}).status().code(), StatusCode::kInvalidArgument);
  const std::string content = "content";
  ASSERT_TRUE(write_now(*plain.store, plain.key, as_bytes(content)).ok());
  EXPECT_EQ(text_of(*read_now(*cached.store, {.key = cached.key})), content);
  EXPECT_EQ(cache->statistics().upstream_bytes, content.size());
  EXPECT_TRUE(plain.store->local_file(plain.key));
  EXPECT_FALSE(cached.store->local_file(cached.key)) << "whoever opens it reads past the cache";
}

TEST(InstallCache, AForkedChildReadsPastIt) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
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
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// The child has none of the cache's threads, so what they had to do in the parent is not waited for there.
TEST(InstallCache, AForkedChildDoesNotWaitForTheParentsWork) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  CacheOptions options = {.directories = {{.path = directory / "cache"}}};
  options.files = files;
  const std::shared_ptr<Cache> cache = *Cache::open(options);
  const auto store = store_over(cache, std::make_shared<storage::MemoryStore>());
  std::counting_semaphore<> begun(0);
  std::counting_semaphore<> go_on(0);
  files->set_hook([&](WritePoint, ChangePhase) {
    begun.release();
    go_on.acquire();
    return ok_status();
  });
  const std::string content(1000, 'x');
  ASSERT_TRUE(write_now(*store, "k", as_bytes(content)).ok());
  begun.acquire();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // ends a child that waits for ever
    cache->flush();
    const bool is_right =
        cache->statistics().entries == 0 &&
        cache->walk_all(WalkKind::kVerify, "mem://k").status().code() == StatusCode::kUnavailable;
    ::_exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  go_on.release(100);  // each change waits for one
  cache->flush();
}

}  // namespace
}  // namespace forebay::cache
