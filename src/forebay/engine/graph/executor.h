// A dedicated thread for tasks that must not run on workers. Internal.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "forebay/engine/graph/device_line.h"
#include "forebay/engine/graph/ready_queue.h"

namespace forebay::engine {

/// Runs the tasks given to it, one after the other.
class Executor {
 public:
  Executor(std::string name, size_t queue_id) : name(std::move(name)), queue(queue_id) {}

  const std::string name;
  uint32_t core_id = 0;              // constant
  uint32_t fork_generation = 0;      // constant
  std::unique_ptr<DeviceLine> line;  // constant; if set, its tasks put work on a device queue
  std::thread thread;                // of whoever starts and ends it
  std::condition_variable condition;
  ReadyQueue queue FOREBAY_GUARDED;
  bool has_thread FOREBAY_GUARDED = false;   // else threads that wait or step run its tasks
  Task* running FOREBAY_GUARDED = nullptr;   // the innermost task on its thread
  bool is_idle FOREBAY_GUARDED = false;      // parked and not notified yet
  bool is_over FOREBAY_GUARDED = false;      // its thread ends
  bool is_shared = true;                     // set before it is added; false: it ends with its last handle
  bool is_released FOREBAY_GUARDED = false;  // nobody holds a handle: no task comes any more
  size_t unfinished FOREBAY_GUARDED = 0;     // tasks for it, from when they are sorted in

  /// Nobody needs it any more.
  bool is_done() const FOREBAY_HOLDS {
    return line != nullptr ? line->is_over() : is_released && unfinished == 0;
  }
  /// Its thread ends itself then; that of a device ends when the line's other thread says so.
  bool ends_itself() const FOREBAY_HOLDS { return line == nullptr && is_done(); }
  /// The last handle is gone.
  void note_released() FOREBAY_HOLDS {
    if (line != nullptr) {
      line->is_released = true;
      line->wake_if_over();
    } else {
      is_released = true;
      wake();
    }
  }
  void end_task() FOREBAY_HOLDS {
    --unfinished;
    if (is_done()) {
      wake();
    }
  }

  void wake() FOREBAY_HOLDS {
    if (is_idle) {
      is_idle = false;
      condition.notify_one();
    }
  }
};

}  // namespace forebay::engine
