// Who uses a model that is loaded, and what became of the requests. It outlives the model: answers that are
// under way share it.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/model.h"

namespace forebay::serving {

/// Thread safe.
class ModelUse {
 public:
  void begin();
  void end();
  uint64_t under_way() const;
  /// Until nobody uses the model. False if `deadline_ns` (steady_clock()) passes first.
  bool wait_until_idle(int64_t deadline_ns);

  void add_success(int64_t rows, int64_t spent_ns, const Timing& timing);
  void add_failure(int64_t spent_ns, const Status& error);
  /// The counts so far; `execution_count` is that of the requests that were not refused before they ran.
  ModelStatistics statistics() const;

 private:
  mutable Mutex mutex_;
  std::condition_variable idle_;
  uint64_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  ModelStatistics statistics_ FOREBAY_GUARDED_BY(mutex_);
};

/// One use, from its making until it is destroyed. Movable.
class UseOfModel {
 public:
  explicit UseOfModel(std::shared_ptr<ModelUse> use) : use_(std::move(use)) { use_->begin(); }
  UseOfModel(UseOfModel&& other) noexcept = default;
  UseOfModel& operator=(UseOfModel&&) = delete;
  ~UseOfModel() {
    if (use_ != nullptr) {
      use_->end();
    }
  }
  ModelUse* operator->() const { return use_.get(); }

 private:
  std::shared_ptr<ModelUse> use_;
};

}  // namespace forebay::serving
