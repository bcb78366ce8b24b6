// Reads that are tried again for as long as the user is ready to wait.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/units.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/remote/retry_options.h"

namespace forebay::storage {
namespace {

class RetryPatienceTest : public ::testing::Test {
 protected:
  /// A service that can be reached from `up_at_ns_` on.
  void call(bool is_for_read = true) {
    answer_.reset();
    attempts_ = 0;
    call_with_retries<int>(
        policy_, {.is_for_read = is_for_read},
        [this](const CallContext&, absl::AnyInvocable<void(Result<int>)> done) {
          ++attempts_;
          done(timer_.now_ns() >= up_at_ns_ ? Result<int>(7) : unavailable("s3://b/k: no connection"));
        },
        [this](const Result<int>& answer) { answer_ = answer.status(); });
  }
  void answer_once() {
    up_at_ns_ = 0;
    call();
    ASSERT_TRUE(answer_ && answer_->ok());
  }
  void go_down_for(int64_t duration_ns) { up_at_ns_ = timer_.now_ns() + duration_ns; }
  void let_pass(int64_t duration_ns) {
    for (int64_t passed_ns = 0; passed_ns < duration_ns; passed_ns += kSecond) {
      timer_.advance_ns(kSecond);
    }
  }

  SteppedTimer timer_;
  std::shared_ptr<RetryPolicy> policy_ =
      std::make_shared<RetryPolicy>(RetryOptions{.patience_ns = 600 * kSecond, .seed = 7}, timer_);
  int64_t up_at_ns_ = 0;
  int attempts_ = 0;
  std::optional<Status> answer_;
};

TEST_F(RetryPatienceTest, AnOutageOfMinutesCostsTimeOnly) {
  answer_once();
  go_down_for(300 * kSecond);
  call();
  let_pass(299 * kSecond);
  EXPECT_FALSE(answer_);
  let_pass(12 * kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_TRUE(answer_->ok()) << *answer_;
  EXPECT_GT(attempts_, 30);
}

TEST_F(RetryPatienceTest, ItEnds) {
  answer_once();
  go_down_for(3600 * kSecond);
  call();
  let_pass(580 * kSecond);
  EXPECT_FALSE(answer_);
  let_pass(20 * kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kUnavailable);
  EXPECT_TRUE(message(*answer_).starts_with("s3://b/k: no connection (after ")) << *answer_;
  EXPECT_NE(message(*answer_).find(" attempts in 59"), std::string::npos) << *answer_;
}

TEST_F(RetryPatienceTest, WhatNeverAnsweredGetsItsAttemptsOnly) {
  go_down_for(3600 * kSecond);
  call();
  let_pass(10 * kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kUnavailable);
  EXPECT_EQ(attempts_, policy_->options.max_attempts);
}

TEST_F(RetryPatienceTest, WhatChangesSomethingGetsItsAttemptsOnly) {
  answer_once();
  go_down_for(3600 * kSecond);
  call(false);
  let_pass(10 * kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(attempts_, policy_->options.max_attempts);
}

TEST_F(RetryPatienceTest, TheWaitIsSaidAfterFiveSecondsAndOnceAMinute) {
  answer_once();
  go_down_for(100 * kSecond);
  call();
  const auto told_in = [this](int64_t duration_ns) {
    ::testing::internal::CaptureStderr();
    let_pass(duration_ns);
    const std::string told = ::testing::internal::GetCapturedStderr();
    int count = 0;
    for (size_t at = told.find("retry_for"); at != std::string::npos; at = told.find("retry_for", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(told_in(4 * kSecond), 0);
  EXPECT_EQ(told_in(50 * kSecond), 1);
  EXPECT_EQ(told_in(60 * kSecond), 1);
}

Environment saying(std::optional<std::string> value) {
  return [value](const std::string& name) { return name == "FOREBAY_RETRY_FOR" ? value : std::nullopt; };
}

TEST(RetryOption, TheOptionCountsBeforeTheEnvironment) {
  EXPECT_EQ(*patience_of({}, saying(std::nullopt)), 600 * kSecond);
  EXPECT_EQ(*patience_of({}, saying("2.5")), 2'500 * kMillisecond);
  EXPECT_EQ(*patience_of({{"retry_for", "0"}}, saying("2.5")), 0);
}

TEST(RetryOption, RefusesWhatIsNoDuration) {
  for (const char* const text : {"", "-1", "nan", "inf", "1e10", "10s", " 1"}) {
    EXPECT_EQ(parse_patience(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace forebay::storage
