// The internals of the Engine, and where its parts meet. Internal.
//
//   Graph    what has to be done: tasks, variables and lanes, and which tasks are ready. It knows no threads.
//   Crew     who does it: workers, executors and waiting threads, and which of them is woken. Owns the mutex.
//   Waits    what a waiting thread does meanwhile, and which waits are refused. A Walk traverses the graph.
//   Devices  tasks whose work continues on a device queue after their bodies have returned.
//
// One mutex guards all of it. It is held for a fraction of a microsecond per task, and never while a task
// body, the destructor of something the body captured, or a callback runs. Threads take it through a Section,
// which first sorts newly pushed tasks into the graph. Annotations say what is guarded and what must be
// called with the mutex held (engine_mutex.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "forebay/engine/crew/crew.h"
#include "forebay/engine/devices/devices.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/graph.h"
#include "forebay/engine/kept_alive.h"
#include "forebay/engine/process.h"
#include "forebay/engine/waits/waits.h"

namespace forebay::engine {

/// Implements Engine under the same names, and checks the arguments.
class Core final : public KeptAlive {
 public:
  explicit Core(const EngineOptions& options);

  void ensure_workers(int count) { crew_.ensure_workers(count); }
  int workers() { return crew_.workers(); }
  Variable new_variable();
  LaneRef new_lane(LaneOptions options);
  Result<ExecutorRef> executor(std::string_view name) { return crew_.executor(name); }
  Result<ExecutorRef> new_executor(std::string_view name) { return crew_.new_executor(name); }
  bool is_on(const ExecutorRef& executor) const { return crew_.is_on_executor(executor.get()); }
  Result<ExecutorRef> device_executor(std::string_view name, std::shared_ptr<DeviceQueue> queue);

  // push.cc
  Status push(const LaneRef& lane, const TaskOptions& options, TaskBody body);
  Status push_async(const LaneRef& lane, const TaskOptions& options, AsyncBody body);
  Result<Completion> push_open(const LaneRef& lane, const TaskOptions& options);

  Status wait(const Variable& variable, const WaitOptions& options);
  Status wait_all(const LaneRef& lane, const WaitOptions& options);
  Status await_room(const LaneRef& lane, const WaitOptions& options);
  Status error_of(const Variable& variable);
  void cancel(const LaneRef& lane);
  Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body) {
    return crew_.parallel_for(count, body);
  }
  bool step() { return crew_.step(); }
  size_t pending_tasks();
  void shutdown(bool join_executors);

  bool is_alive() const { return identity_.is_alive(); }
  std::shared_ptr<Core> self() { return std::static_pointer_cast<Core>(shared_from_this()); }
  /// Called when the Completion of `task` has completed.
  void complete_pending(Task& task, Status status);

 private:
  Status check(const Lane* lane, const TaskOptions& options) const;
  Status check(const Variable& variable) const;
  Status check(const LaneRef& lane) const;
  bool owns_all(const Lane* lane, const TaskOptions& options) const;
  Status check_push(const Lane* lane, const TaskOptions& options) const;
  Task* make_task(const LaneRef& lane, const TaskOptions& options);
  bool put_in_inbox(Task& task);
  void put(Task& task);

  const Identity identity_;
  const bool is_naive_;
  Graph graph_;
  Devices devices_;
  Crew crew_;
  Waits waits_;
};

}  // namespace forebay::engine
