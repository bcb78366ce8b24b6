// A base class for resources that wrap another resource.
#pragma once

#include <memory>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// Combines the two interfaces of a resource, for the host and for a queue: an adaptor implements take() and
/// give(), and the difference stays here.
class Adaptor : public MemoryResource {
 public:
  explicit Adaptor(std::shared_ptr<MemoryResource> upstream) : upstream_(std::move(upstream)) {}

  Result<void*> allocate(size_t bytes) final { return take(bytes, nullptr); }
  Result<void*> allocate_on(size_t bytes, Queue queue) final { return take(bytes, &queue); }
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept final {
    give(pointer, bytes, {.fence = last_use});
  }
  void deallocate_on(void* pointer, size_t bytes, Queue queue) noexcept final {
    give(pointer, bytes, {.is_whole_queue = true, .queue = queue});
  }
  MemoryKind kind() const override { return upstream_->kind(); }

 protected:
  /// The last use of a returned block: a fence, or everything put on a queue so far.
  struct LastUse {
    bool is_whole_queue = false;
    Fence fence;
    Queue queue;
  };

  /// `queue` is null for a request by the host.
  virtual Result<void*> take(size_t bytes, const Queue* queue) = 0;
  virtual void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept = 0;

  Result<void*> take_upstream(size_t bytes, const Queue* queue) {
    return queue == nullptr ? upstream_->allocate(bytes) : upstream_->allocate_on(bytes, *queue);
  }
  void give_upstream(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
    if (last_use.is_whole_queue) {
      upstream_->deallocate_on(pointer, bytes, last_use.queue);
    } else {
      upstream_->deallocate(pointer, bytes, last_use.fence);
    }
  }

 private:
  const std::shared_ptr<MemoryResource> upstream_;
};

}  // namespace forebay::memory
