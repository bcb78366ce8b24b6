// Tasks for devices: from the moment that their body puts work on a queue to what the host learns of it. See
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

  /// Before the body of `task` puts work on its queue: the queue comes after what other queues do for the
  /// task. Sets its result when the body is not to run.
  Status begin_issue(Task& task);
  /// The body of `task` has returned. May leave the section meanwhile.
  void end_issue(Task& task, Status status, Section& section) FOREBAY_HOLDS;

  /// One step of finding out what the device has done; false when there is nothing to find out. Leaves the
  /// section meanwhile.
  bool learn(DeviceLine& line, Section& section) FOREBAY_HOLDS;
  /// The same, of any queue for which no thread of its own does it.
  bool learn_here(Section& section) FOREBAY_HOLDS;

  /// After the threads that issue have ended.
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
  ExecutorRef handle_of(ExecutorRef executor);
  Status start_learner(const ExecutorRef& executor) FOREBAY_HOLDS;
  void learner_loop(const ExecutorRef& executor);
  void release(const ExecutorRef& executor);
  void forget_threadless();
  void forget(const ExecutorRef& executor) FOREBAY_HOLDS;
  void join_ended(bool join);

  Core& core_;
  Graph& graph_;
  Crew& crew_;
  std::vector<ExecutorRef> executors_ FOREBAY_GUARDED;  // those of devices
  std::vector<std::thread> ended_ FOREBAY_GUARDED;      // of executors that are forgotten, to be joined
};

}  // namespace forebay::engine
