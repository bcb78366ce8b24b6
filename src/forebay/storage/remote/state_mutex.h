// The mutex of what little the remote stores of a process change while they run: keys, regions, which are
// open.
#pragma once

#include "forebay/base/sync/mutex.h"

namespace forebay::storage {

/// One for all stores, so that it can be kept usable in the child of a fork. It is held for a few
/// instructions, and never while another mutex is locked. Never destroyed.
Mutex& remote_state_mutex();

}  // namespace forebay::storage
