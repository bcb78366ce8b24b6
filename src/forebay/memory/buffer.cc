#include "forebay/memory/buffer.h"

#include "forebay/memory/device_driver.h"

namespace forebay::memory {

Result<BufferRef> Buffer::allocate(size_t bytes, std::shared_ptr<MemoryResource> resource) {
  FOREBAY_ASSIGN_OR_RETURN(void* data, resource->allocate(bytes));
  BufferRef buffer(new Buffer(data, bytes, resource->kind()));
  buffer->resource_ = std::move(resource);
  return buffer;
}

BufferRef Buffer::wrap(void* data, size_t bytes, MemoryKind kind, std::function<void()> release) {
  BufferRef buffer(new Buffer(data, bytes, kind));
  buffer->release_ = std::move(release);
  return buffer;
}

Buffer::~Buffer() {
  if (resource_) {
    resource_->deallocate(data_, size_bytes_, last_use());
  }
  if (release_) {
    release_();
  }
}

// One fence behind the last writer and all readers. Uses on several queues are rare and waited for, all but
// the last.
Fence Buffer::last_use() const {
  Fence last = last_write_;
  for (const Fence& reader : readers_) {
    if (last.is_trivial() || (last.driver == reader.driver && last.queue == reader.queue)) {
      last = last.is_trivial() || reader.sequence > last.sequence ? reader : last;
      continue;
    }
    (void)wait(last);  // a driver that is gone uses nothing any more
    last = reader;
  }
  return last;
}

Fence Buffer::last_write() const {
  std::lock_guard lock(fence_mutex_);
  return last_write_;
}

void Buffer::set_last_write(Fence fence) {
  std::lock_guard lock(fence_mutex_);
  last_write_ = fence;
  readers_.clear();
}

std::vector<Fence> Buffer::readers() const {
  std::lock_guard lock(fence_mutex_);
  return readers_;
}

void Buffer::add_reader(Fence fence) {
  if (fence.is_trivial()) {
    return;
  }
  std::lock_guard lock(fence_mutex_);
  for (Fence& known : readers_) {
    if (known.driver == fence.driver && known.queue == fence.queue) {
      known.sequence = known.sequence > fence.sequence ? known.sequence : fence.sequence;
      return;
    }
  }
  readers_.push_back(fence);
}

}  // namespace forebay::memory
