// What processes see of a daemon that has been started again, over what an earlier one kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "forebay/cache/testing/faulty_files.h"
#include "forebay/cache/testing/hosted_cache_fixture.h"
#include "forebay/cache/testing/patterned.h"

namespace forebay::cache {
namespace {

using storage::ReadBytes;

using HostRestartTest = testing::HostedCacheTest;

// The first look at what an earlier run kept, which may be a part of what is read, compares all of it with
// its checksums.
TEST_F(HostRestartTest, WhoeverWaitsForTheDiskKeepsNobodyElseWaiting) {
  for (const uint64_t kept_bytes : {3 * kMiB, 2 * kMiB}) {
    SCOPED_TRACE(kept_bytes);
    const std::string key = fmt::format("large-{}", kept_bytes);
    const std::string text = testing::patterned(3 * kMiB, kept_bytes);
    put(key, text);
    const std::string small = fmt::format("small-{}", kept_bytes);
    put(small, "text");
    ASSERT_EQ(get(*new_store(), {.key = key, .length_bytes = kept_bytes}), text.substr(0, kept_bytes));
    daemon_.cache().flush();
    daemon_.stop();
    const auto files = std::make_shared<FaultyFiles>();
    CacheOptions options;
    options.directories = {
        {.path = daemon_.cache_directory(), .quota_bytes = 64 * kMiB, .least_free_bytes = 0}};
    options.files = files;
    daemon_.start(std::move(options));
    std::promise<void> begun;
    std::promise<void> disk;
    files->set_read_hook(
        [first = std::make_shared<std::once_flag>(), &begun, answers = disk.get_future().share()] {
          std::call_once(*first, [&] { begun.set_value(); });
          answers.wait();
          return ok_status();
        });
    std::promise<Result<ReadBytes>> read;
    const std::shared_ptr<HostStore> store = new_store();
    store->read({.key = key}, {}, [&](Result<ReadBytes> bytes) { read.set_value(std::move(bytes)); });
    begun.get_future().wait();
    EXPECT_EQ(get(*store, {.key = small}), "text");
    disk.set_value();
    const Result<ReadBytes> large = read.get_future().get();
    ASSERT_TRUE(large.ok()) << large.status();
    EXPECT_EQ(storage::text_of(*large), text);
    EXPECT_EQ(daemon_.cache().statistics().upstream_reads, kept_bytes == text.size() ? 1U : 2U);
    files->set_read_hook({});
    daemon_.stop();
    daemon_.start();
  }
}

TEST_F(HostRestartTest, ADaemonThatFindsBytesInUseLeavesThemAsTheyAre) {
  const std::string text = testing::patterned(kMiB, 9);
  const std::string version = put("a", text).version;
  {
    const std::shared_ptr<HostStore> store = new_store();
    ASSERT_EQ(get(*store, {.key = "a", .if_version = version}), text);
    daemon_.cache().flush();
  }
  daemon_.stop();
  daemon_.start();
  std::shared_ptr<HostStore> store = new_store();
  const Result<ReadBytes> held = read_now(*store, {.key = "a", .if_version = version});
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, 0U) << "kept over a restart";
  daemon_.stop();
  daemon_.start();
  EXPECT_EQ(daemon_.cache().statistics().entries, 1U);
  store = new_store();
  for (int i = 0; i < 150; ++i) {  // twice what the cache may hold
    const std::string key = "more" + std::to_string(i);
    put(key, testing::patterned(kMiB, 20));
    ASSERT_EQ(get(*store, {.key = key}).size(), kMiB);
  }
  daemon_.cache().flush();
  EXPECT_EQ(storage::text_of(*held), text);
}

}  // namespace
}  // namespace forebay::cache
