// A batcher before a twin that answers when told, with time that a test steps.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/serving/batching/dynamic_batcher.h"
#include "forebay/serving/testing/twin_models.h"

namespace forebay::serving::testing {

inline constexpr int64_t kMs = 1000 * 1000;

inline BatchingOptions up_to(int64_t max_batch_size, int64_t delay_ms = 0) {
  BatchingOptions options;
  options.max_batch_size = max_batch_size;
  options.max_queue_delay_ns = delay_ms * kMs;
  return options;
}

/// Thread compatible.
struct BatchedTwin {
  std::shared_ptr<SteppedTimer> timer = std::make_shared<SteppedTimer>();
  std::shared_ptr<TwinModel> twin;
  std::unique_ptr<DynamicBatcher> batcher;
  std::vector<TwinAnswer> answers;

  explicit BatchedTwin(BatchingOptions options, TwinPace pace = TwinPace::kWhenTold,
                       TwinFunction function = doubled)
      : twin(std::make_shared<TwinModel>(twin_metadata(), std::move(function), pace)),
        batcher(std::make_unique<DynamicBatcher>(twin, std::move(options), timer)) {}

  TwinAnswer& send(InferRequest request) {
    answers.emplace_back();
    batcher->infer(std::move(request), answers.back().answer());
    return answers.back();
  }
  TwinAnswer& send(std::vector<int32_t> values) { return send(twin_request(1, values)); }
  /// One value, which may wait for `wait_ms`.
  TwinAnswer& send_until(int32_t value, int64_t wait_ms) {
    InferRequest request = twin_request(1, {value});
    request.deadline_ns = timer->now_ns() + wait_ms * kMs;
    return send(std::move(request));
  }
  TwinAnswer& send_cancellable(int32_t value, std::stop_token cancel) {
    InferRequest request = twin_request(1, {value});
    request.cancel = std::move(cancel);
    return send(std::move(request));
  }
  std::vector<int32_t> y(size_t answer) const {
    const Result<InferResponse>& response = answers.at(answer).get();
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? int32_values(response->outputs.at(0)) : std::vector<int32_t>();
  }
  StatusCode code(size_t answer) const { return answers.at(answer).get().status().code(); }
  void answer_all() {
    while (twin->answer_next()) {
    }
  }
};

}  // namespace forebay::serving::testing
