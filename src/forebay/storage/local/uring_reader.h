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

/// Thread safe. The destructor waits for what is in flight; in a forked child, where the ring belongs to the
/// parent, it does nothing and submit() refuses.
class UringReader {
 public:
  /// `result`: bytes read, or a negative errno.
  using Completion = absl::AnyInvocable<void(int32_t result)>;

  /// Nothing where the kernel has no io_uring or denies it.
  static std::unique_ptr<UringReader> create(unsigned queue_depth);

  ~UringReader();
  UringReader(const UringReader&) = delete;
  UringReader& operator=(const UringReader&) = delete;

  /// Starts a read. `done` is called on the reaping thread and moved from only when the read was accepted
  /// (true).
  bool submit(int descriptor, void* destination, uint32_t bytes, uint64_t offset, Completion&& done);

 private:
  struct Operation {
    Completion done;
    // The hand-over between the threads goes through the kernel; this makes it one that the memory model
    // knows.
    std::atomic<bool> is_published{false};
  };

  UringReader() = default;
  bool push(Operation* operation, int descriptor, void* destination, uint32_t bytes, uint64_t offset);
  void reap();

  io_uring ring_{};
  pid_t owner_ = 0;
  std::atomic<int64_t> in_flight_{0};
  std::mutex submit_mutex_;
  std::thread reaper_;
};

}  // namespace forebay::storage
