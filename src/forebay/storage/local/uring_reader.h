// Reads by io_uring: any thread submits, one thread reaps and calls back.
#pragma once

#include <liburing.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/functional/any_invocable.h"

namespace forebay::storage {

/// What hands the queued reads to the kernel: io_uring_submit(), or a test in its place.
using UringSubmit = int (*)(io_uring* ring);

/// Thread safe. The destructor waits for what is in flight. It may run in a callback: then it cannot wait,
/// and the reaping thread answers what is left before it ends. In a forked child, where the ring belongs to
/// the parent, it does nothing and submit() refuses.
class UringReader {
 public:
  /// `result`: bytes read, or a negative errno.
  using Completion = absl::AnyInvocable<void(int32_t result)>;

  /// Nothing where the kernel has no io_uring or denies it, or no thread can be started.
  static std::unique_ptr<UringReader> create(unsigned queue_depth, UringSubmit submit = io_uring_submit);

  ~UringReader();
  UringReader(const UringReader&) = delete;
  UringReader& operator=(const UringReader&) = delete;

  /// Starts a read. `done` is called on the reaping thread and moved from only when the read was accepted
  /// (true). Never waits: where the kernel takes no more, now or ever, the read is refused.
  bool submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset, Completion&& done);

  /// The same for a completion, which may outlive the reader and have to read on.
  class Ring;
  std::shared_ptr<Ring> ring() const { return ring_; }

 private:
  explicit UringReader(std::shared_ptr<Ring> ring);

  std::shared_ptr<Ring> ring_;  // the reaping thread has it too
  std::thread reaper_;
};

/// The ring and what is in flight on it.
class UringReader::Ring {
 public:
  Ring(unsigned queue_depth, UringSubmit submit);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  bool is_open() const { return owner_ != 0; }
  bool is_forked_copy() const;

  /// As UringReader::submit().
  bool submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset, Completion&& done);

  /// Answers reads until stop() was called and none is in flight.
  void reap();
  void stop();

 private:
  struct Operation {
    Completion done;
    // The hand-over between the threads goes through the kernel; this makes it one that the memory model
    // knows.
    std::atomic<bool> is_published{false};
  };

  bool push(Operation* operation, int descriptor, void* destination, uint32_t bytes, uint64_t offset);
  bool hand_over(io_uring_sqe* entry);
  void wait_for_event() const;
  void answer_all();
  void answer(const io_uring_cqe& completion);

  const UringSubmit submit_;
  io_uring ring_{};
  int event_ = -1;  // signalled by the kernel for completions, and by stop()
  pid_t owner_ = 0;
  std::atomic<bool> is_stopping_{false};
  std::atomic<int64_t> in_flight_{0};
  std::mutex submit_mutex_;
};

}  // namespace forebay::storage
