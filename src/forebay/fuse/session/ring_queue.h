// FUSE over io_uring (Linux 6.14): one CPU's queue of requests, each in memory that this program has given
// the kernel for it. A program's request is taken, and its answer given, on the CPU that it runs on, with one
// system call for both. Requests that nobody waits for (forget, interrupt) still come from /dev/fuse.
// Source of the protocol: Linux, Documentation/filesystems/fuse/fuse-io-uring.rst and
// include/uapi/linux/fuse.h.
#pragma once

#include <liburing.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/protocol/protocol.h"
#include "forebay/fuse/protocol/replies.h"

namespace forebay::fuse {

class RingQueue;

/// A request in the kernel's memory of it, and where its answer goes. One at a time.
class RingEntry final : public Replies {
 public:
  RingEntry(RingQueue& queue, size_t payload_bytes);
  ~RingEntry() override;
  RingEntry(const RingEntry&) = delete;
  RingEntry& operator=(const RingEntry&) = delete;

  /// The request as /dev/fuse would have it. Valid until it is answered.
  Bytes message() const { return message_; }
  /// Answers it; the memory is the kernel's again. Thread safe against the queue, not against itself.
  bool send(uint64_t unique, int error, std::span<const Bytes> parts) override;

 private:
  friend class RingQueue;

  /// Puts what the kernel has written in one piece.
  bool assemble();

  RingQueue& queue_;
  const size_t payload_bytes_;
  std::byte* memory_ = nullptr;  // the headers, and then room for a header in front of the payload
  iovec parts_[2] = {};
  uint64_t commit_ = 0;
  Bytes message_;
  bool is_answered_ = true;
};

struct RingQueueOptions {
  uint16_t queue = 0;  // of which CPU
  size_t entries = 8;  // requests at once; more wait in the kernel
  size_t payload_bytes = size_t{1} << 20;
  /// Called on the queue's thread if it ends though the mount is there.
  std::function<void(const Status& why)> failed;
};

/// Has a thread of its own, on its CPU.
class RingQueue {
 public:
  /// What is to be done with a request, which has to be answered, on this thread or another one.
  using Take = std::function<void(RingEntry& entry)>;

  /// All that it takes from the system, so that nothing can fail once the kernel has agreed. `device` is
  /// /dev/fuse, and outlives it. Errors of the kernel: it has no rings for this process.
  static Result<std::unique_ptr<RingQueue>> make(int device, const RingQueueOptions& options, Take take);
  /// Gives the kernel its entries, once it has agreed.
  void begin();
  ~RingQueue();
  RingQueue(const RingQueue&) = delete;
  RingQueue& operator=(const RingQueue&) = delete;

  /// Takes no more requests. What is answered later, until this object goes, nobody hears.
  void stop();

 private:
  friend class RingEntry;

  RingQueue(int device, const RingQueueOptions& options, Take take);
  void work();
  bool open();
  void serve();
  bool has_mount_gone() const;
  void register_entries();
  void prepare(RingEntry& entry, uint32_t command);
  void wait_for_bell();
  void handle(const io_uring_cqe& done);
  void commit(RingEntry& entry);
  void commit_answered();
  void ring_bell() const;

  const int device_;
  const RingQueueOptions options_;
  const Take take_;
  io_uring ring_ = {};
  FileDescriptor bell_;  // an eventfd: entries were answered by other threads, or it is to end
  uint64_t rings_ = 0;
  std::vector<std::unique_ptr<RingEntry>> entries_;
  size_t alive_ = 0;  // entries that the kernel may still fill
  std::atomic<bool> is_stopped_ = false;
  std::atomic<bool> may_begin_ = false;
  std::atomic<int> began_ = 1;  // 1: not yet; else 0, or a negative errno
  Mutex mutex_;
  std::vector<RingEntry*> answered_ FOREBAY_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace forebay::fuse
