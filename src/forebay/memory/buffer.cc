#include "forebay/memory/buffer.h"

#include <algorithm>
#include <new>

#include "forebay/memory/last_use.h"

namespace forebay::memory {

Result<BufferRef> Buffer::allocate(size_t bytes, std::shared_ptr<MemoryResource> resource) {
  // The buffer first: were there no memory for that, nobody would give the block back.
  BufferRef buffer(new Buffer(nullptr, bytes, resource->kind()));
  FOREBAY_ASSIGN_OR_RETURN(buffer->data_, resource->allocate(bytes));
  buffer->resource_ = std::move(resource);
  return buffer;
}

BufferRef Buffer::wrap(void* data, size_t bytes, MemoryKind kind, std::function<void()> release) {
  BufferRef buffer(new Buffer(data, bytes, kind));
  buffer->release_ = std::move(release);
  return buffer;
}

BufferRef Buffer::wrap_read_only(const void* data, size_t bytes, MemoryKind kind,
                                 std::function<void()> release) {
  BufferRef buffer = wrap(const_cast<void*>(data), bytes, kind, std::move(release));
  buffer->is_read_only_ = true;
  return buffer;
}

Buffer::~Buffer() {
  if (resource_) {
    give_back();
  }
  if (release_) {
    release_when_over();
  }
}

// The latest use on each queue, by the last writer and all readers.
std::vector<Fence> Buffer::last_uses() const {
  std::vector<Fence> uses = readers_;
  if (last_write_.is_trivial()) {
    return uses;
  }
  for (Fence& use : uses) {
    if (use.driver == last_write_.driver && use.queue == last_write_.queue) {
      use.sequence = std::max(use.sequence, last_write_.sequence);
      return uses;
    }
  }
  uses.insert(uses.begin(), last_write_);
  return uses;
}

// The resource takes one fence. Uses on several queues are rare; all but the last are waited for.
void Buffer::give_back() {
  Fence last = last_write_;
  bool is_known = true;
  for (const Fence& reader : readers_) {
    if (last.is_trivial() || (last.driver == reader.driver && last.queue == reader.queue)) {
      last = last.is_trivial() || reader.sequence > last.sequence ? reader : last;
    } else if (wait_until_over(last)) {
      last = reader;
    } else {
      is_known = is_known && wait_until_over(reader);
    }
  }
  if (is_known) {
    resource_->deallocate(data_, size_bytes_, last);
    return;
  }
  try {
    keep_until_over(last_uses(), [resource = resource_, data = data_, bytes = size_bytes_] {
      resource->deallocate(data, bytes, Fence{});
    });
  } catch (const std::bad_alloc&) {
    // No memory to remember the block: leak it rather than reuse it too early.
  }
}

// Foreign memory knows no fences, so all uses are waited for.
void Buffer::release_when_over() {
  try {
    std::vector<Fence> uses = last_uses();
    std::erase_if(uses, [](const Fence& use) { return wait_until_over(use); });
    if (uses.empty()) {
      release_();
    } else {
      keep_until_over(std::move(uses), std::move(release_));
    }
  } catch (const std::bad_alloc&) {
    // No memory to remember the uses: foreign memory, too, is lost rather than released too early.
  }
}

Fence Buffer::last_write() const {
  const MutexLock lock(fence_mutex_);
  return last_write_;
}

void Buffer::set_last_write(Fence fence) {
  const MutexLock lock(fence_mutex_);
  last_write_ = fence;
  readers_.clear();
}

std::vector<Fence> Buffer::readers() const {
  const MutexLock lock(fence_mutex_);
  return readers_;
}

void Buffer::add_reader(Fence fence) {
  if (fence.is_trivial()) {
    return;
  }
  const MutexLock lock(fence_mutex_);
  for (Fence& known : readers_) {
    if (known.driver == fence.driver && known.queue == fence.queue) {
      known.sequence = known.sequence > fence.sequence ? known.sequence : fence.sequence;
      return;
    }
  }
  readers_.push_back(fence);
}

}  // namespace forebay::memory
