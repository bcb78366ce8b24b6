// Wraps a resource in a value that satisfies CCCL's memory resource concepts, without depending on CCCL.
// Supports CCCL 3.0 (cuda::mr::async_resource: allocate_async) and later (cuda::mr::resource: allocate with
// the stream first).
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// `Stream` is cuda::stream_ref. `Properties` are cuda::mr::device_accessible and the like, as many as the
/// memory has. `QueueOf` maps a stream to its queue. Copies share the resource. Throws std::bad_alloc, as the
/// concepts require, also for alignments above kAlignment.
template <class Stream, class QueueOf, class... Properties>
class CcclResource {
 public:
  explicit CcclResource(std::shared_ptr<MemoryResource> resource, QueueOf queue_of = {})
      : resource_(std::move(resource)), queue_of_(std::move(queue_of)) {}

  // For CCCL after 3.0.
  void* allocate(Stream stream, size_t bytes, size_t alignment = kAlignment) {
    return checked(alignment, [&] { return resource_->allocate_on(bytes, queue_of_(stream)); });
  }
  void deallocate(Stream stream, void* pointer, size_t bytes, size_t = kAlignment) noexcept {
    resource_->deallocate_on(pointer, bytes, queue_of_(stream));
  }
  void* allocate_sync(size_t bytes, size_t alignment = kAlignment) {
    return checked(alignment, [&] { return resource_->allocate(bytes); });
  }
  void deallocate_sync(void* pointer, size_t bytes, size_t = kAlignment) noexcept {
    resource_->deallocate(pointer, bytes, Fence{});
  }

  // For CCCL 3.0.
  void* allocate(size_t bytes, size_t alignment = kAlignment) { return allocate_sync(bytes, alignment); }
  void deallocate(void* pointer, size_t bytes, size_t alignment = kAlignment) noexcept {
    deallocate_sync(pointer, bytes, alignment);
  }
  void* allocate_async(size_t bytes, size_t alignment, Stream stream) {
    return allocate(stream, bytes, alignment);
  }
  void* allocate_async(size_t bytes, Stream stream) { return allocate(stream, bytes); }
  void deallocate_async(void* pointer, size_t bytes, size_t alignment, Stream stream) noexcept {
    deallocate(stream, pointer, bytes, alignment);
  }
  void deallocate_async(void* pointer, size_t bytes, Stream stream) noexcept {
    deallocate(stream, pointer, bytes);
  }

  bool operator==(const CcclResource& other) const noexcept { return resource_ == other.resource_; }

  template <class Property>
    requires(std::same_as<Property, Properties> || ...)
  friend constexpr void get_property(const CcclResource&, Property) noexcept {}

 private:
  template <class Allocate>
  static void* checked(size_t alignment, Allocate allocate) {
    if (alignment > kAlignment) {
      throw std::bad_alloc();
    }
    const Result<void*> pointer = allocate();
    if (!pointer.ok()) {
      throw std::bad_alloc();
    }
    return *pointer;
  }

  std::shared_ptr<MemoryResource> resource_;
  [[no_unique_address]] QueueOf queue_of_;
};

}  // namespace forebay::memory
