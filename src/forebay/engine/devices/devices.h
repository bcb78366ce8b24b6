// Device tasks, from the moment their body puts work on a queue until the host learns that it is done. See
// devices.cc. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "forebay/engine/crew/crew.h"
#include "forebay/engine/crew/executor.h"
#include "forebay/engine/crew/section.h"
#include "forebay/engine/devices/device_line.h"
#include "forebay/engine/graph/graph.h"

namespace forebay::engine {

class Devices {
 public:
  /// Threads keep `core` alive, of which all is.
  Devices(Core& core, Graph& graph, Crew& crew) : core_(core), graph_(graph), crew_(crew) {}

  /// See Engine::device_executor.
  Result<ExecutorRef> make(std::string_view name, std::shared_ptr<DeviceQueue> queue);

  /// Called before the body of `task` puts work on its queue: makes the queue wait for the work that `task`
  /// depends on in other queues. Sets the result of `task` if the body must not run.
  Status begin_issue(Task& task);
  /// Called when the body of `task` has returned. May release the section in between.
  void end_issue(Task& task, Status status, Section& section) FOREBAY_HOLDS;

  /// Takes one step towards learning what the device has done. Returns false when there is nothing to learn.
  /// Releases the section in between.
  bool learn(DeviceLine& line, Section& section) FOREBAY_HOLDS;
  /// Does the same for any queue that has no thread of its own for it.
  bool learn_here(Section& section) FOREBAY_HOLDS;

  /// The executor is over: no other waits for its queue any more.
  void forget(const ExecutorRef& executor) FOREBAY_HOLDS;
  /// Called after the threads that issue tasks have ended.
  void end_learners(bool join);

 private:
  Status queue_behind(DeviceLine& line, DeviceLine& other, uint64_t number, Section& section) FOREBAY_HOLDS;
  void record_point(DeviceLine& line, Section& section) FOREBAY_HOLDS;
  void await_point(DeviceLine& line, Section& section) FOREBAY_HOLDS;
  void fail(DeviceLine& line, const Status& error) FOREBAY_HOLDS;
  bool finish_passed() FOREBAY_HOLDS;
  void finish_issued(DeviceLine& line) FOREBAY_HOLDS;

  // device_executors.cc
  Status add(std::string_view name, std::shared_ptr<DeviceQueue> queue, ExecutorRef& made);
  Status start_learner(const ExecutorRef& executor) FOREBAY_HOLDS;
  void learner_loop(const ExecutorRef& executor);

  Core& core_;
  Graph& graph_;
  Crew& crew_;
  std::vector<ExecutorRef> executors_ FOREBAY_GUARDED;  // the device executors
};

}  // namespace forebay::engine
