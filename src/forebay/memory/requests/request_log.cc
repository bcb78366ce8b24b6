#include "forebay/memory/requests/request_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "forebay/base/clock.h"
#include "forebay/base/trace/record_ring.h"
#include "forebay/memory/requests/request_log_format.h"

namespace forebay::memory {

// Drained under the log's lock.
struct RequestLog::Ring {
  Ring(size_t count, uint32_t of_thread) : records(count), thread(of_thread) {}

  RecordRing<Request> records;
  const uint32_t thread;
};

namespace {

// Each thread remembers the ring it last wrote to.
struct RememberedRing {
  uint64_t log = 0;
  void* ring = nullptr;
  uint32_t thread = 0;
};

thread_local RememberedRing remembered;

uint64_t next_log_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool comes_before(const Request& a, const Request& b) {
  return a.time_ns < b.time_ns;
}

}  // namespace

RequestLog::RequestLog(const RequestLogOptions& options, const Clock& clock, std::FILE* file)
    : options_(options),
      clock_(clock),
      id_(next_log_id()),
      epoch_ns_(wall_clock_ns() - clock.now_ns()),
      file_(file) {
}

Result<std::shared_ptr<RequestLog>> RequestLog::create(const RequestLogOptions& options, const Clock& clock) {
  if (options.records_per_thread == 0) {
    return invalid_argument("a request log needs room for a record of each thread");
  }
  std::FILE* file = nullptr;
  if (!options.path.empty()) {
    file = std::fopen(options.path.c_str(), "wb");
    if (file == nullptr) {
      return errno_status(errno, options.path);
    }
    std::fwrite(&kLogHeader, sizeof kLogHeader, 1, file);
  }
  return std::shared_ptr<RequestLog>(new RequestLog(options, clock, file));
}

RequestLog::~RequestLog() {
  (void)flush();
  if (file_ != nullptr) {
    std::fclose(file_);
  }
}

// A thread that alternates between logs keeps its ring in each.
RequestLog::Ring& RequestLog::own_ring() {
  if (remembered.log == id_) [[likely]] {
    return *static_cast<Ring*>(remembered.ring);
  }
  if (remembered.thread == 0) {
    remembered.thread = static_cast<uint32_t>(syscall(SYS_gettid));
  }
  const MutexLock lock(mutex_);
  for (const std::unique_ptr<Ring>& ring : rings_) {
    if (ring->thread == remembered.thread) {
      remembered = {id_, ring.get(), remembered.thread};
      return *ring;
    }
  }
  rings_.push_back(std::make_unique<Ring>(options_.records_per_thread, remembered.thread));
  remembered = {id_, rings_.back().get(), remembered.thread};
  return *rings_.back();
}

void RequestLog::add(RequestAction action, const void* pointer, size_t bytes, Queue queue) {
  Ring& ring = own_ring();
  if (ring.records.is_full()) [[unlikely]] {
    const MutexLock lock(mutex_);
    write_out(ring);
  }
  ring.records.add({.time_ns = epoch_ns_ + clock_.now_ns(),
                    .pointer = reinterpret_cast<uintptr_t>(pointer),
                    .bytes = bytes,
                    .queue = queue,
                    .thread = remembered.thread,
                    .action = action});
}

void RequestLog::write_out(Ring& ring) {
  // Outside the analysis, which does not know that drain() calls it at once, with mutex_ still held.
  const auto keep_all = [this](const Request* records, size_t count)
                            FOREBAY_NO_THREAD_SAFETY_ANALYSIS { keep(records, count); };
  ring.records.drain(keep_all);
}

void RequestLog::keep(const Request* records, size_t count) {
  if (file_ == nullptr) {
    const size_t kept = std::min(count, options_.most_records - records_.size());
    records_.insert(records_.end(), records, records + kept);
    lost_ += count - kept;
    return;
  }
  const size_t put = std::fwrite(records, sizeof(Request), count, file_);
  if (put < count) {
    lost_ += count - put;
    write_status_ = errno_status(errno, options_.path);
  }
}

Status RequestLog::flush() {
  const MutexLock lock(mutex_);
  for (const std::unique_ptr<Ring>& ring : rings_) {
    write_out(*ring);
  }
  if (file_ != nullptr && std::fflush(file_) != 0) {
    write_status_ = errno_status(errno, options_.path);
  }
  return write_status_;
}

std::vector<Request> RequestLog::records() {
  (void)flush();
  std::vector<Request> sorted;
  {
    const MutexLock lock(mutex_);
    sorted = records_;
  }
  std::stable_sort(sorted.begin(), sorted.end(), comes_before);
  return sorted;
}

uint64_t RequestLog::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

}  // namespace forebay::memory
