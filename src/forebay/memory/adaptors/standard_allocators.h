// Resources in the forms of the C++ standard library and of Arrow, both ways. Host memory only.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// A resource as a std::pmr resource. Throws std::bad_alloc, as the interface requires, if there is no memory
/// or the alignment is above kAlignment. The memory must be accessible to the host.
class PmrResource final : public std::pmr::memory_resource {
 public:
  explicit PmrResource(std::shared_ptr<MemoryResource> resource);

 private:
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* pointer, size_t bytes, size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  const std::shared_ptr<MemoryResource> resource_;
};

/// A std::pmr resource as one of ours. The argument must outlive it and be thread safe. Freed blocks are
/// returned after their last use has been waited for.
std::shared_ptr<MemoryResource> resource_of(std::pmr::memory_resource& resource);

/// Has the three fields of ArrowBufferAllocator (apache/arrow-nanoarrow, inline_types.h), so a value of this
/// type can be passed as one of that type. `reallocate` returns null if there is no memory, and then the old
/// block stays valid.
struct ArrowAllocator {
  uint8_t* (*reallocate)(ArrowAllocator* allocator, uint8_t* pointer, int64_t old_bytes, int64_t new_bytes);
  void (*free)(ArrowAllocator* allocator, uint8_t* pointer, int64_t bytes);
  void* private_data;
};

/// A resource in Arrow's form; it must outlive every block. Bytes copied when a buffer grows are counted.
ArrowAllocator arrow_allocator_of(MemoryResource& resource);

/// A resource over an allocator in Arrow's form, which must be thread safe. If its blocks are not aligned to
/// kAlignment, requests fail with failed_precondition. Freed blocks are returned after their last use has
/// been waited for.
std::shared_ptr<MemoryResource> resource_of(const ArrowAllocator& allocator);

}  // namespace forebay::memory
