#include "forebay/storage/remote/retried_call.h"

#include <gtest/gtest.h>

#include <deque>
#include <stop_token>
#include <vector>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/units.h"
#include "forebay/storage/remote/doubted_call.h"

namespace forebay::storage {
namespace {

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

class RetriedCallTest : public ::testing::Test {
 protected:
  /// Starts a call whose first attempts fail so, and whose next one succeeds.
  void start(std::deque<Status> failures, const CallContext& context = {}) {
    answer_.reset();
    attempts_ = 0;
    call_with_retries<int>(
        policy_, context,
        [this, failures = std::move(failures)](const CallContext&,
                                               absl::AnyInvocable<void(Result<int>)> done) mutable {
          ++attempts_;
          if (failures.empty()) {
            done(7);
            return;
          }
          const Status failure = failures.front();
          failures.pop_front();
          done(failure);
        },
        [this](Result<int> answer) {
          ASSERT_FALSE(answer_);
          answer_ = answer.status();
        });
  }

  SteppedTimer timer_;
  std::shared_ptr<RetryPolicy> policy_ =
      std::make_shared<RetryPolicy>(RetryOptions{.max_attempts = 4, .seed = 7}, timer_);
  std::optional<Status> answer_;
  int attempts_ = 0;
};

TEST_F(RetriedCallTest, TriesAgainUntilItWorks) {
  start({3, unavailable("scripted")});
  EXPECT_EQ(attempts_, 1);
  EXPECT_EQ(timer_.waiting(), 1u);
  timer_.advance_ns(kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_TRUE(answer_->ok()) << *answer_;
  EXPECT_EQ(attempts_, 4);
}

TEST_F(RetriedCallTest, GivesUpAfterSoManyAttempts) {
  start({9, throttled("mem://k", 1000)});
  timer_.advance_ns(10 * kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kUnavailable);
  EXPECT_TRUE(message(*answer_).starts_with("mem://k")) << *answer_;
  EXPECT_TRUE(message(*answer_).ends_with("(after 4 attempts)")) << *answer_;
  EXPECT_EQ(retry_after_ns(*answer_), 1000);
  EXPECT_EQ(attempts_, 4);
}

TEST_F(RetriedCallTest, OtherErrorsAreFinal) {
  for (const Status& error : {not_found("x"), aborted("x"), permission_denied("x"), cancelled("x")}) {
    start({error});
    EXPECT_EQ(answer_, error);
  }
  EXPECT_EQ(timer_.waiting(), 0u);
}

TEST_F(RetriedCallTest, AThrottledStoreIsLeftAloneAsLongAsItAsked) {
  start({throttled("mem://k", 30 * kSecond)});
  timer_.advance_ns(30 * kSecond - 1);
  EXPECT_EQ(attempts_, 1);
  timer_.advance_ns(kSecond);
  EXPECT_EQ(attempts_, 2);
  EXPECT_TRUE(answer_ && answer_->ok());
}

TEST_F(RetriedCallTest, ADeadlineLeavesNoTimeForAnotherAttempt) {
  start({throttled("mem://k", 3600 * kSecond)}, {.deadline_ns = timer_.now_ns() + 30 * kSecond});
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kUnavailable);
  EXPECT_EQ(timer_.waiting(), 0u);
}

TEST_F(RetriedCallTest, NoStoreHasItsCallersWaitForAnHour) {
  ::testing::internal::CaptureStderr();
  start({throttled("mem://k", 3600 * kSecond)});
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("mem://k"), std::string::npos) << told;
  EXPECT_NE(told.find("3600 s"), std::string::npos) << told;
  timer_.advance_ns(59 * kSecond);
  EXPECT_FALSE(answer_);
  timer_.advance_ns(2 * kSecond);
  EXPECT_TRUE(answer_ && answer_->ok());
}

TEST_F(RetriedCallTest, CancellationEndsTheWait) {
  std::stop_source stop;
  start({throttled("mem://k", 3600 * kSecond)}, {.cancellation = stop.get_token()});
  EXPECT_FALSE(answer_);
  stop.request_stop();
  EXPECT_FALSE(answer_);  // not on the thread that stopped it
  timer_.advance_ns(0);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->code(), StatusCode::kCancelled);
  EXPECT_EQ(attempts_, 1);
}

TEST_F(RetriedCallTest, JitterDependsOnTheSeedAlone) {
  std::vector<int64_t> times[2];
  for (std::vector<int64_t>& moments : times) {
    policy_ = std::make_shared<RetryPolicy>(RetryOptions{.max_attempts = 4, .seed = 7}, timer_);
    const int64_t begin_ns = timer_.now_ns();
    start({3, unavailable("scripted")});
    for (int seen = 1; seen < 4;) {
      timer_.advance_ns(1'000'000);
      if (attempts_ > seen) {
        seen = attempts_;
        moments.push_back((timer_.now_ns() - begin_ns) / 1'000'000);
      }
    }
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST_F(RetriedCallTest, CallsUnderWayOutliveTheirPolicysOwner) {
  start({unavailable("scripted")});
  policy_.reset();
  timer_.advance_ns(kSecond);
  ASSERT_TRUE(answer_);
  EXPECT_TRUE(answer_->ok()) << *answer_;
}

/// A change whose answers and effects a test scripts.
class DoubtedCallTest : public RetriedCallTest {
 protected:
  void change(std::deque<Result<ObjectStat>> answers) {
    made_.reset();
    make_with_questions(
        policy_, {},
        {.make =
             [this, answers](const CallContext&, StatCallback done) mutable {
               ++sent_;
               done(answers.at(static_cast<size_t>(sent_ - 1)));
             },
         .look =
             [this](const CallContext&, DoubtedChange::Effect done) {
               ++looks_;
               if (!look_failure_.ok()) {
                 done(look_failure_);
               } else {
                 const bool is_there = looks_ >= there_from_look_;
                 done(is_there ? std::optional(ObjectStat{.key = "k", .version = "ours"}) : std::nullopt);
               }
             }},
        [this](Result<ObjectStat> made) { made_ = std::move(made); });
    timer_.advance_ns(10 * kSecond);
  }

  int sent_ = 0;
  int looks_ = 0;
  int there_from_look_ = 1000;
  Status look_failure_;
  std::optional<Result<ObjectStat>> made_;
};

TEST_F(DoubtedCallTest, WhatIsAnsweredIsNotAskedFor) {
  change({ObjectStat{.key = "k", .version = "1"}});
  EXPECT_EQ((*made_)->version, "1");
  EXPECT_EQ(looks_, 0);
}

TEST_F(DoubtedCallTest, AChangeThatTookEffectIsNotMadeAgain) {
  there_from_look_ = 1;
  change({in_doubt(unavailable("lost")), already_exists("never asked")});
  ASSERT_TRUE(made_->ok()) << made_->status();
  EXPECT_EQ((*made_)->version, "ours");
  EXPECT_EQ(sent_, 1);
}

TEST_F(DoubtedCallTest, AChangeThatDidNotIs) {
  change({in_doubt(unavailable("lost")), ObjectStat{.key = "k", .version = "2"}});
  EXPECT_EQ((*made_)->version, "2");
  EXPECT_EQ(sent_, 2);
  EXPECT_EQ(looks_, 1);
}

TEST_F(DoubtedCallTest, WhatTheFirstAttemptMadeLateIsFound) {
  there_from_look_ = 2;
  change({in_doubt(unavailable("lost")), already_exists("made late")});
  ASSERT_TRUE(made_->ok()) << made_->status();
  EXPECT_EQ((*made_)->version, "ours");
}

TEST_F(DoubtedCallTest, WhatTheLastAttemptMadeIsFound) {
  there_from_look_ = 4;
  change({4, in_doubt(unavailable("lost"))});
  ASSERT_TRUE(made_->ok()) << made_->status();
  EXPECT_EQ(sent_, 4);
}

TEST_F(DoubtedCallTest, ALookThatFailsEndsTheCall) {
  look_failure_ = unavailable("looked in vain");
  change({in_doubt(unavailable("lost"))});
  EXPECT_EQ(made_->status(), look_failure_);
  EXPECT_EQ(sent_, 1);
  EXPECT_EQ(looks_, 1);
}

TEST_F(DoubtedCallTest, ARefusalLeavesNoDoubt) {
  there_from_look_ = 1;
  change({unavailable("busy"), already_exists("another's")});
  EXPECT_EQ(made_->status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(looks_, 0);
}

TEST_F(DoubtedCallTest, AnothersObjectIsAnError) {
  change({already_exists("from the first")});
  EXPECT_EQ(made_->status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(looks_, 0);
  sent_ = 0;
  change({in_doubt(unavailable("lost")), already_exists("another's")});
  EXPECT_EQ(made_->status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(looks_, 2);
}

}  // namespace
}  // namespace forebay::storage
