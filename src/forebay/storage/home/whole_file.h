// Small files that are replaced as a whole: the mount table, the cache's rules.
//
// A writer takes the lock beside the file, reads the file, writes a new one, makes it durable and moves it
// into place. So readers see a whole file, the old one or the new one, whenever a writer or the machine
// stops.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/storage/local/disk.h"

namespace forebay::storage {

/// The moments in a replacement at which a test stops the process, in order.
inline constexpr std::string_view kReplacePoints[] = {"created", "written", "durable", "in place",
                                                      "folder durable"};
using AtPoint = std::function<void(std::string_view point)>;

/// The lock of those who write a file, which is a file beside it ("rules.json.lock"). It stays there: to
/// remove it would let two writers hold the lock of two files of one name. The kernel unlocks it with the
/// process.
class WriterLock {
 public:
  /// Waits for other writers.
  static Result<WriterLock> take(const std::string& file);
  WriterLock(WriterLock&&) = default;
  WriterLock& operator=(WriterLock&&) = delete;
  // By name: a child that was forked meanwhile has the file open, too, and would keep the lock.
  ~WriterLock();

 private:
  explicit WriterLock(FileDescriptor lock) : lock_(std::move(lock)) {}

  FileDescriptor lock_;
};

/// Puts `text` in the place of `file`, for the user alone (mode 0600); durable when it returns. The caller
/// has the lock, so what a killed writer left behind ("rules.json.new") is its own. `at_point` is for tests,
/// and may be empty.
Status replace_file(const std::string& file, std::string_view text, const AtPoint& at_point,
                    Disk& disk = host_disk());

/// All of an open file; no more than `most_bytes` and a little, so that its reader can say that it is too
/// long.
Result<std::string> read_whole(int descriptor, const std::string& path, size_t most_bytes);

}  // namespace forebay::storage
