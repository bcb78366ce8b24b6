// A listing of a million names through the daemon: what it costs in memory does not depend on how long it is.
// Kept whole they would take some 200 MB.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "forebay/base/testing/heap_bytes.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/store/fresh_answers.h"
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

class HostLargeListTest : public ::testing::Test {
 protected:
  HostLargeListTest() {
    server_ = *HostServer::start(
        {.socket = directory_.path() + "/socket",
         .cache =
             *Cache::open({.directories = {{.path = directory_.path() + "/cache", .least_free_bytes = 0}}}),
         .open = [names = names_](const std::string& uri, const storage::StoreUse&) {
           return Result<storage::ObjectAddress>({names, uri.substr(names->uri_of("").size())});
         }});
    store_ = *HostStore::create(*HostClient::connect(directory_.path() + "/socket"), names_);
  }

  /// Reads up to `most` names and compares them. Returns how many there were; most_heap_bytes_ is the most
  /// that the process was seen to hold meanwhile.
  uint64_t read(storage::ListRequest request, uint64_t most = kNames) {
    const std::unique_ptr<storage::ListStream> stream = store_->open_list(std::move(request));
    uint64_t count = 0;
    uint64_t pages = 0;
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
      if (is_last || ++pages % 64 == 0) {  // counting walks what the allocator has kept
        most_heap_bytes_ = std::max(most_heap_bytes_, heap_bytes());
      }
    }
    return count;
  }

  TemporaryDirectory directory_;
  const std::shared_ptr<storage::NumberedStore> names_ =
      std::make_shared<storage::NumberedStore>(kNames, name_of);
  std::unique_ptr<HostServer> server_;
  std::shared_ptr<HostStore> store_;
  int64_t most_heap_bytes_ = 0;
};

TEST_F(HostLargeListTest, TakesLittleMemory) {
  if (!kCountsHeap) {
    GTEST_SKIP() << "the heap cannot be counted under this sanitizer";
  }
  read({.prefix = "deep/"}, 50'000);
  const int64_t before = most_heap_bytes_;
  EXPECT_EQ(read({.prefix = "deep/"}), kNames);
  constexpr size_t kAllowedBytes = FreshAnswers::kMaxBytes + (size_t{16} << 20);
  EXPECT_LT(most_heap_bytes_, before + int64_t{kAllowedBytes}) << "daemon and process together";
}

TEST_F(HostLargeListTest, IsReadUpstreamNoFurtherThanItIsAskedFor) {
  EXPECT_GE(read({.prefix = "deep/"}, 5'000), 5'000u);
  EXPECT_LT(names_->pages(), 20u);
}

}  // namespace
}  // namespace forebay::cache
