// A block of memory with shared ownership, and the fences of its last writer and readers.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/budget/budget.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/sync/fence.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

class Buffer;

/// Shared ownership; the memory is freed when the last owner drops it, on whichever thread that happens.
using BufferRef = std::shared_ptr<Buffer>;

class Buffer {
 public:
  /// Allocates `bytes` bytes from `resource`; the content is unspecified.
  static Result<BufferRef> allocate(size_t bytes, std::shared_ptr<MemoryResource> resource = host_pool());

  /// Foreign memory: `release` is called once when the last owner has gone and the uses that the fences below
  /// stand for are over; it may run on any thread, and must not throw.
  static BufferRef wrap(void* data, size_t bytes, MemoryKind kind, std::function<void()> release);
  /// The same for memory that others read too: it must not be written to.
  static BufferRef wrap_read_only(const void* data, size_t bytes, MemoryKind kind,
                                  std::function<void()> release);

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  void* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }
  MemoryKind kind() const { return kind_; }
  bool is_read_only() const { return is_read_only_; }
  Bytes bytes() const { return {static_cast<const std::byte*>(data_), size_bytes_}; }
  MutableBytes mutable_bytes() const { return {static_cast<std::byte*>(data_), size_bytes_}; }

  /// Ties a budget reservation to the buffer's lifetime.
  void attach(Reservation reservation) { reservation_ = std::move(reservation); }
  Reservation& reservation() { return reservation_; }

  /// The fence after which the content may be read.
  Fence last_write() const;
  void set_last_write(Fence fence);
  /// The fences of all readers known so far; a writer waits for these and for last_write().
  std::vector<Fence> readers() const;
  void add_reader(Fence fence);

 private:
  // Called when the last owner has gone, so nobody else uses the fences.
  std::vector<Fence> last_uses() const FOREBAY_NO_THREAD_SAFETY_ANALYSIS;
  void give_back() FOREBAY_NO_THREAD_SAFETY_ANALYSIS;
  void release_when_over();

  Buffer(void* data, size_t bytes, MemoryKind kind) : data_(data), size_bytes_(bytes), kind_(kind) {}

  void* data_;
  size_t size_bytes_;
  MemoryKind kind_;
  bool is_read_only_ = false;
  std::shared_ptr<MemoryResource> resource_;
  std::function<void()> release_;
  Reservation reservation_;
  mutable Mutex fence_mutex_;
  Fence last_write_ FOREBAY_GUARDED_BY(fence_mutex_);
  std::vector<Fence> readers_ FOREBAY_GUARDED_BY(fence_mutex_);
};

}  // namespace forebay::memory
