// Resources in the forms of the C++ library and of Arrow, both ways. Host memory only.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>

#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// A resource as std::pmr's. Throws std::bad_alloc, as the interface asks, when there is no memory or an
/// alignment above kAlignment is wanted. The resource's memory must be one that the host can touch.
class PmrResource final : public std::pmr::memory_resource {
 public:
  explicit PmrResource(std::shared_ptr<MemoryResource> resource);

 private:
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* pointer, size_t bytes, size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  const std::shared_ptr<MemoryResource> resource_;
};

/// std::pmr's resource as one of ours; it must outlive it and be thread safe. Blocks are waited for before
/// they go back.
std::shared_ptr<MemoryResource> resource_of(std::pmr::memory_resource& resource);

/// The three words of ArrowBufferAllocator (apache/arrow-nanoarrow, inline_types.h), so that a value of this
/// type may be handed over as one of that. `reallocate` gives null when there is no memory and leaves the old
/// block.
struct ArrowAllocator {
  uint8_t* (*reallocate)(ArrowAllocator* allocator, uint8_t* pointer, int64_t old_bytes, int64_t new_bytes);
  void (*free)(ArrowAllocator* allocator, uint8_t* pointer, int64_t bytes);
  void* private_data;
};

/// A resource in Arrow's form; it must outlive every block. What a growing buffer copies is counted.
ArrowAllocator arrow_allocator_of(MemoryResource& resource);

/// Arrow's form as a resource; the allocator must be thread safe and its blocks aligned to kAlignment, or
/// requests fail with failed_precondition. Blocks are waited for before they go back.
std::shared_ptr<MemoryResource> resource_of(const ArrowAllocator& allocator);

}  // namespace forebay::memory
