#include "forebay/storage/remote/throttled_store.h"
#include "forebay/base/testing/wait_for_child.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stop_token>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/units.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/remote/shared_places.h"
#include "forebay/storage/remote/token_bucket.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

struct ThrottledFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<ThrottledStore>(
      std::make_shared<MemoryStore>(), std::make_shared<RateLimiter>(RateLimits{100'000, 1e9}));
};
FOREBAY_TEST_OBJECT_STORE(Throttled, ThrottledFixture);

TEST(TokenBucket, FillsAtItsRateUpToItsCapacity) {
  TokenBucket bucket(10, 5);
  EXPECT_EQ(bucket.ready_ns(0), 0);
  bucket.take(5, 0);
  EXPECT_GT(bucket.ready_ns(0), 0);
  EXPECT_EQ(bucket.ready_ns(kSecond / 10), kSecond / 10);
  bucket.take(1, kSecond / 10);
  bucket.take(20, kSecond);  // more than there is: owed
  const int64_t ready_ns = bucket.ready_ns(kSecond);
  EXPECT_GT(ready_ns, 2 * kSecond);
  EXPECT_LE(bucket.ready_ns(ready_ns), ready_ns);
  TokenBucket full(10, 5);
  full.take(5, 3600 * kSecond);
  EXPECT_GT(full.ready_ns(3600 * kSecond), 3600 * kSecond);
}

TEST(TokenBucket, TheLowestRatesMakeWaitsThatTimesHaveRoomFor) {
  TokenBucket bucket(1e-300, 1);
  bucket.take(1e9, 0);
  EXPECT_GT(bucket.ready_ns(kSecond), 3600 * kSecond);
}

TEST(TokenBucket, WithoutALimitIsAlwaysReady) {
  TokenBucket bucket(0, 0);
  bucket.take(1e12, 0);
  EXPECT_EQ(bucket.ready_ns(5), 5);
}

class RateLimiterTest : public ::testing::Test {
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

TEST_F(RateLimiterTest, DemandGoesFirstAndBulkLast) {
  pass("a");
  pass("b");
  pass("z", 0, {.priority = Priority::kBulk});
  pass("p", 0, {.priority = Priority::kPrefetch});
  pass("q", 0, {.priority = Priority::kPrefetch});
  pass("c");
  pass("d");
  timer_.advance_ns(3 * kSecond);
  EXPECT_EQ(passed(), "abcdpqz");
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
  ASSERT_EQ(wait_for_child(process, &status), process);
  EXPECT_EQ(status, 0);
  timer_.advance_ns(200 * kSecond);
  EXPECT_EQ(passed(), "b");
}

/// A store with a limit that another process of the host shares, each over its own objects.
class SharedLimitTest : public ::testing::Test {
 protected:
  std::shared_ptr<ObjectStore> new_store() { return new_store(objects_); }
  std::shared_ptr<ObjectStore> new_store(std::shared_ptr<ObjectStore> objects) {
    return std::make_shared<ThrottledStore>(
        std::move(objects), std::make_shared<RateLimiter>(RateLimits{.bytes_per_second = 1000}, timer_,
                                                          *open_limit_places(directory_ / "limit")));
  }
  /// Runs `work` in a process of its own, whose clock is the same.
  template <class Work>
  void in_another_process(const Work& work) {
    const pid_t process = ::fork();
    if (process == 0) {
      ::_exit(work() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(wait_for_child(process, &status), process);
    EXPECT_EQ(status, 0);
  }
  bool write(ObjectStore& store, const std::string& text) {
    bool is_done = false;
    store.write("a", std::as_bytes(std::span(text)), {}, {},
                [&](const Result<ObjectStat>& stat) { is_done = stat.ok(); });
    return is_done;
  }

  const TemporaryDirectory directory_;
  SteppedTimer timer_;
  const std::shared_ptr<MemoryStore> objects_ = std::make_shared<MemoryStore>();
  const std::string text_ = std::string(10'000, 'x');
};

TEST_F(SharedLimitTest, WhatOneProcessWritesAnotherWaitsFor) {
  in_another_process([&] { return write(*new_store(), text_); });
  const std::shared_ptr<ObjectStore> store = new_store();
  bool is_written = false;
  store->write("b", std::as_bytes(std::span(text_)), {}, {},
               [&](const Result<ObjectStat>& stat) { is_written = stat.ok(); });
  timer_.advance_ns(8 * kSecond);
  EXPECT_FALSE(is_written) << "the other has moved what ten seconds allow";
  timer_.advance_ns(2 * kSecond);
  EXPECT_TRUE(is_written);
}

TEST_F(SharedLimitTest, SoItIsWithReads) {
  ASSERT_TRUE(write_now(*objects_, "a", std::as_bytes(std::span(text_))).ok());
  in_another_process([&] { return read_now(*new_store(), {.key = "a"}).ok(); });
  const std::shared_ptr<ObjectStore> store = new_store();
  bool is_read = false;
  store->read({.key = "a", .length_bytes = 1}, {},
              [&](const Result<ReadBytes>& read) { is_read = read.ok(); });
  timer_.advance_ns(8 * kSecond);
  EXPECT_FALSE(is_read);
  timer_.advance_ns(2 * kSecond);
  EXPECT_TRUE(is_read);
}

TEST_F(SharedLimitTest, ReadsAndWritesShareIt) {
  ASSERT_TRUE(write_now(*objects_, "a", std::as_bytes(std::span(text_))).ok());
  in_another_process([&] { return read_now(*new_store(), {.key = "a"}).ok(); });
  const std::shared_ptr<ObjectStore> store = new_store();
  bool is_written = false;
  store->write("b", std::as_bytes(std::span(text_)), {}, {},
               [&](const Result<ObjectStat>& stat) { is_written = stat.ok(); });
  EXPECT_FALSE(is_written);
  timer_.advance_ns(10 * kSecond);
  EXPECT_TRUE(is_written);
}

/// A process that is killed while a read is under way that would take a hundred seconds of the limit.
TEST_F(SharedLimitTest, WhatAKilledProcessExpectedIsNotWaitedForWhole) {
  const std::string large(100'000, 'x');
  ASSERT_TRUE(write_now(*objects_, "a", std::as_bytes(std::span(large))).ok());
  in_another_process([&] {
    const auto held = std::make_shared<FaultInjectingStore>(objects_);
    held->hold_reads();
    new_store(held)->read({.key = "a", .length_bytes = large.size()}, {}, [](const Result<ReadBytes>&) {});
    ::_exit(held->held_reads() == 1 ? 0 : 1);  // as if killed: nothing is given back
    return false;
  });
  const std::shared_ptr<ObjectStore> store = new_store(objects_);
  bool is_read = false;
  store->read({.key = "a", .length_bytes = 1}, {},
              [&](const Result<ReadBytes>& read) { is_read = read.ok(); });
  timer_.advance_ns(RateLimiter::kMaxExpectedNs - kSecond);
  EXPECT_FALSE(is_read) << "until then it may still be moving them";
  timer_.advance_ns(kSecond + kSecond / 100);
  EXPECT_TRUE(is_read);
}

TEST_F(SharedLimitTest, WhatWasExpectedIsOwedWholeOnceItHasBeenMoved) {
  const std::string large(100'000, 'x');
  ASSERT_TRUE(write_now(*objects_, "a", std::as_bytes(std::span(large))).ok());
  const auto held = std::make_shared<FaultInjectingStore>(objects_);
  held->hold_reads();
  const std::shared_ptr<ObjectStore> first = new_store(held);
  const std::shared_ptr<ObjectStore> second = new_store(objects_);
  first->read({.key = "a", .length_bytes = large.size()}, {}, [](const Result<ReadBytes>&) {});
  held->release_reads();
  bool is_written = false;
  second->write("b", std::as_bytes(std::span(text_)), {}, {},
                [&](const Result<ObjectStat>& stat) { is_written = stat.ok(); });
  timer_.advance_ns(98 * kSecond);
  EXPECT_FALSE(is_written);
  timer_.advance_ns(2 * kSecond);
  EXPECT_TRUE(is_written);
}

TEST_F(SharedLimitTest, WhatWasExpectedAndNotMovedIsGivenBackWhole) {
  const std::string large(100'000, 'x');
  ASSERT_TRUE(write_now(*objects_, "a", std::as_bytes(std::span(large))).ok());
  const auto failing = std::make_shared<FaultInjectingStore>(objects_);
  failing->fail_reads("a", unavailable("mem://a: try later"));
  EXPECT_FALSE(read_now(*new_store(failing), {.key = "a", .length_bytes = large.size()}).ok());
  EXPECT_TRUE(write(*new_store(objects_), text_));
}

TEST_F(SharedLimitTest, AFileThatCannotBeMadeIsAnError) {
  EXPECT_EQ(open_limit_places(directory_ / "no folder/limit").status().code(), StatusCode::kNotFound);
}

TEST_F(SharedLimitTest, OfEqualNamesLiesWhereTheHostsFilesAre) {
  const char* const before = ::getenv("FOREBAY_HOME");
  const std::string home = before == nullptr ? "" : before;
  std::filesystem::create_directories(directory_ / "limits/an earlier boot");
  ::setenv("FOREBAY_HOME", directory_.path().c_str(), 1);
  const LimitPlaces one = host_limit_places("a store");
  const LimitPlaces same = host_limit_places("a store");
  const LimitPlaces other = host_limit_places("another");
  before == nullptr ? ::unsetenv("FOREBAY_HOME") : ::setenv("FOREBAY_HOME", home.c_str(), 1);
  ASSERT_TRUE(one.bytes && same.bytes && other.bytes);
  one.bytes->store(7);
  EXPECT_EQ(same.bytes->load(), 7);
  EXPECT_EQ(same.requests->load(), 0);
  EXPECT_EQ(other.bytes->load(), 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "limits/an earlier boot")) << "times began anew since";
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
