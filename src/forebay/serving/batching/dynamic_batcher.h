// Puts requests together to batches, runs each batch as one request of the model, and gives every request its
// rows of the answer.
//
// Requests join if their inputs have equal names, datatypes and shapes but for the first extent, and if they
// have equal parameters and epoch. A request with a key of its own runs alone: its random numbers are those
// of its key, whoever else is there. Inputs are copied into the batch (counted); outputs are views of the
// batch's. If a batch of several requests fails, each runs again alone, so that a broken one is no other's
// error; not where the model itself is unavailable, out of something, late or cancelled. A request whose
// deadline passes while its batch runs is answered then; a batch is cancelled once all of its requests are.
// Source of the rules: Triton's dynamic batcher, as its model configuration describes it.
#pragma once

#include <sys/types.h>

#include <memory>

#include "forebay/base/sync/timer.h"
#include "forebay/serving/batching/batching_options.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

class BatcherCore;

/// Thread safe.
class DynamicBatcher final : public Model {
 public:
  /// `timer` is for delays and deadlines of requests that wait, and its time the batcher's; null: a timer of
  /// its own.
  DynamicBatcher(std::shared_ptr<Model> model, BatchingOptions options,
                 std::shared_ptr<Timer> timer = nullptr);
  /// Waits for threads that are on their way out of the model. Not from an answer.
  ~DynamicBatcher() override;
  DynamicBatcher(const DynamicBatcher&) = delete;
  DynamicBatcher& operator=(const DynamicBatcher&) = delete;

  const ModelMetadata& metadata() const override { return model_->metadata(); }
  void infer(InferRequest request, InferAnswer answer) override;
  /// What waits runs at once, without delays.
  void close(int64_t deadline_ns) override;
  Status status() const override { return model_->status(); }
  std::optional<uint64_t> execution_count() const override;

 private:
  const pid_t owner_;
  const std::shared_ptr<Model> model_;
  const std::shared_ptr<Timer> timer_;
  const std::shared_ptr<BatcherCore> core_;  // shared with answers that are under way
};

}  // namespace forebay::serving
