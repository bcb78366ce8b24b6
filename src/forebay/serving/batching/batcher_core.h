// The working part of the dynamic batcher: the queue behind a lock, the batches that run, the timer.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/batching/batch_queue.h"
#include "forebay/serving/batching/ordered_answers.h"
#include "forebay/serving/inference/model.h"
#include "forebay/storage/remote/timer.h"

namespace forebay::serving {

/// Thread safe. Answers and what the timer is to call share it, so it may outlive the batcher; after close()
/// it does not touch the timer.
class BatcherCore : public std::enable_shared_from_this<BatcherCore> {
 public:
  BatcherCore(std::shared_ptr<Model> model, BatchingOptions options, storage::Timer* timer);

  void infer(InferRequest request, InferAnswer answer);
  void close(int64_t deadline_ns);
  uint64_t execution_count() const;

 private:
  struct Running {
    std::vector<WaitingRequestPtr> batch;
    int64_t started_ns = 0;
    const std::thread::id starter = std::this_thread::get_id();
    bool has_returned = false;  // the call that started it; the starter's
  };
  struct Work {
    std::vector<WaitingRequestPtr> overdue;
    std::vector<WaitingRequestPtr> batch;
    int64_t now_ns = 0;
  };

  /// Runs what can be run, and refuses what is overdue.
  void pump();
  Work next_work();
  void take_overdue_alone(Work* work) FOREBAY_REQUIRES(mutex_);
  void set_timer(int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void on_timer(int64_t when_ns);
  void run(std::vector<WaitingRequestPtr> batch, int64_t now_ns);
  /// The answer of a batch is there.
  void finish(Running& running, Result<InferResponse> response);
  void answer_all(Running& running, Result<InferResponse> response);
  /// Puts the requests of a batch that failed in line to run alone. False after close().
  bool run_alone(std::vector<WaitingRequestPtr>* batch);
  void end_of_run();

  const std::shared_ptr<Model> model_;
  const int64_t max_running_;
  const std::shared_ptr<OrderedAnswers> ordered_;  // null: in any order

  mutable Mutex mutex_;
  std::condition_variable changed_;
  storage::Timer* timer_ FOREBAY_GUARDED_BY(mutex_);  // null after close()
  const storage::Timer* const clock_;
  BatchQueue queue_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<WaitingRequestPtr> alone_ FOREBAY_GUARDED_BY(mutex_);
  int64_t running_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int64_t timer_set_ns_ FOREBAY_GUARDED_BY(mutex_) = kNoDeadlineNs;
  uint64_t executions_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_closing_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::serving
