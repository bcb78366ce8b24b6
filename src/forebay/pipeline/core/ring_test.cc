// Pipelines whose sources run each other in a ring: all of them end, each with the error that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "forebay/pipeline/pipeline.h"

namespace forebay::pipeline {
namespace {

using ::testing::HasSubstr;
using Fed = std::vector<std::vector<tensor::Tensor>>;

constexpr size_t kPipelines = 3;

/// Each takes a batch of the next one for each of its own.
class RingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (size_t number = 0; number < kPipelines; ++number) {
      pipes_[number] = std::make_unique<Pipeline>(PipelineOptions{.batch_size = 2});
      Pipeline& pipe = *pipes_[number];
      const auto ask_next = [this, number](const FeedRequest& request) -> Result<Fed> {
        ++calls_;
        FOREBAY_RETURN_IF_ERROR(pipes_[(number + 1) % kPipelines]->run().status());
        return Fed{std::vector<tensor::Tensor>(request.max_batch_size, *tensor::Tensor::scalar<int32_t>(1))};
      };
      pipe.set_outputs({pipe.external_source(ask_next, 1, "asks")[0]});
      ASSERT_TRUE(pipe.build().ok());
    }
  }

  void TearDown() override {
    for (const auto& pipe : pipes_) {
      pipe->session().close();
    }
    for (const auto& pipe : pipes_) {
      pipe->session().await_end().IgnoreError();
    }
  }

  /// Whether nothing runs for the pipeline any more, or soon will not.
  static bool comes_to_an_end(Pipeline& pipe) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    return pipe.session().await_end([&] { return std::chrono::steady_clock::now() > deadline; }).ok();
  }

  std::array<std::unique_ptr<Pipeline>, kPipelines> pipes_;
  std::atomic<int> calls_ = 0;
};

TEST_F(RingTest, AllOfThemEndAndSayWhy) {
  EXPECT_THAT(std::string(message(pipes_[0]->run().status())), HasSubstr("none of them would ever go on"));
  for (const auto& pipe : pipes_) {
    ASSERT_TRUE(comes_to_an_end(*pipe)) << "without being closed";
  }
  const int calls = calls_;
  EXPECT_EQ(calls, kPipelines) << "each source was asked once";
  for (const auto& pipe : pipes_) {
    EXPECT_THAT(std::string(message(pipe->run().status())), HasSubstr("none of them would ever go on"));
  }
  EXPECT_EQ(calls_, calls) << "no source is asked again";
}

TEST_F(RingTest, PromisedBatchesAreHandedOverWithTheError) {
  Status given;
  const auto take = [&](Result<Delivery> delivery) {
    given = delivery.status();
    return ok_status();
  };
  ASSERT_TRUE(pipes_[0]->session().run_later({}, take).ok());
  ASSERT_TRUE(comes_to_an_end(*pipes_[0]));
  EXPECT_THAT(std::string(message(given)), HasSubstr("none of them would ever go on"));
}

}  // namespace
}  // namespace forebay::pipeline
