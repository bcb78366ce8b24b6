// A log of memory requests: what was allocated and freed, by which thread, for which queue, and when. Kept in
// binary, optionally written to a file, and converted to text afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

enum class RequestAction : uint32_t { kAllocate = 0, kFailure = 1, kFree = 2 };

/// One request. A log file is a header followed by these, as laid out in memory.
struct Request {
  int64_t time_ns;   // since the Unix epoch
  uint64_t pointer;  // the pointer returned or freed; 0 for a failure
  uint64_t bytes;
  Queue queue;      // {0, 0}: the host
  uint32_t thread;  // the operating system's thread id
  RequestAction action;
};
static_assert(sizeof(Request) == 40);

struct RequestLogOptions {
  std::string path;                       // file to log to; empty: memory
  size_t records_per_thread = 4096;       // size of each thread's ring, which is then written out
  size_t most_records = size_t{1} << 24;  // limit in memory if there is no file; later ones are only counted
};

/// Each thread writes to its own ring, at some nanoseconds a record plus the cost of the clock. A thread that
/// fills its ring writes it out. Thread safe.
class RequestLog {
 public:
  /// An errno error if the file cannot be written.
  static Result<std::shared_ptr<RequestLog>> create(const RequestLogOptions& options,
                                                    const Clock& clock = steady_clock());
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  void add(RequestAction action, const void* pointer, size_t bytes, Queue queue);

  /// Writes out all rings. Without a file, records() then has everything logged before.
  Status flush();
  /// Ordered by time; empty if the log goes to a file.
  std::vector<Request> records();
  /// Records dropped because there were more than most_records or the file could not be written.
  uint64_t lost() const;

 private:
  struct Ring;

  RequestLog(const RequestLogOptions& options, const Clock& clock, std::FILE* file);
  Ring& own_ring();
  void write_out(Ring& ring) FOREBAY_REQUIRES(mutex_);
  void keep(const Request* records, size_t count) FOREBAY_REQUIRES(mutex_);

  const RequestLogOptions options_;
  const Clock& clock_;
  const uint64_t id_;       // never reused, so that threads can cache their rings
  const int64_t epoch_ns_;  // the clock's 0 in time since the Unix epoch
  mutable Mutex mutex_;     // also guards the reading ends of the rings
  std::FILE* const file_;   // null: records go to records_
  std::vector<std::unique_ptr<Ring>> rings_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Request> records_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t lost_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Status write_status_ FOREBAY_GUARDED_BY(mutex_);
};

/// Reads requests from a log file written by RequestLog, ordered by time, or from text in the columns of
/// RMM's logs (rapidsai/rmm, logging_resource_adaptor: Thread,Time,Action,Pointer,Size,Stream), in the order
/// of the lines. A stream becomes the queue {stream / 2^32, stream % 2^32}, as to_csv() writes them.
/// data_loss names the malformed line or record; resource_exhausted if there are more than `most_records`.
Result<std::vector<Request>> read_log(const std::string& path, size_t most_records = size_t{1} << 26);

/// Formats the requests in RMM's columns. Time is the time of day (UTC); Stream is driver * 2^32 + queue.
std::string to_csv(const std::vector<Request>& requests);

}  // namespace forebay::memory
