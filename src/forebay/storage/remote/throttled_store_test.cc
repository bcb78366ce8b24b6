#include "forebay/storage/remote/throttled_store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <stop_token>

#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/remote/token_bucket.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/stepped_timer.h"

namespace forebay::storage {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct ThrottledFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<ThrottledStore>(
      std::make_shared<MemoryStore>(), std::make_shared<RateLimiter>(RateLimits{100'000, 1e9}));
};
FOREBAY_TEST_OBJECT_STORE(Throttled, ThrottledFixture);

TEST(TokenBucket, FillsAtItsRateUpToItsCapacity) {
  TokenBucket bucket(10, 5, 0);
  EXPECT_EQ(bucket.ready_ns(0), 0);
  bucket.take(5, 0);
  EXPECT_GT(bucket.ready_ns(0), 0);
  EXPECT_EQ(bucket.ready_ns(kSecond / 10), kSecond / 10);
  bucket.take(1, kSecond / 10);
  bucket.take(20, kSecond);  // more than there is: owed
  const int64_t ready_ns = bucket.ready_ns(kSecond);
  EXPECT_GT(ready_ns, 2 * kSecond);
  EXPECT_LE(bucket.ready_ns(ready_ns), ready_ns);
  TokenBucket full(10, 5, 0);
  full.take(5, 3600 * kSecond);
  EXPECT_GT(full.ready_ns(3600 * kSecond), 3600 * kSecond);
}

TEST(TokenBucket, TheLowestRatesMakeWaitsThatTimesHaveRoomFor) {
  TokenBucket bucket(1e-300, 1, 0);
  bucket.take(1e9, 0);
  EXPECT_GT(bucket.ready_ns(kSecond), 3600 * kSecond);
}

TEST(TokenBucket, WithoutALimitIsAlwaysReady) {
  TokenBucket bucket(0, 0, 0);
  bucket.take(1e12, 0);
  EXPECT_EQ(bucket.ready_ns(5), 5);
}

class RateLimiterTest : public testing::Test {
 protected:
  void pass(const std::string& name, uint64_t bytes = 0, const CallContext& context = {}) {
    limiter_->pass(bytes, context, [this, name](const Status& status) {
      order_ += status.ok() ? name : name + "!";
      codes_.push_back(status.code());
    });
  }
  std::string passed() { return std::exchange(order_, ""); }

  SteppedTimer timer_;
  std::shared_ptr<RateLimiter> limiter_ =
      std::make_shared<RateLimiter>(RateLimits{.requests_per_second = 2, .bytes_per_second = 1000}, timer_);
  std::string order_;
  std::vector<StatusCode> codes_;
};

TEST_F(RateLimiterTest, LimitsRequests) {
  for (const char* name : {"a", "b", "c", "d"}) {
    pass(name);
  }
  EXPECT_EQ(passed(), "ab");
  timer_.advance_ns(kSecond * 4 / 10);
  EXPECT_EQ(passed(), "c");
  timer_.advance_ns(kSecond * 2 / 10);
  EXPECT_EQ(passed(), "d");
}

TEST_F(RateLimiterTest, LimitsBytes) {
  pass("a", 3000);  // takes what there is, and owes two seconds
  pass("b", 1);
  timer_.advance_ns(2 * kSecond - 1000);
  EXPECT_EQ(passed(), "a");
  timer_.advance_ns(kSecond / 100);
  EXPECT_EQ(passed(), "b");
}

TEST_F(RateLimiterTest, PartsOfAnUploadAreLimited) {
  ThrottledStore store(std::make_shared<MemoryStore>(), limiter_);
  const std::unique_ptr<ObjectWriter> writer = *store.open_writer("k", {});
  const std::string part(2000, 'x');
  int appended = 0;
  for (int i = 0; i < 2; ++i) {
    writer->append(as_bytes(part), {}, [&](const Status& status) { appended += status.ok() ? 1 : 0; });
  }
  EXPECT_EQ(appended, 1);
  timer_.advance_ns(2 * kSecond);
  EXPECT_EQ(appended, 2);
}

TEST_F(RateLimiterTest, WhatWasNotMovedIsGivenBack) {
  pass("a", 3000);
  limiter_->correct(3000, 500);
  pass("b", 1);
  EXPECT_EQ(passed(), "ab");
}

TEST_F(RateLimiterTest, DemandGoesFirst) {
  pass("a");
  pass("b");
  pass("p", 0, {.priority = Priority::kPrefetch});
  pass("q", 0, {.priority = Priority::kPrefetch});
  pass("c");
  pass("d");
  timer_.advance_ns(3 * kSecond);
  EXPECT_EQ(passed(), "abcdpq");
}

TEST_F(RateLimiterTest, AForkedChildBeginsAnew) {
  pass("a", 100'000);
  pass("b");
  EXPECT_EQ(passed(), "a");
  const pid_t process = ::fork();
  if (process == 0) {
    pass("c");
    timer_.advance_ns(kSecond);
    ::_exit(passed() == "c" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  timer_.advance_ns(200 * kSecond);
  EXPECT_EQ(passed(), "b");
}

TEST_F(RateLimiterTest, WhatIsNotWantedWaitsNoLonger) {
  std::stop_source stop;
  pass("a", 100'000);
  pass("b", 0, {.cancellation = stop.get_token()});
  pass("c", 0, {.deadline_ns = timer_.now_ns() + kSecond});
  pass("d");
  EXPECT_EQ(passed(), "a");
  stop.request_stop();
  EXPECT_EQ(passed(), "");  // not on the thread that stopped it
  timer_.advance_ns(0);
  EXPECT_EQ(passed(), "b!");
  timer_.advance_ns(kSecond);
  EXPECT_EQ(passed(), "c!");
  EXPECT_EQ(codes_.at(1), StatusCode::kCancelled);
  EXPECT_EQ(codes_.at(2), StatusCode::kDeadlineExceeded);
  timer_.advance_ns(200 * kSecond);
  EXPECT_EQ(passed(), "d");
}

}  // namespace
}  // namespace forebay::storage
