// A stretch with the engine's mutex held. Internal.
#pragma once

#include <cstddef>
#include <mutex>

#include "forebay/engine/engine_mutex.h"
#include "forebay/engine/graph/graph.h"

namespace forebay::engine {

class Crew;

/// Begins with everything that was pushed sorted in. What must not happen under the mutex (waking workers,
/// destroying tasks) is done when it is left.
class Section {
 public:
  explicit Section(Crew& crew, size_t sorts_in = Graph::kEverything)
      FOREBAY_ACQUIRE(::forebay::engine::engine_mutex);
  ~Section() FOREBAY_RELEASE(::forebay::engine::engine_mutex) { leave(); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  void leave() FOREBAY_RELEASE(::forebay::engine::engine_mutex);
  /// At most so many tasks are sorted in.
  void enter(size_t sorts_in = Graph::kEverything) FOREBAY_ACQUIRE(::forebay::engine::engine_mutex);
  /// Lets others in, and does what was put off.
  void step_out() FOREBAY_HOLDS {
    leave();
    enter();
  }
  /// Whether leaving would do anything but unlock. If not, a thread may sleep by lock().
  bool has_deferred() const FOREBAY_HOLDS;
  std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  Crew& crew_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace forebay::engine
