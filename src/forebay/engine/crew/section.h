// A scope that holds the engine's mutex. Internal.
#pragma once

#include <cstddef>
#include <mutex>

#include "forebay/engine/engine_mutex.h"
#include "forebay/engine/graph/graph.h"

namespace forebay::engine {

class Crew;

/// On entry it sorts in everything that was pushed. On leaving it does what must not happen under the mutex:
/// waking workers and destroying tasks.
class Section {
 public:
  explicit Section(Crew& crew, size_t sorts_in = Graph::kEverything)
      FOREBAY_ACQUIRE(::forebay::engine::engine_mutex);
  ~Section() FOREBAY_RELEASE(::forebay::engine::engine_mutex) { leave(); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  void leave() FOREBAY_RELEASE(::forebay::engine::engine_mutex);
  /// Sorts in at most `sorts_in` tasks.
  void enter(size_t sorts_in = Graph::kEverything) FOREBAY_ACQUIRE(::forebay::engine::engine_mutex);
  /// Releases the mutex for a moment and does the deferred work.
  void step_out() FOREBAY_HOLDS {
    leave();
    enter();
  }
  /// Whether leaving would do more than unlock. If not, a thread may sleep on lock().
  bool has_deferred() const FOREBAY_HOLDS;
  std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  Crew& crew_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace forebay::engine
