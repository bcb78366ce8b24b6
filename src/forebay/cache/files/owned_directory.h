// A directory of the host that one process owns: by a lock of its file `lock`, and, for those who look at
// what it holds, by locks of bytes of its file `readers`.
#pragma once

#include <memory>
#include <string>

#include "forebay/cache/files/file_system.h"

namespace forebay::cache {

/// See FileSystem::own(). Each owner has a random generation, and a byte of `readers` of that number locked
/// for reading (F_OFD_SETLK of fcntl(2)). The lock is that of all copies of its descriptor, in whatever
/// process, so the kernel knows whether somebody still looks at what an earlier generation held. A directory
/// in which `segments` or `objects` hold something, and that no owner has marked as its own, is not taken.
Result<std::unique_ptr<OwnedDirectory>> own_directory(const std::string& path);

}  // namespace forebay::cache
