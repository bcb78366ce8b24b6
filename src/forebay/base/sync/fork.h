// Locks of the whole process and fork(): a lock that another thread holds at that moment would never be let
// go in the child.
#pragma once

#include <mutex>

namespace forebay {

/// From now on every fork() first takes `mutex` and lets it go on both sides, so that what it guards is whole
/// and usable in the child. For leaf locks that live as long as the process: a thread that holds one must not
/// ask for another. Thread safe; not to be called with `mutex` held.
void keep_usable_in_child(std::mutex& mutex);

}  // namespace forebay
