// What the engines of a process share: numbers for engines and forks, and the inboxes that handles report to.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/engine/inbox.h"

namespace forebay::engine {

/// How many forks lie between this process and the first one with an engine, plus 1; see watch_forks().
inline constinit std::atomic<uint32_t> current_fork_generation{1};

/// Lets a forked child have a fork generation of its own from now on.
void watch_forks();

/// A number that differs in a forked child. Read for each task that is pushed.
inline uint32_t fork_generation() {
  return current_fork_generation.load(std::memory_order_relaxed);
}

uint32_t next_core_id();

/// Identifies an engine, and tells whether it lives in this process.
class Identity {
 public:
  Identity() : core_id_(next_core_id()), fork_generation_(engine::fork_generation()) { watch_forks(); }

  /// Copied into handles.
  uint32_t core_id() const { return core_id_; }
  uint32_t fork_generation() const { return fork_generation_; }

  /// False in a process forked from the engine's process.
  bool is_alive() const { return fork_generation_ == engine::fork_generation(); }
  Status check_alive() const;
  /// Checks that a handle (of the kind `what`) with these numbers belongs to this engine and is usable.
  Status check(uint32_t core_id, uint32_t fork_generation, const char* what) const;

 private:
  const uint32_t core_id_;
  const uint32_t fork_generation_;
};

/// An inbox is used by one engine at a time and never freed, because handles may outlive their engine.
Inbox& take_inbox();
/// `inbox` must hold no task.
void give_inbox(Inbox& inbox);

}  // namespace forebay::engine
