// Reads by io_uring: any thread submits; one thread collects completions and runs callbacks.
#pragma once

#include <liburing.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::storage {

/// Hands queued reads to the kernel: io_uring_submit(), or a test's replacement.
using UringSubmit = int (*)(io_uring* ring);

/// Thread safe. The destructor waits for reads in flight. Called from a callback it cannot wait; the reaper
/// thread then answers the remaining reads before it ends. In a forked child, where the ring belongs to the
/// parent, the destructor does nothing and submit() refuses.
class UringReader {
 public:
  /// `result`: bytes read, or a negative errno.
  using Completion = absl::AnyInvocable<void(int32_t result)>;

  /// Returns null if the kernel has no io_uring or denies it, or if no thread can be started.
  static std::unique_ptr<UringReader> create(unsigned queue_depth, UringSubmit submit = io_uring_submit);

  ~UringReader();
  UringReader(const UringReader&) = delete;
  UringReader& operator=(const UringReader&) = delete;

  /// Starts a read and returns true; `done` is then moved from and called on the reaper thread. Returns false
  /// and leaves `done` alone if the kernel accepts no read, now or ever. Never blocks.
  bool submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset, Completion&& done);

  /// The same interface for a completion that must submit more reads, and may outlive the reader.
  class Ring;
  std::shared_ptr<Ring> ring() const { return ring_; }

 private:
  explicit UringReader(std::shared_ptr<Ring> ring);

  std::shared_ptr<Ring> ring_;  // shared with the reaper thread
  std::thread reaper_;
};

/// The ring and its reads in flight.
class UringReader::Ring {
 public:
  Ring(unsigned queue_depth, UringSubmit submit);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  bool is_open() const { return owner_ != 0; }
  bool is_forked_copy() const;

  /// See UringReader::submit().
  bool submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset, Completion&& done);

  /// Answers reads until stop() has been called and none is in flight.
  void reap();
  void stop();

 private:
  struct Operation {
    Completion done;
    // The operation passes between threads through the kernel, which the memory model does not know; this
    // flag makes the hand-over visible to it.
    std::atomic<bool> is_published{false};
  };

  bool push(Operation* operation, int descriptor, void* destination, uint32_t bytes, uint64_t offset);
  bool hand_over(io_uring_sqe* entry) FOREBAY_REQUIRES(submit_mutex_);
  void wait_for_event() const;
  void answer_all();
  void answer(const io_uring_cqe& completion);

  const UringSubmit submit_;
  io_uring ring_{};
  int event_ = -1;  // signalled by the kernel for completions, and by stop()
  pid_t owner_ = 0;
  std::atomic<bool> is_stopping_{false};
  std::atomic<int64_t> in_flight_{0};
  Mutex submit_mutex_;  // guards the submitting end of ring_; the other end belongs to the reaper's thread
};

}  // namespace forebay::storage
