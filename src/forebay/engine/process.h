// What an engine shares with the others of its process: numbers, and where handles report to.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/engine/graph/inbox.h"

namespace forebay::engine {

/// Another one in a forked child.
uint32_t fork_generation();

uint32_t next_core_id();

/// Which engine a handle is of, and whether that one lives in this process.
class Identity {
 public:
  Identity() : core_id_(next_core_id()), fork_generation_(engine::fork_generation()) {}

  /// For handles.
  uint32_t core_id() const { return core_id_; }
  uint32_t fork_generation() const { return fork_generation_; }

  /// False in a process that was forked from the engine's.
  bool is_alive() const { return fork_generation_ == engine::fork_generation(); }
  Status check_alive() const;
  /// That a handle, a `what`, with these numbers is of this engine, and usable.
  Status check(uint32_t core_id, uint32_t fork_generation, const char* what) const;

 private:
  const uint32_t core_id_;
  const uint32_t fork_generation_;
};

/// Of one engine at a time; never freed, as handles may outlive their engine.
Inbox& take_inbox();
/// `inbox` holds no task.
void give_inbox(Inbox& inbox);

}  // namespace forebay::engine
