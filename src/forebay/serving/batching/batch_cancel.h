// A batch is cancelled once all of its requests are: as long as somebody waits, it runs for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "forebay/serving/batching/batch_queue.h"

namespace forebay::serving {

/// Lives as long as the batch runs.
class BatchCancel {
 public:
  /// A token that never stops if one of the requests cannot be cancelled.
  explicit BatchCancel(const std::vector<WaitingRequestPtr>& batch)
      : left_(std::make_shared<std::atomic<size_t>>(batch.size())) {
    for (const WaitingRequestPtr& waiting : batch) {
      if (!waiting->request.cancel.stop_possible()) {
        return;
      }
    }
    for (const WaitingRequestPtr& waiting : batch) {
      callbacks_.emplace_back(waiting->request.cancel, Count{left_, source_});
    }
  }
  BatchCancel(const BatchCancel&) = delete;
  BatchCancel& operator=(const BatchCancel&) = delete;

  std::stop_token token() const { return callbacks_.empty() ? std::stop_token() : source_.get_token(); }

 private:
  struct Count {
    std::shared_ptr<std::atomic<size_t>> left;
    std::stop_source source;

    void operator()() const {
      if (left->fetch_sub(1) == 1) {
        std::stop_source last = source;  // an answer within the call may end the batch, and this with it
        last.request_stop();
      }
    }
  };

  const std::shared_ptr<std::atomic<size_t>> left_;
  std::stop_source source_;
  std::deque<std::stop_callback<Count>> callbacks_;
};

}  // namespace forebay::serving
