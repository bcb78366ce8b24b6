// An append-only log of records in memory that outlives its process: a file without a name, which another
// process holds, too. What a killed process has written up to any instant can be read again.
//
//   header, a page: two slots {generation, where the records begin}, of which the higher generation counts
//   records, one behind the other: length, CRC-32C, content; the first that is not whole ends them
//
// A checksum goes over the generation and the offset, too, so that nothing but what this log has appended at
// this place is ever taken for a record. When more is out of date than of use, the owner writes what is of
// use anew, beside the former records, and one write of a slot makes it the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Thread safe. One process at a time may have a log open.
class StateLog {
 public:
  /// A file for a log, with nothing in it. errno_status() where there is no memory.
  static Result<FileDescriptor> make_file();

  /// Takes a record, in the order in which they were appended, and says by how many bytes of records there
  /// is more of use since it was appended; see append(). An error if it is not understood.
  using TakeRecord = std::function<Result<int64_t>(std::string_view record)>;
  /// Reads what was appended, and goes on behind that. data_loss if it is no log, or lacks records for which
  /// there was no memory.
  static Result<std::unique_ptr<StateLog>> open(FileDescriptor file, const TakeRecord& take);

  /// How many bytes a record takes in the log.
  static int64_t bytes_of(std::string_view record);
  /// Appends a record, not empty, by one write. `live_bytes` is what it adds to the bytes of use: its own if
  /// it will be written anew, too, less those of records that it makes out of date. If there is no memory
  /// for it a warning says so, and the log cannot be opened again until all was written anew.
  void append(std::string_view record, int64_t live_bytes);

  /// Whether more is out of date than of use.
  bool is_due() const { return is_due_.load(std::memory_order_relaxed); }
  using PutRecord = std::function<void(std::string_view record)>;
  /// Replaces all records by those that `put_all` puts, which may be called twice. Nothing may be appended
  /// meanwhile. If there is no memory for that, all stays as it is.
  void rewrite(const std::function<void(const PutRecord& put)>& put_all);

  /// What the file takes at the moment, the header apart.
  int64_t bytes() const;

 private:
  struct Region;

  StateLog(FileDescriptor file, uint64_t generation, int64_t begin);
  Status replay(const TakeRecord& take);
  Status publish(uint64_t generation, int64_t begin, bool is_broken) FOREBAY_REQUIRES(mutex_);
  void lose_record(int error) FOREBAY_REQUIRES(mutex_);
  void look_whether_due() FOREBAY_REQUIRES(mutex_);
  Result<int64_t> write_region(const Region& region, const std::function<void(const PutRecord&)>& put_all);
  void adopt(int64_t begin, int64_t end) FOREBAY_REQUIRES(mutex_);

  const FileDescriptor file_;
  mutable Mutex mutex_;
  uint64_t generation_ FOREBAY_GUARDED_BY(mutex_);
  int64_t begin_ FOREBAY_GUARDED_BY(mutex_);
  int64_t end_ FOREBAY_GUARDED_BY(mutex_);
  int64_t live_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t lost_records_ FOREBAY_GUARDED_BY(mutex_) = 0;  // since all was written anew
  std::string framed_ FOREBAY_GUARDED_BY(mutex_);
  std::atomic<bool> is_due_ = false;
};

}  // namespace forebay::fuse
