// The working part of the dynamic batcher: the queue behind a lock, the batches that run, the timer.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/serving/batching/batch_cancel.h"
#include "forebay/serving/batching/batch_queue.h"
#include "forebay/serving/batching/ordered_answers.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/inference/queue_sweep.h"

namespace forebay::serving {

/// Thread safe. Answers and what the timer is to call share it, so it may outlive the batcher. After close()
/// it touches neither timer nor model, but for threads that wait_until_left() waits for.
class BatcherCore : public std::enable_shared_from_this<BatcherCore> {
 public:
  BatcherCore(Model& model, BatchingOptions options, Timer& timer);

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
    /// Where a request was refused while its batch ran, its `answer` is null. Until the batch has ended the
    /// lock guards `answer`.
    std::vector<WaitingRequestPtr> batch;
    int64_t started_ns = 0;
    std::optional<BatchCancel> cancel;  // of several requests
    const std::thread::id starter = std::this_thread::get_id();
    bool has_returned = false;  // the call that started it; the starter's
  };
  using RunningPtr = std::shared_ptr<Running>;
  /// A request that has its answer before its turn.
  struct Refused {
    InferAnswer answer;
    uint64_t turn;
    Status error;
  };
  struct Work {
    std::vector<Refused> refused;
    RunningPtr run;  // null: nothing is to be run
  };

  /// Runs what can be run, and refuses what is overdue or cancelled.
  void pump();
  Work next_work();
  std::vector<WaitingRequestPtr> next_batch(int64_t now_ns, Work* work) FOREBAY_REQUIRES(mutex_);
  void refuse_overdue(int64_t now_ns, Work* work) FOREBAY_REQUIRES(mutex_);
  void set_timer(int64_t now_ns) FOREBAY_REQUIRES(mutex_);
  void on_timer(int64_t when_ns);
  void run(const RunningPtr& running);
  /// The answer of a batch is there.
  void finish(const RunningPtr& running, Result<InferResponse> response);
  /// What is left of the batch, for the thread that calls it.
  std::vector<WaitingRequestPtr> end_of_batch(const RunningPtr& running);
  void answer_all(const RunningPtr& running, Result<InferResponse> response);
  void answer_parts(const Running& running, std::vector<WaitingRequestPtr>* batch,
                    Result<std::vector<InferResponse>> parts);
  /// Puts the requests of a batch that failed in line to run alone. False after close().
  bool run_alone(std::vector<WaitingRequestPtr>* batch);
  void end_of_run();
  void give(QueuedRequest* waiting, Result<InferResponse> response);
  /// At once, also where answers keep the order: nobody waits for what was not run.
  void refuse(Refused refused);

  Model& model_;
  Timer& timer_;
  const int64_t max_running_;
  const std::unique_ptr<OrderedAnswers> ordered_;  // null: in any order

  mutable Mutex mutex_;
  std::condition_variable changed_;
  BatchQueue queue_ FOREBAY_GUARDED_BY(mutex_);
  QueueSweep sweep_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<WaitingRequestPtr> alone_ FOREBAY_GUARDED_BY(mutex_);
  int64_t running_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int64_t inside_ FOREBAY_GUARDED_BY(mutex_) = 0;
  /// Those of several requests: the model knows but the last of their deadlines.
  std::set<RunningPtr> batches_ FOREBAY_GUARDED_BY(mutex_);
  std::set<int64_t> timer_set_ns_ FOREBAY_GUARDED_BY(mutex_);  // when the timer will call
  uint64_t executions_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_closing_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::serving
