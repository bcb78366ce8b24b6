// Device tasks, from the moment their body puts work on a queue until the host learns that it is done. See
// devices.cc. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "forebay/engine/crew/crew.h"
#include "forebay/engine/crew/device_tasks.h"
#include "forebay/engine/crew/section.h"
#include "forebay/engine/graph/device_line.h"
#include "forebay/engine/graph/executor.h"
#include "forebay/engine/graph/graph.h"
#include "forebay/engine/kept_alive.h"

namespace forebay::engine {

class Devices final : public DeviceTasks {
 public:
  /// Threads keep `core` alive, of which all is.
  Devices(KeptAlive& core, Graph& graph, Crew& crew) : core_(core), graph_(graph), crew_(crew) {}

  /// See Engine::device_executor.
  Result<ExecutorRef> make(std::string_view name, std::shared_ptr<DeviceQueue> queue);

  Status begin_issue(Task& task) override;
  void end_issue(Task& task, Status status, Section& section) override FOREBAY_HOLDS;
  bool learn_here(Section& section) override FOREBAY_HOLDS;
  void forget(const ExecutorRef& executor) override FOREBAY_HOLDS;

  /// Takes one step towards learning what the device has done. Returns false when there is nothing to learn.
  /// Releases the section in between.
  bool learn(DeviceLine& line, Section& section) FOREBAY_HOLDS;
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

  KeptAlive& core_;
  Graph& graph_;
  Crew& crew_;
  std::vector<ExecutorRef> executors_ FOREBAY_GUARDED;  // the device executors
};

}  // namespace forebay::engine
