// One process of a model, kept running by a thread of its own: it is started, given requests one by one,
// watched, killed when it hangs, and started again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/serving/processes/process_pool.h"
#include "forebay/serving/processes/worker_link.h"

namespace forebay::serving {

/// Belongs to its thread, which runs run().
class ProcessInstance {
 public:
  ProcessInstance(std::shared_ptr<ProcessPool> pool, size_t number);

  /// Returns once the pool ends; what it was doing is answered by then, and the process is gone.
  void run();

 private:
  struct Awake {
    bool is_said = false;  // the worker has said something, or closed its end
    bool has_ended = false;
  };
  /// A request that is being answered.
  struct Running {
    WaitingRequest waiting;
    int64_t started_ns = 0;
    int64_t sent_ns = 0;
    int64_t kill_ns = 0;  // when the worker is killed if it has not answered
  };

  /// Waits until something happens, `until_ns` at most; minds the queue's deadlines and the worker's output.
  Awake wait(int64_t until_ns);
  void pause(int64_t ns);

  /// Starts the process and waits until it has loaded the model.
  Status begin();
  Status take_ready(HeardMessage heard);
  /// Gives it requests until the pool ends (OK) or the worker does (why).
  Status serve();
  Status run_request(WaitingRequest waiting);
  /// Waits for the worker's answer; OK where it has come, whatever it says.
  Status await_answer(Running& running);
  Status take_answer(Running& running, HeardMessage heard);
  void answer_late(Running& running, int64_t now_ns);
  void answer(WaitingRequest& waiting, Result<InferResponse> result);
  /// What `hear()` says, where an answer is expected; nothing if there is none yet.
  Result<std::optional<HeardMessage>> hear();
  /// Why the worker is no more; it has a moment to end.
  Status obituary();
  /// Kills the worker, which did what `why` says.
  Status put_down(const Status& why);
  void end_worker();

  /// How many failures in a row that of now makes.
  int count_failure();

  const std::shared_ptr<ProcessPool> pool_;
  const size_t number_;
  InstanceBell& bell_;
  std::unique_ptr<WorkerLink> link_;  // none while the process is not there
  int failures_in_row_ = 0;
  int64_t well_since_ns_ = kNoDeadlineNs;  // when the model was loaded; kNoDeadlineNs: it is not
};

}  // namespace forebay::serving
