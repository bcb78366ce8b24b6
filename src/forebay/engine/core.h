// The inside of the Engine, where its parts meet. Internal.
//
//   Graph    what is to be done: tasks, variables and lanes; who is ready. It knows no thread.
//   Crew     who does it: workers, executors and threads that wait; who is woken. The mutex is the crew's.
//   Waits    what a thread that waits does meanwhile, and which waits are refused. A Walk is its way through
//            the graph.
//   Devices  tasks whose work goes on, on queues of devices, when their bodies have returned.
//
// One mutex guards all of it. It is held for a fraction of a microsecond a task and never while a task's
// body, a destructor of what it captured, or a callback runs; whoever takes it does so by a Section, which
// sorts pushed tasks in first. What is guarded, and what is called with it held, is annotated
// (engine_mutex.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "forebay/engine/crew/crew.h"
#include "forebay/engine/devices/devices.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/graph.h"
#include "forebay/engine/process.h"
#include "forebay/engine/waits/waits.h"

namespace forebay::engine {

/// What Engine offers, under the same names: arguments are checked here.
class Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(const EngineOptions& options);

  void ensure_workers(int count) { crew_.ensure_workers(count); }
  int workers() { return crew_.workers(); }
  Variable new_variable();
  LaneRef new_lane(LaneOptions options);
  Result<ExecutorRef> executor(std::string_view name) { return crew_.executor(name); }
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
  /// `task` has a Completion out, which has completed.
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
