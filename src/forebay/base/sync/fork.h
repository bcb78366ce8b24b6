// Process-wide locks and fork(): a lock that another thread holds during the fork would never be released in
// the child.
#pragma once

#include <mutex>

namespace forebay {

/// From now on every fork() locks `mutex` first and unlocks it on both sides, so that what it guards is
/// consistent and usable in the child. For leaf locks that live as long as the process: a thread that holds
/// one must not lock another. Thread safe; must not be called with `mutex` held. Takes a std::mutex, which
/// Mutex::native() returns; the locks held across a fork are outside clang's analysis.
void keep_usable_in_child(std::mutex& mutex);

}  // namespace forebay
