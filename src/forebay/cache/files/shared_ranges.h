// Which parts of this process's memory other processes can map as well: files of a cache, and shared memory.
// So bytes that a store has answered can be named to another process instead of being sent to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "forebay/base/byte_source.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::cache {

/// Where bytes lie, as another process can find them.
struct SharedPlace {
  uint64_t range = 0;        // number of the range; never used again in this process
  uint64_t range_bytes = 0;  // how much there is to map
  uint64_t range_zeros = 0;  // that can be read behind it, where the file ends (MappedFile)
  uint64_t offset_bytes = 0;
};

/// Which file of the host something is, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  /// Of an open file; none if it cannot be told.
  static FileId of(int file);
  bool operator==(const FileId&) const = default;
};

/// Thread safe.
class SharedRanges {
 public:
  /// Memory that maps the beginning of `file`, which can be opened at `path` until somebody else puts another
  /// one there. Returns the range's number. `zeros_behind` can be read behind it.
  uint64_t add(Bytes range, std::string path, int file, uint64_t zeros_behind = 0);
  /// The range is unmapped next.
  void remove(uint64_t range);
  /// Calls `told` whenever a range was removed, on the thread that did it and with its locks held: it must
  /// only make a note of it. Until unwatch() has returned, which is given the number.
  uint64_t watch(std::function<void()> told);
  void unwatch(uint64_t number);

  /// Nothing if not all of `bytes` lies in one range, or they begin where one ends: what is there is
  /// something else, even if `bytes` is empty.
  std::optional<SharedPlace> find(Bytes bytes) const;
  bool has(uint64_t range) const;
  /// Opens the file of a range, for reading only. not_found if the range or its file has gone, or another
  /// file is in its place.
  Result<FileDescriptor> open(uint64_t range) const;

 private:
  struct Range {
    uint64_t number = 0;
    Bytes bytes;
    uint64_t zeros_behind = 0;
    std::string path;
    FileId file;
  };

  mutable Mutex mutex_;
  uint64_t last_number_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::map<const std::byte*, Range> by_address_ FOREBAY_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, const std::byte*> by_number_ FOREBAY_GUARDED_BY(mutex_);
  Mutex watches_mutex_;
  uint64_t last_watch_ FOREBAY_GUARDED_BY(watches_mutex_) = 0;
  std::map<uint64_t, std::function<void()>> watches_ FOREBAY_GUARDED_BY(watches_mutex_);
};

/// The process's; never destroyed.
SharedRanges& shared_ranges();

}  // namespace forebay::cache
