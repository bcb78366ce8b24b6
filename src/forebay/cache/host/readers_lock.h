// Tells a new daemon whether processes still look at what an earlier one, which was killed, had shared: they
// hold a file of the cache's directory locked, by a descriptor that the daemon gave them. The kernel releases
// it with the last process.
#pragma once

#include <string>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::cache {

/// Waits a moment for the processes of an earlier daemon to let go, and otherwise empties `directory`, which
/// must be the cache's own: what they look at stays theirs, and the cache starts with nothing. Call it before
/// Cache::open(). Returns whether it was emptied. Bytes of a directory that does not exist are nobody's.
Result<bool> empty_if_still_read(const std::string& directory);

/// A descriptor that holds the lock, for a process that is given bytes.
Result<FileDescriptor> lock_for_reader(const std::string& directory);

}  // namespace forebay::cache
