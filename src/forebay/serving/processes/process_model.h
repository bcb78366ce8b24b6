// A model that runs in processes of its own: what its code does there, it does not do to us. A crash or a
// hang is an error of the requests under way, and the process is started again.
#pragma once

#include <sys/types.h>

#include <memory>
#include <thread>
#include <vector>

#include "forebay/serving/inference/model.h"
#include "forebay/serving/processes/process_options.h"

namespace forebay::serving {

class ProcessPool;

/// Thread safe. In a forked child infer() answers unavailable, and close() and the destructor do nothing.
class ProcessModel final : public Model {
 public:
  /// Starts the processes and waits until all have loaded the model. The error of one that could not, with
  /// the last lines that it wrote; deadline_exceeded after `start_patience_ns`.
  static Result<std::unique_ptr<ProcessModel>> start(ProcessModelOptions options);
  /// close() without patience.
  ~ProcessModel() override;

  const ModelMetadata& metadata() const override;
  /// A request past its deadline is answered deadline_exceeded also while the process is busy with it. One
  /// whose process ended is answered unavailable, with how it ended; it is not tried again.
  void infer(InferRequest request, InferAnswer answer) override;
  /// Returns some seconds after the deadline at the latest: see ProcessModelOptions::end_patience_ns.
  void close(int64_t deadline_ns) override;

  /// OK while requests may be answered; otherwise why they cannot be.
  Status status() const override;
  /// How often a process has failed since start().
  uint64_t failure_count() const;

 private:
  explicit ProcessModel(std::shared_ptr<ProcessPool> pool);
  Status start_threads();
  bool is_forked_copy() const;
  void join();

  const pid_t owner_;
  std::shared_ptr<ProcessPool> pool_;
  Mutex join_mutex_;
  std::vector<std::thread> threads_ FOREBAY_GUARDED_BY(join_mutex_);
};

}  // namespace forebay::serving
