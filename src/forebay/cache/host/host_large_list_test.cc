// A listing of a million names through the daemon: what it costs in memory does not depend on how long it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/numbered_store.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kNames = 1'000'000;

/// In order, with bytes that are no text among them.
std::string name_of(uint64_t number) {
  return fmt::format("deep/\x01\xff {:04}/\n{:03}.jpg", number / 1000, number % 1000);
}

size_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) {
      return std::stoull(line.substr(8)) << 10;
    }
  }
  return 0;
}

class HostLargeListTest : public ::testing::Test {
 protected:
  HostLargeListTest() {
    server_ = *HostServer::start(
        {.socket = directory_.path() + "/socket",
         .cache =
             *Cache::open({.directories = {{.path = directory_.path() + "/cache", .least_free_bytes = 0}}}),
         .open = [names = names_](const std::string& uri, const storage::StoreOptions&) {
           return Result<storage::ObjectAddress>({names, uri.substr(names->uri_of("").size())});
         }});
    store_ = *HostStore::create(*HostClient::connect(directory_.path() + "/socket"), names_);
  }

  /// Reads up to `most` names and compares them. Returns how many there were.
  uint64_t read(storage::ListRequest request, uint64_t most = kNames) {
    const std::unique_ptr<storage::ListStream> stream = store_->open_list(std::move(request));
    uint64_t count = 0;
    for (bool is_last = false; !is_last && count < most;) {
      const Result<storage::ListPage> page = next_page_now(*stream);
      if (!page.ok()) {
        ADD_FAILURE() << page.status();
        return count;
      }
      for (const storage::ObjectStat& object : page->objects) {
        EXPECT_EQ(object.key, name_of(count));
        EXPECT_EQ(object.size_bytes, count * 10);
        ++count;
      }
      is_last = page->is_last;
    }
    return count;
  }

  TemporaryDirectory directory_;
  const std::shared_ptr<storage::NumberedStore> names_ =
      std::make_shared<storage::NumberedStore>(kNames, name_of);
  std::unique_ptr<HostServer> server_;
  std::shared_ptr<HostStore> store_;
};

TEST_F(HostLargeListTest, TakesLittleMemory) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers keep what was freed";
#endif
  read({.prefix = "deep/"}, 50'000);
  const size_t before = anonymous_bytes();
  EXPECT_EQ(read({.prefix = "deep/"}), kNames);
  const size_t after = anonymous_bytes();
  EXPECT_LT(after, before + (size_t{64} << 20)) << "daemon and process together";
}

TEST_F(HostLargeListTest, IsReadUpstreamNoFurtherThanItIsAskedFor) {
  EXPECT_GE(read({.prefix = "deep/"}, 5'000), 5'000u);
  EXPECT_LT(names_->pages(), 20u);
}

}  // namespace
}  // namespace forebay::cache
