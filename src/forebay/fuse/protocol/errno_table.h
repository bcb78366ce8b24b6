// Errors of stores as programs that read files expect them. docs/design/fuse.md has the table for users.
#pragma once

#include "forebay/base/status.h"

namespace forebay::fuse {

/// The errno of an error; 0 for OK. An errno that the file system below has said is kept where it says
/// something of the file (EACCES, ENOSPC...); those of sockets and descriptors are EIO.
int errno_for(const Status& status);

/// The same of a file that is open already: one that has gone, or was replaced, is ESTALE.
int errno_for_open_file(const Status& status);

}  // namespace forebay::fuse
