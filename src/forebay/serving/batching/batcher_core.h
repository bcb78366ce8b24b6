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

/// Thread safe. Answers and what the timer is to call share it, so it may outlive the batcher. After close()
/// it touches neither timer nor model, but for threads that wait_until_left() waits for.
class BatcherCore : public std::enable_shared_from_this<BatcherCore> {
 public:
  BatcherCore(Model& model, BatchingOptions options, storage::Timer& timer);

  void infer(InferRequest request, InferAnswer answer);
  void close(int64_t deadline_ns);
  /// After close(): until no thread is in here. False if one still is after some seconds.
  bool wait_until_left();
  uint64_t execution_count() const;

 private:
  /// A thread that is in here, and may use the model. It must not be what destroys the model: that may be one
  /// of the model's own threads.
  class Inside {
   public:
    explicit Inside(BatcherCore& core);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    BatcherCore& core_;
  };
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

  Model& model_;
  storage::Timer& timer_;
  const int64_t max_running_;
  const std::shared_ptr<OrderedAnswers> ordered_;  // null: in any order

  mutable Mutex mutex_;
  std::condition_variable changed_;
  BatchQueue queue_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<WaitingRequestPtr> alone_ FOREBAY_GUARDED_BY(mutex_);
  int64_t running_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int64_t inside_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int64_t timer_set_ns_ FOREBAY_GUARDED_BY(mutex_) = kNoDeadlineNs;
  uint64_t executions_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_closing_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::serving
