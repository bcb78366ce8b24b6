// What stat() tells of a file, and when it was made.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace forebay::storage {

struct FileStatus : public stat {
  FileStatus() : stat{} {}

  int64_t born_ns = 0;  // since the Unix epoch; 0 where the file system keeps no time of birth
};

/// As stat() and fstat(): 0, or -1 and errno. Where the kernel has no statx(), there are no times of birth.
int look_at(const char* path, FileStatus* status);
int look_at(int descriptor, FileStatus* status);

/// Nanoseconds since the Unix epoch.
int64_t nanoseconds_of(const timespec& time);

}  // namespace forebay::storage
