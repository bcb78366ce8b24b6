// What an engine shares with the others of its process: numbers, and where handles report to.
#pragma once

#include <atomic>
#include <cstdint>

#include "forebay/engine/inbox.h"

namespace forebay::engine {

/// Another one in a forked child.
uint32_t fork_generation();

uint32_t next_core_id();

/// Of one engine at a time; never freed, as handles may outlive their engine.
Inbox& take_inbox();
/// `inbox` holds no task.
void give_inbox(Inbox& inbox);

}  // namespace forebay::engine
