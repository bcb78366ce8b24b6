#include "forebay/cache/store/shared_listing.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/cache/cache.h"
#include "forebay/cache/testing/listed_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/outage_store.h"

namespace forebay::cache {
namespace {

using storage::ListPage;
using storage::ListRequest;

/// Reads a listing page by page, as a caller would.
class ListedReader {
 public:
  ListedReader(storage::ObjectStore& store, ListRequest request, storage::CallContext context = {})
      : stream_(store.open_list(std::move(request))), context_(std::move(context)) {}

  void next() {
    last_.reset();
    stream_->next(context_, [this](Result<ListPage> page) {
      last_ = page.status();
      for (const storage::ObjectStat& object :
           page.ok() ? page->objects : std::vector<storage::ObjectStat>()) {
        names.push_back(object.key);
      }
    });
  }
  void read_all() {
    for (next(); last_->ok(); next()) {
    }
  }
  bool is_answered() const { return last_.has_value(); }
  Status last() const { return *last_; }

  std::vector<std::string> names;

 private:
  std::unique_ptr<storage::ListStream> stream_;
  storage::CallContext context_;
  std::optional<Status> last_;
};

class SharedListingTest : public ::testing::Test {
 protected:
  SharedListingTest() {
    for (int i = 0; i < 10; ++i) {
      put("k" + std::to_string(i));
    }
    CacheOptions options;
    options.memory_bytes = 1 << 20;
    cache_ = *Cache::open(options);
    store_ = store_over(cache_, upstream_, {.clock = &clock_});
  }
  void put(const std::string& key) {
    EXPECT_TRUE(storage::write_now(*upstream_, key, std::as_bytes(std::span(key))).ok());
  }
  static ListRequest in_fours() { return {.page_entries = 4}; }

  SteppedClock clock_;
  const std::shared_ptr<storage::OutageStore> outages_ =
      std::make_shared<storage::OutageStore>(std::make_shared<storage::MemoryStore>());
  const std::shared_ptr<testing::ListedStore> upstream_ = std::make_shared<testing::ListedStore>(outages_);
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<storage::ObjectStore> store_;
};

TEST_F(SharedListingTest, WhoAsksMeanwhileWaitsForTheSamePages) {
  upstream_->hold();
  ListedReader one(*store_, in_fours());
  ListedReader two(*store_, in_fours());
  one.next();
  two.next();
  EXPECT_EQ(upstream_->pages(), 1U);
  upstream_->release();
  EXPECT_TRUE(one.is_answered() && two.is_answered());
  ListedReader late(*store_, in_fours());
  late.read_all();  // it is the first to want the second page
  one.read_all();
  two.read_all();
  EXPECT_EQ(one.names.size(), 10U);
  EXPECT_EQ(one.names, two.names);
  EXPECT_EQ(one.names, late.names);
  EXPECT_EQ(upstream_->pages(), 3U);
  EXPECT_EQ(one.last().code(), StatusCode::kOutOfRange);
}

TEST_F(SharedListingTest, WhoWaitsLongerThanTheOneThatAskedGoesOnAlone) {
  upstream_->hold();
  ListedReader one(*store_, in_fours());
  ListedReader two(*store_, in_fours(), {.is_for_read = true});
  one.next();
  two.next();
  outages_->set_outage(true);
  upstream_->release();
  EXPECT_EQ(one.last().code(), StatusCode::kUnavailable);
  two.read_all();
  EXPECT_EQ(two.names.size(), 10U);
}

TEST_F(SharedListingTest, WhoWaitsLessLongThanTheOneThatAskedGoesOnAlone) {
  upstream_->hold();
  ListedReader one(*store_, in_fours(), {.is_for_read = true});
  ListedReader two(*store_, in_fours());
  one.next();
  two.next();
  EXPECT_EQ(upstream_->pages(), 2U);
  outages_->set_outage(true);
  upstream_->release();
  EXPECT_EQ(two.last().code(), StatusCode::kUnavailable);
  one.read_all();
  EXPECT_EQ(one.names.size(), 10U);
}

TEST_F(SharedListingTest, NobodyJoinsOneThatIsTooOldOrBehindAChange) {
  ListedReader one(*store_, in_fours());
  one.next();
  clock_.advance_ns(1'000'000'000);
  put("k95");
  ListedReader two(*store_, in_fours());
  two.read_all();
  EXPECT_EQ(two.names.size(), 11U);
  EXPECT_EQ(upstream_->pages(), 1U + 3U);
  const std::string text = "text";
  ASSERT_TRUE(storage::write_now(*store_, "k99", std::as_bytes(std::span(text))).ok());
  ListedReader three(*store_, in_fours());
  three.read_all();
  EXPECT_EQ(three.names.size(), 12U);
  one.read_all();  // goes on with what it had begun
  EXPECT_EQ(one.names.size(), 12U);
}

TEST_F(SharedListingTest, OthersGoOnWhenTheOneWhoAskedLosesInterest) {
  upstream_->hold();
  std::stop_source stop;
  ListedReader one(*store_, in_fours(), {.cancellation = stop.get_token()});
  ListedReader two(*store_, in_fours());
  one.next();
  two.next();
  stop.request_stop();
  upstream_->release();
  EXPECT_EQ(one.last().code(), StatusCode::kCancelled);
  EXPECT_TRUE(two.last().ok());
  two.read_all();
  EXPECT_EQ(two.names.size(), 10U);
}

TEST_F(SharedListingTest, OneThatOnlyWaitsMayLoseInterest) {
  upstream_->hold();
  std::stop_source stop;
  ListedReader one(*store_, in_fours());
  ListedReader two(*store_, in_fours(), {.cancellation = stop.get_token()});
  one.next();
  two.next();
  stop.request_stop();
  upstream_->release();
  EXPECT_TRUE(one.last().ok());
  EXPECT_EQ(two.last().code(), StatusCode::kCancelled);
}

TEST_F(SharedListingTest, WhoFallsFarBehindGoesOnAlone) {
  for (size_t i = 0; i < SharedListing::kMaxNames; ++i) {
    put("more " + std::to_string(i));
  }
  ListedReader slow(*store_, {.page_entries = 1000});
  slow.next();
  ListedReader fast(*store_, {.page_entries = 1000});
  fast.read_all();
  EXPECT_EQ(upstream_->pages(), 9U);
  slow.read_all();
  EXPECT_EQ(slow.names, fast.names);
  EXPECT_EQ(slow.names.size(), SharedListing::kMaxNames + 10);
}

}  // namespace
}  // namespace forebay::cache
