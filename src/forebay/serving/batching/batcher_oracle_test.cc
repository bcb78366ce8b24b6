// Whatever comes in whatever order, every request has the answer that it has alone.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "forebay/base/testing/seeds.h"
#include "forebay/base/testing/stepped_timer.h"
#include "forebay/serving/batching/dynamic_batcher.h"
#include "forebay/serving/testing/twin_models.h"

namespace forebay::serving {
namespace {

constexpr int64_t kOracleMs = 1000 * 1000;

using Random = std::mt19937;

int64_t draw(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

BatchingOptions random_options(Random& random) {
  BatchingOptions options;
  options.max_batch_size = draw(random, 0, 6);
  options.max_queue_delay_ns = draw(random, 0, 1) * draw(random, 1, 20) * kOracleMs;
  options.max_running = draw(random, 1, 3);
  options.preserves_order = draw(random, 0, 3) == 0;
  options.priority_levels = static_cast<uint64_t>(draw(random, 0, 2));
  options.default_priority = options.priority_levels;
  for (int64_t size = 1; size <= options.max_batch_size; ++size) {
    if (draw(random, 0, 3) == 0) {
      options.preferred_sizes.push_back(size);
    }
  }
  options.default_policy.delays_overdue = true;
  options.default_policy.timeout_ns = draw(random, 0, 1) * draw(random, 1, 10) * kOracleMs;
  return options;
}

InferRequest random_request(Random& random) {
  const int64_t rows = draw(random, 1, 3);
  std::vector<int32_t> values(static_cast<size_t>(rows * draw(random, 1, 2)));
  for (int32_t& value : values) {
    value = static_cast<int32_t>(draw(random, -1, 40));
  }
  InferRequest request = testing::twin_request(rows, values);
  request.priority = static_cast<uint64_t>(draw(random, 0, 3));
  if (draw(random, 0, 9) == 0) {
    request.key = 3;
  }
  return request;
}

struct Asked {
  InferRequest request;
  testing::TwinAnswer answer;
};

void expect_as_alone(const Asked& asked) {
  const Result<InferResponse> alone = testing::doubled(asked.request);
  const Result<InferResponse>& got = asked.answer.get();
  ASSERT_EQ(got.status().code(), alone.status().code()) << got.status();
  if (alone.ok()) {
    EXPECT_EQ(got->outputs.at(0).shape, alone->outputs[0].shape);
    EXPECT_EQ(testing::int32_values(got->outputs[0]), testing::int32_values(alone->outputs[0]));
  }
}

TEST(BatcherOracle, AnyOrderOfEventsGivesTheAnswersOfRunningAlone) {
  for_seeds(400, [](uint32_t seed) {
    Random random(seed);
    const auto timer = std::make_shared<SteppedTimer>();
    const auto twin = std::make_shared<testing::TwinModel>(testing::twin_metadata(), testing::doubled,
                                                           testing::TwinPace::kWhenTold);
    DynamicBatcher batcher(twin, random_options(random), timer);
    std::vector<Asked> all;
    for (int step = 0; step < 120; ++step) {
      switch (draw(random, 0, 3)) {
        case 0:
          twin->answer_next();
          break;
        case 1:
          timer->advance_ns(draw(random, 0, 8) * kOracleMs);
          break;
        default:
          all.push_back({random_request(random), {}});
          batcher.infer(all.back().request, all.back().answer.answer());
      }
    }
    for (int turn = 0; turn < 10'000 && (twin->answer_next() || turn < 100); ++turn) {
      timer->advance_ns(20 * kOracleMs);
    }
    for (const Asked& asked : all) {
      ASSERT_TRUE(asked.answer.is_there());
      expect_as_alone(asked);
    }
  });
}

/// Answers on a thread of its own, which its destructor joins.
class OwnThreadModel final : public Model {
 public:
  OwnThreadModel()
      : twin_(testing::twin_metadata(), testing::doubled, testing::TwinPace::kWhenTold), thread_([this] {
          while (!is_over_) {
            if (!twin_.answer_next()) {
              std::this_thread::yield();
            }
          }
        }) {}
  ~OwnThreadModel() override {
    is_over_ = true;
    thread_.join();
  }
  const ModelMetadata& metadata() const override { return twin_.metadata(); }
  void infer(InferRequest request, InferAnswer answer) override {
    twin_.infer(std::move(request), std::move(answer));
  }
  void close(int64_t deadline_ns) override { twin_.close(deadline_ns); }

 private:
  testing::TwinModel twin_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

TEST(BatcherOracle, AModelIsNotDestroyedByAThreadOfItsOwn) {
  for_seeds(200, [](uint32_t seed) {
    BatchingOptions options;
    options.max_batch_size = 2;
    std::vector<testing::TwinAnswer> answers(1 + seed % 3);
    DynamicBatcher batcher(std::make_shared<OwnThreadModel>(), options);
    for (testing::TwinAnswer& answer : answers) {
      batcher.infer(testing::twin_request(1, {1}), answer.answer());
    }
    for (testing::TwinAnswer& answer : answers) {
      ASSERT_TRUE(answer.wait());
    }
  });
}

TEST(BatcherOracle, ThreadsGetTheAnswersOfRunningAlone) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 200;
  BatchingOptions options;
  options.max_batch_size = 5;
  options.max_queue_delay_ns = kOracleMs / 10;
  options.max_running = 2;
  const auto twin = std::make_shared<testing::TwinModel>(testing::twin_metadata(), testing::doubled,
                                                         testing::TwinPace::kWhenTold);
  DynamicBatcher batcher(twin, options);
  std::vector<std::vector<Asked>> all(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Random random(static_cast<uint32_t>(i));
      for (int j = 0; j < kRequests; ++j) {
        all[i].push_back({random_request(random), {}});
        batcher.infer(all[i].back().request, all[i].back().answer.answer());
        twin->answer_next();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<Asked>& of_thread : all) {
    for (const Asked& asked : of_thread) {
      while (!asked.answer.is_there()) {
        twin->answer_next();
        std::this_thread::yield();
      }
      expect_as_alone(asked);
    }
  }
}

}  // namespace
}  // namespace forebay::serving
