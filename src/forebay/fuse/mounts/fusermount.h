// Mounting for users who are not root, by the program fusermount3 of the package fuse3, which is root's.
#pragma once

#include <string>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::fuse {

struct MountPointOptions;

/// Mounts, and returns the descriptor that the program has opened. failed_precondition, with what to do, if
/// there is no such program or it refuses. `program` is for tests.
Result<FileDescriptor> mount_by_program(const MountPointOptions& options,
                                        const std::string& program = "fusermount3");

Status unmount_by_program(const std::string& path, bool at_once, const std::string& program = "fusermount3");

}  // namespace forebay::fuse
