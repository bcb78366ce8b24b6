// explain() on sessions with scripted time: feeds and functions advance a stepped clock by their cost, and
// the consumer's work happens in parallel by letting the engine step while the consumer "works".
#include <gtest/gtest.h>

#include <algorithm>

#include "forebay/base/units.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {
namespace {

class TimedFeed final : public ExternalFeed {
 public:
  TimedFeed(SteppedClock* clock, int64_t cost_ms) : clock_(clock), cost_ms_(cost_ms) {}
  Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest&) override {
    clock_->advance_ns(cost_ms_ * kMillisecond);
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor sample, tensor::Tensor::scalar<float>(1));
    return std::vector<std::vector<tensor::Tensor>>{{sample}};
  }

 private:
  SteppedClock* clock_;
  int64_t cost_ms_;
};

class TimedFunction final : public HostFunction {
 public:
  TimedFunction(SteppedClock* clock, std::vector<int64_t> costs_ms)
      : clock_(clock), costs_ms_(std::move(costs_ms)) {}
  Status run(std::span<FunctionSample> samples) override {
    clock_->advance_ns(costs_ms_[std::min(call_++, costs_ms_.size() - 1)] * kMillisecond);
    for (FunctionSample& sample : samples) {
      sample.outputs = sample.inputs;
    }
    return ok_status();
  }

 private:
  SteppedClock* clock_;
  std::vector<int64_t> costs_ms_;  // per call; the last one applies to all further calls
  size_t call_ = 0;
};

struct Script {
  int64_t feed_ms = 0;
  std::vector<int64_t> augment_ms = {0};
  std::vector<int64_t> encode_ms = {0};
  int64_t consumer_ms = 10;
};

Explanation play(const Script& script) {
  SteppedClock clock;
  auto engine =
      std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0, .naive = false, .clock = &clock});
  Graph graph;
  Node feed;
  feed.op = kExternalSource;
  feed.name = "feed";
  const int fed = *graph.add(feed);
  Node augment;
  augment.op = kHostFunction;
  augment.name = "augment";
  augment.inputs = {{fed, 0}};
  const int augmented = *graph.add(augment);
  Node encode = augment;
  encode.name = "encode";
  encode.inputs = {{augmented, 0}};
  const int encoded = *graph.add(encode);
  EXPECT_TRUE(graph.set_outputs({{encoded, 0}}).ok());
  SessionOptions options;
  options.prefetch_depth = 3;
  options.engine = engine;
  options.clock = &clock;
  options.feeds[fed] = std::make_shared<TimedFeed>(&clock, script.feed_ms);
  options.functions[augmented] = std::make_shared<TimedFunction>(&clock, script.augment_ms);
  options.functions[encoded] = std::make_shared<TimedFunction>(&clock, script.encode_ms);
  auto session = *Session::create(*Plan::compile(graph, {}), std::move(options));
  for (int batch = 0; batch < 20; ++batch) {
    EXPECT_TRUE(session->run().ok());
    const int64_t done_ns = clock.now_ns() + script.consumer_ms * kMillisecond;
    while (clock.now_ns() < done_ns && engine->step()) {
    }
    clock.advance_ns(std::max<int64_t>(0, done_ns - clock.now_ns()));
  }
  return session->explain();
}

TEST(ExplainSession, FastLoader) {
  EXPECT_EQ(play({.feed_ms = 1, .augment_ms = {2}, .encode_ms = {1}}).bottleneck, Bottleneck::kConsumer);
}

TEST(ExplainSession, BalancedLoaderThatKeepsUp) {
  EXPECT_EQ(play({.feed_ms = 2, .augment_ms = {4}, .encode_ms = {3}}).bottleneck, Bottleneck::kConsumer);
}

TEST(ExplainSession, OneSlowBatchIsHiddenByPrefetch) {
  const Explanation verdict = play({.augment_ms = {8, 8, 8, 8, 8, 24, 8}, .consumer_ms = 16});
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kConsumer);
  EXPECT_EQ(verdict.times.consumer_wait_ns, 0);
}

TEST(ExplainSession, SlowFirstStage) {
  const Explanation verdict = play({.augment_ms = {20}, .encode_ms = {3}});
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kLoader);
  EXPECT_EQ(verdict.stage, "augment");
}

TEST(ExplainSession, SlowSecondStage) {
  const Explanation verdict = play({.augment_ms = {12}, .encode_ms = {25}});
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kLoader);
  EXPECT_EQ(verdict.stage, "encode");
}

TEST(ExplainSession, SlowSource) {
  const Explanation verdict = play({.feed_ms = 30, .augment_ms = {4}});
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kLoader);
  EXPECT_EQ(verdict.stage, "feed");
}

}  // namespace
}  // namespace forebay::pipeline
