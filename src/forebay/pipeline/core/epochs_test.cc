// Epochs of feeds, with anything done or not done of the batches ahead when the next epoch begins. One thread
// steps through the engine's tasks, so each case is one schedule.
#include <gtest/gtest.h>

#include "forebay/base/end_of_data.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;

constexpr int kEpochBatch = 2;
constexpr int kBatchesInEpoch = 3;
constexpr int kEpochs = 3;

/// Returns its epoch and iteration, as epoch * 100 + iteration.
class CountedFeed final : public ExternalFeed {
 public:
  Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest& request) override {
    if (request.iteration == kBatchesInEpoch) {
      return end_of_data("the epoch is over");
    }
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor sample,
                             tensor::Tensor::scalar<int64_t>(request.epoch * 100 + request.iteration));
    return std::vector<std::vector<tensor::Tensor>>{{sample, sample}};
  }
};

struct Schedule {
  int depth = 2;
  int steps_before = 0;  // tasks run after the end was reported and before the next epoch begins
  int steps_after = 0;   // tasks run before its first batch is requested
  uint64_t limit_bytes = 0;
  bool on_demand = false;
};

/// The contents of a batch: from the feed and from the reader.
struct Seen {
  int64_t fed;
  std::vector<std::string> read;
  bool operator==(const Seen&) const = default;
};

class EpochsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Session> open(const Schedule& schedule) {
    Graph graph;
    Node reader;
    reader.op = "readers.file";
    reader.constants["files"] = folder_.files();
    const Edge bytes{*graph.add(reader), 0};
    Node feed;
    feed.op = kExternalSource;
    feed.name = "feed";
    const Edge fed{*graph.add(feed), 0};
    EXPECT_TRUE(graph.set_outputs({fed, bytes}).ok());
    engine_ = std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0});
    SessionOptions options;
    options.engine = engine_;
    options.prefetch_depth = schedule.depth;
    options.memory_limit_bytes = schedule.limit_bytes;
    options.on_demand = schedule.on_demand;
    options.feeds[fed.node] = std::make_shared<CountedFeed>();
    auto session = Session::create(*Plan::compile(graph, {.batch_size = kEpochBatch}), std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  void step(int count) {
    for (int done = 0; done < count && engine_->step(); ++done) {
    }
  }

  static Seen seen_in(const Delivery& delivery) {
    Seen seen{*delivery.outputs[0][0].view().as<int64_t>(), {}};
    for (const tensor::Tensor& bytes : delivery.outputs[1].samples()) {
      seen.read.emplace_back(static_cast<const char*>(bytes.data()), bytes.size_bytes());
    }
    return seen;
  }

  std::vector<Seen> epochs(const Schedule& schedule) {
    auto session = open(schedule);
    std::vector<Seen> all;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      auto delivery = session->run();
      for (; delivery.ok(); delivery = session->run()) {
        all.push_back(seen_in(*delivery));
      }
      EXPECT_TRUE(is_end_of_data(delivery.status())) << delivery.status();
      step(schedule.steps_before);
      EXPECT_TRUE(*session->reset_feeds());
      step(schedule.steps_after);
    }
    return all;
  }

  FileFolder folder_{11};
  std::shared_ptr<engine::Engine> engine_;
};

TEST_F(EpochsTest, AreTheSameForEverySchedule) {
  const int schedules = static_cast<int>(rounds(8, 24));  // of the 24 for each; every one opens a session
  const int stride = 24 / schedules;
  const std::vector<Seen> expected = epochs({.depth = 1});
  ASSERT_EQ(expected.size(), static_cast<size_t>(kEpochs * kBatchesInEpoch));
  EXPECT_EQ(expected.front(), (Seen{0, {"0 ", "1 1 "}}));
  EXPECT_EQ(expected[kBatchesInEpoch], (Seen{100, {"6 6 6 6 6 6 6 ", "7 "}}));
  for (const uint64_t limit : {0, 64}) {
    for (const int depth : {1, 2, 3, 5}) {
      for (int before = 0; before < 24; before += stride) {
        for (int after = 0; after < 24; after += stride) {
          ASSERT_EQ(epochs({depth, before, after, limit}), expected)
              << depth << " ahead, " << before << " tasks before and " << after << " after, limit " << limit;
        }
      }
    }
  }
}

// The call that finds its batch done also starts others.
TEST_F(EpochsTest, AreTheSameOnDemand) {
  const std::vector<Seen> expected = epochs({.depth = 1});
  auto session = open({.depth = 2, .on_demand = true});
  for (int batch = 0; batch < kBatchesInEpoch; ++batch) {
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    EXPECT_EQ(seen_in(*delivery), expected[batch]);
    step(100);
  }
  EXPECT_TRUE(is_end_of_data(session->run().status()));
}

TEST_F(EpochsTest, BeginAgainOnlyAfterTheirEndWasTold) {
  auto session = open({});
  for (int batch = 0; batch < kBatchesInEpoch; ++batch) {
    EXPECT_FALSE(*session->reset_feeds());
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    EXPECT_EQ(seen_in(*delivery).fed, batch);
    step(100);
  }
  EXPECT_FALSE(*session->reset_feeds());
  EXPECT_TRUE(is_end_of_data(session->run().status()));
  EXPECT_TRUE(*session->reset_feeds());
  EXPECT_FALSE(*session->reset_feeds());
}

// Batches promised before the next epoch begins belong to the previous one, even if none of their work was
// done.
TEST_F(EpochsTest, EndForWhatWasPromisedBeyondThem) {
  for (int steps = 0; steps < 40; ++steps) {
    auto session = open({.depth = 2});
    while (session->run().ok()) {
    }
    ASSERT_TRUE(*session->reset_feeds());
    std::vector<int64_t> taken;
    const auto note = [&](Result<Delivery> delivery) {
      taken.push_back(delivery.ok() ? seen_in(*delivery).fed : is_end_of_data(delivery.status()) ? -1 : -2);
      return ok_status();
    };
    for (int batch = 0; batch < kBatchesInEpoch + 3; ++batch) {
      const engine::Variable written = engine_->new_variable();
      ASSERT_EQ(session->run_later({&written, 1}, note), ok_status());
    }
    step(steps);
    const bool was_told = taken.size() > kBatchesInEpoch;
    EXPECT_EQ(*session->reset_feeds(), was_told);
    step(1000);
    EXPECT_EQ(taken, (std::vector<int64_t>{100, 101, 102, -1, -1, -1})) << steps;
    EXPECT_EQ(*session->reset_feeds(), !was_told);
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    EXPECT_EQ(seen_in(*delivery).fed, 200);
  }
}

}  // namespace
}  // namespace forebay::pipeline
