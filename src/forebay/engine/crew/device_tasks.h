// What the crew asks of whoever looks after tasks of devices. Internal; Devices implements it.
#pragma once

#include "forebay/base/status.h"
#include "forebay/engine/crew/section.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

class DeviceTasks {
 public:
  /// Called before the body of `task` puts work on its queue: makes the queue wait for the work that `task`
  /// depends on in other queues. Sets the result of `task` if the body must not run.
  virtual Status begin_issue(Task& task) = 0;
  /// Called when the body of `task` has returned. May release the section in between.
  virtual void end_issue(Task& task, Status status, Section& section) FOREBAY_HOLDS = 0;
  /// Takes one step towards learning what the devices have done, for any queue that has no thread of its own
  /// for it. Returns false when there is nothing to learn. Releases the section in between.
  virtual bool learn_here(Section& section) FOREBAY_HOLDS = 0;
  /// The executor is over: no other waits for its queue any more.
  virtual void forget(const ExecutorRef& executor) FOREBAY_HOLDS = 0;

 protected:
  ~DeviceTasks() = default;
};

}  // namespace forebay::engine
