// What changes files and makes changes durable, as an interface, so that a test can let the power go after
// any step (testing/forgetful_disk.h).
#pragma once

#include <sys/types.h>

#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::storage {

/// Thread safe. Errors name the path and keep their errno.
class Disk {
 public:
  virtual ~Disk() = default;
  /// A new file for writing; already_exists if there is one.
  virtual Result<FileDescriptor> create(const std::string& path, mode_t mode) = 0;
  virtual Status write(int file, const std::string& path, Bytes content) = 0;
  /// Makes the file's content durable.
  virtual Status sync(int file, const std::string& path) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status link(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  /// Makes the names in a folder durable.
  virtual Status sync_folder(const std::string& folder) = 0;
};

/// The host's.
Disk& host_disk();

/// Makes all that was written to the disk of `path` durable: cheaper than to sync each of many files.
Status sync_whole_disk(const std::string& path);

}  // namespace forebay::storage
