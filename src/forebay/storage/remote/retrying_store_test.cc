#include "forebay/storage/remote/retrying_store.h"

#include <stop_token>

#include "forebay/base/units.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/stepped_timer.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::storage {
namespace {

struct RetryingFixture {
  std::shared_ptr<ObjectStore> store =
      std::make_shared<RetryingStore>(std::make_shared<ThreadsStore>(std::make_shared<MemoryStore>()));
};
FOREBAY_TEST_OBJECT_STORE(Retrying, RetryingFixture);

class RetryingStoreTest : public ::testing::Test {
 protected:
  RetryingStoreTest() {
    const std::string content = "0123456789";
    write_now(*faults_, "k", as_bytes(content)).IgnoreError();
  }

  /// Starts a read whose answer comes while the timer is stepped.
  void start_read(const CallContext& context = {}) {
    store_.read({.key = "k"}, context, [this](Result<ReadBytes> read) {
      ASSERT_FALSE(answer_);
      answer_ = read.status();
    });
  }

  SteppedTimer timer_;
  std::shared_ptr<FaultInjectingStore> faults_ =
      std::make_shared<FaultInjectingStore>(std::make_shared<MemoryStore>());
  RetryingStore store_{faults_, {.max_attempts = 4, .seed = 7}, timer_};
  std::optional<Status> answer_;
};

TEST(RetryDelay, DoublesUpToItsLimitWithFullJitter) {
  const RetryOptions options = {.first_delay_ns = 100, .max_delay_ns = 1000};
  EXPECT_EQ(retry_delay_ns(options, 1, 1.0, std::nullopt), 100);
  EXPECT_EQ(retry_delay_ns(options, 2, 1.0, std::nullopt), 200);
  EXPECT_EQ(retry_delay_ns(options, 4, 0.5, std::nullopt), 400);
  EXPECT_EQ(retry_delay_ns(options, 5, 1.0, std::nullopt), 1000);
  EXPECT_EQ(retry_delay_ns(options, 1000, 1.0, std::nullopt), 1000);
  EXPECT_EQ(retry_delay_ns(options, 3, 0.0, std::nullopt), 0);
  EXPECT_EQ(retry_delay_ns(options, 1, 0.5, 7000), 7050);
}

TEST_F(RetryingStoreTest, TriesAgainUntilItWorks) {
  faults_->fail_reads("k", unavailable("scripted"), 3);
  start_read();
  EXPECT_EQ(faults_->read_count(), 1u);
  EXPECT_EQ(timer_.waiting(), 1u);
  timer_.advance_ns(kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_TRUE(answer_->ok()) << *answer_;
  EXPECT_EQ(faults_->read_count(), 4u);
}

TEST_F(RetryingStoreTest, GivesUpAfterSoManyAttempts) {
  faults_->fail_reads("k", unavailable("scripted"));
  start_read();
  timer_.advance_ns(10 * kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kUnavailable);
  EXPECT_NE(message(*answer_).find("after 4 attempts: scripted"), std::string_view::npos) << *answer_;
  EXPECT_EQ(faults_->read_count(), 4u);
}

TEST_F(RetryingStoreTest, OtherErrorsAreFinal) {
  for (const Status& error : {not_found("x"), aborted("x"), permission_denied("x"), cancelled("x")}) {
    faults_->fail_reads("k", error);
    answer_.reset();
    start_read();
    EXPECT_EQ(answer_, error);
  }
  EXPECT_EQ(timer_.waiting(), 0u);
}

TEST_F(RetryingStoreTest, AThrottledStoreIsLeftAloneAsLongAsItAsked) {
  faults_->fail_reads("k", throttled("mem://k", 30 * kSecond), 1);
  start_read();
  timer_.advance_ns(30 * kSecond - 1);
  EXPECT_EQ(faults_->read_count(), 1u);
  timer_.advance_ns(kSecond);
  EXPECT_EQ(faults_->read_count(), 2u);
  EXPECT_TRUE(answer_ && answer_->ok());
}

TEST_F(RetryingStoreTest, ADeadlineLeavesNoTimeForAnotherAttempt) {
  faults_->fail_reads("k", throttled("mem://k", 3600 * kSecond));
  start_read({.deadline_ns = timer_.now_ns() + 30 * kSecond});
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kUnavailable);
  EXPECT_EQ(timer_.waiting(), 0u);
}

TEST_F(RetryingStoreTest, NoStoreHasItsCallersWaitForAnHour) {
  faults_->fail_reads("k", throttled("mem://k", 3600 * kSecond), 1);
  ::testing::internal::CaptureStderr();
  start_read({});
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("mem://k"), std::string::npos) << told;
  EXPECT_NE(told.find("3600 s"), std::string::npos) << told;
  timer_.advance_ns(59 * kSecond);
  EXPECT_FALSE(answer_);
  timer_.advance_ns(2 * kSecond);
  EXPECT_TRUE(answer_ && answer_->ok());
}

TEST_F(RetryingStoreTest, CancellationEndsTheWait) {
  faults_->fail_reads("k", throttled("mem://k", 3600 * kSecond));
  std::stop_source stop;
  start_read({.cancellation = stop.get_token()});
  EXPECT_FALSE(answer_);
  stop.request_stop();
  EXPECT_FALSE(answer_);  // not on the thread that stopped it
  timer_.advance_ns(0);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kCancelled);
  EXPECT_EQ(faults_->read_count(), 1u);
}

TEST_F(RetryingStoreTest, StatsAreTriedAgainToo) {
  faults_->fail_stats("k", unavailable("scripted"), 2);
  std::optional<Result<ObjectStat>> stat;
  store_.stat("k", {}, [&](Result<ObjectStat> answer) { stat = std::move(answer); });
  EXPECT_FALSE(stat);
  timer_.advance_ns(kSecond);
  ASSERT_TRUE(stat && stat->ok());
  EXPECT_EQ((*stat)->size_bytes, 10u);
}

/// Does what it is asked to; the first answers are lost on their way.
class LosesAnswers final : public ForwardingStore {
 public:
  LosesAnswers(std::shared_ptr<ObjectStore> inner, int lost)
      : ForwardingStore(std::move(inner)), left_(lost) {}

  void remove(std::string key, const CallContext& context, StatusCallback done) override {
    const Status removed = remove_now(inner(), std::move(key), context);
    done(left_-- > 0 ? unavailable("scripted") : removed);
  }
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override {
    Result<ObjectStat> copied = copy_now(inner(), std::move(request), context);
    done(left_-- > 0 ? Result<ObjectStat>(unavailable("scripted")) : std::move(copied));
  }

 private:
  int left_;
};

TEST_F(RetryingStoreTest, RemovalsAndCopiesAreTriedAgain) {
  for (const int lost : {0, 1, 3}) {
    const std::string content = "x";
    const auto memory = std::make_shared<MemoryStore>();
    ASSERT_TRUE(write_now(*memory, "from", as_bytes(content)).ok());
    RetryingStore store(std::make_shared<LosesAnswers>(memory, lost), {.max_attempts = 4, .seed = 7}, timer_);
    std::optional<Status> copied;
    store.copy({.from = "from", .to = "to"}, {},
               [&](const Result<ObjectStat>& stat) { copied = stat.status(); });
    timer_.advance_ns(10 * kSecond);
    ASSERT_TRUE(copied && copied->ok()) << lost;
    EXPECT_TRUE(stat_now(*memory, "to").ok());
  }
  for (const int lost : {0, 1, 3}) {
    const auto memory = std::make_shared<MemoryStore>();
    const std::string content = "x";
    ASSERT_TRUE(write_now(*memory, "k", as_bytes(content)).ok());
    RetryingStore store(std::make_shared<LosesAnswers>(memory, lost), {.max_attempts = 4, .seed = 7}, timer_);
    const auto remove = [&] {
      std::optional<Status> removed;
      store.remove("k", {}, [&](const Status& status) { removed = status; });
      timer_.advance_ns(10 * kSecond);
      return removed.value_or(unavailable("no answer"));
    };
    EXPECT_TRUE(remove().ok()) << lost;
    EXPECT_EQ(stat_now(*memory, "k").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(remove().code(), StatusCode::kNotFound) << "nobody has removed it now";
  }
}

TEST_F(RetryingStoreTest, JitterDependsOnTheSeedAlone) {
  std::vector<int64_t> times[2];
  for (std::vector<int64_t>& moments : times) {
    SteppedTimer timer;
    RetryingStore store(faults_, {.max_attempts = 4, .seed = 7}, timer);
    faults_->fail_reads("k", unavailable("scripted"), 3);
    faults_->forget_reads();
    const int64_t begin_ns = timer.now_ns();
    store.read({.key = "k"}, {}, [](const Result<ReadBytes>&) {});
    for (uint64_t reads = 1; reads < 4;) {
      timer.advance_ns(1'000'000);
      if (faults_->read_count() > reads) {
        reads = faults_->read_count();
        moments.push_back((timer.now_ns() - begin_ns) / 1'000'000);
      }
    }
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST_F(RetryingStoreTest, CallsUnderWayOutliveTheStore) {
  faults_->fail_reads("k", unavailable("scripted"), 1);
  auto store = std::make_unique<RetryingStore>(faults_, RetryOptions{}, timer_);
  store->read({.key = "k"}, {}, [this](Result<ReadBytes> read) { answer_ = read.status(); });
  store.reset();
  timer_.advance_ns(kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_TRUE(answer_->ok()) << *answer_;
}

}  // namespace
}  // namespace forebay::storage
