// A log of requests to memory: what was asked for and given back, by which thread, for which queue, and when.
// It is kept in binary, written to a file on the way, and turned into text afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/status.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

enum class RequestAction : uint32_t { kAllocate = 0, kFailure = 1, kFree = 2 };

/// One request. A log file is a header and these, as they lie in memory.
struct Request {
  int64_t time_ns;   // since 1970
  uint64_t pointer;  // what came back, or is given back; 0 for a failure
  uint64_t bytes;
  Queue queue;      // {0, 0}: the host
  uint32_t thread;  // as the operating system numbers it
  RequestAction action;
};
static_assert(sizeof(Request) == 40);

struct RequestLogOptions {
  std::string path;                       // file that the log goes to; empty: memory
  size_t records_per_thread = 4096;       // in each thread's ring, until it is written out
  size_t most_records = size_t{1} << 24;  // kept in memory when there is no file; later ones are only counted
};

/// Each thread writes to a ring of its own, some nanoseconds a record besides the clock's; who fills its ring
/// writes it out. Thread safe.
class RequestLog {
 public:
  /// An errno error when the file cannot be written.
  static Result<std::shared_ptr<RequestLog>> create(const RequestLogOptions& options,
                                                    const Clock& clock = steady_clock());
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  void add(RequestAction action, const void* pointer, size_t bytes, Queue queue);

  /// Writes out all rings. Without a file, records() then has everything that happened before.
  Status flush();
  /// By time; empty when the log goes to a file.
  std::vector<Request> records();
  /// Not kept because there were more than most_records, or the file could not be written.
  uint64_t lost() const;

 private:
  struct Ring;

  RequestLog(const RequestLogOptions& options, const Clock& clock, std::FILE* file);
  Ring& own_ring();
  void write_out(Ring& ring);
  void keep(const Request* records, size_t count);

  const RequestLogOptions options_;
  const Clock& clock_;
  const uint64_t id_;         // never used again, for the threads' caches of their rings
  const int64_t epoch_ns_;    // what the clock's 0 is in time since 1970
  mutable std::mutex mutex_;  // guards what follows, and the reading ends of the rings
  std::FILE* const file_;     // null: records_
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<Request> records_;
  uint64_t lost_ = 0;
  Status write_status_;
};

/// Requests from a log file of RequestLog's, by time, or from text in the columns of RMM's logs
/// (rapidsai/rmm, logging_resource_adaptor: Thread,Time,Action,Pointer,Size,Stream), in the order of its
/// lines. A stream becomes the queue {stream / 2^32, stream % 2^32}, as to_csv() writes them. data_loss names
/// the line or record that makes no sense; resource_exhausted when there are more than `most_records`.
Result<std::vector<Request>> read_log(const std::string& path, size_t most_records = size_t{1} << 26);

/// The requests as text in RMM's columns. Time is the time of day (UTC); Stream is driver * 2^32 + queue.
std::string to_csv(const std::vector<Request>& requests);

}  // namespace forebay::memory
