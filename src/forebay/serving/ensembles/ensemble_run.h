// One request on its way through an ensemble.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/serving/ensembles/ensemble_plan.h"

namespace forebay::serving {

class EnsembleRun;

/// The requests of an ensemble that have no answer yet. Thread safe.
class EnsembleRuns {
 public:
  /// False after close().
  bool add(std::shared_ptr<EnsembleRun> run);
  void remove(const std::shared_ptr<EnsembleRun>& run);
  /// Takes no more. Waits until all have ended or `deadline_ns` has passed, and ends the rest.
  void close(int64_t deadline_ns);

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::set<std::shared_ptr<EnsembleRun>> runs_ FOREBAY_GUARDED_BY(mutex_);
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

/// Thread safe. Shared with the answers of its steps.
class EnsembleRun : public std::enable_shared_from_this<EnsembleRun> {
 public:
  EnsembleRun(std::shared_ptr<const EnsemblePlan> plan, ModelServer& server, const Clock& clock,
              std::shared_ptr<EnsembleRuns> runs, InferRequest request, InferAnswer answer);

  void begin();
  /// Answers with the error, if there is no answer yet.
  void fail(const Status& error);

 private:
  /// A tensor that is there; of an optional input that was not given, nothing.
  using Slot = std::optional<NamedTensor>;

  /// Starts the steps that are ready. Only one thread does; others leave theirs to it.
  void start_steps();
  InferRequest request_of(const EnsemblePlan::Step& step) const FOREBAY_REQUIRES(mutex_);
  void end_of_step(size_t index, Result<InferResponse> response);
  Status take_outputs(size_t index, InferResponse* response) FOREBAY_REQUIRES(mutex_);
  void fill(size_t slot, Slot tensor) FOREBAY_REQUIRES(mutex_);
  InferResponse response() FOREBAY_REQUIRES(mutex_);
  void answer(Result<InferResponse> response);

  const std::shared_ptr<const EnsemblePlan> plan_;
  ModelServer& server_;
  const Clock& clock_;
  const std::shared_ptr<EnsembleRuns> runs_;
  const InferRequest request_;
  const int64_t began_ns_;

  Mutex mutex_;
  InferAnswer answer_ FOREBAY_GUARDED_BY(mutex_);  // null once it is given
  std::vector<Slot> slots_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<size_t> slots_needed_ FOREBAY_GUARDED_BY(mutex_);  // of each step
  std::deque<size_t> ready_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Timing> timings_ FOREBAY_GUARDED_BY(mutex_);  // of each step
  size_t steps_left_ FOREBAY_GUARDED_BY(mutex_);
  bool is_starting_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::serving
