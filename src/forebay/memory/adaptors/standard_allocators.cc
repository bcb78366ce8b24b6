#include "forebay/memory/adaptors/standard_allocators.h"

#include <algorithm>
#include <limits>
#include <new>

#include "forebay/base/check.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/last_use.h"

namespace forebay::memory {
namespace {

class ResourceOfPmr final : public MemoryResource {
 public:
  explicit ResourceOfPmr(std::pmr::memory_resource& resource) : resource_(resource) {}

  Result<void*> allocate(size_t bytes) override {
    if (bytes > std::numeric_limits<size_t>::max() / 4) {  // some resources overflow
      return resource_exhausted("{} bytes requested from a std::pmr resource", bytes);
    }
    try {
      return resource_.allocate(bytes, kAlignment);
    } catch (const std::bad_alloc&) {
      return resource_exhausted("a std::pmr resource could not provide {} bytes", bytes);
    }
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    give_back_after(last_use, [&resource = resource_, pointer, bytes] {
      resource.deallocate(pointer, bytes, kAlignment);
    });
  }

  MemoryKind kind() const override { return MemoryKind::kHost; }
  std::string_view name() const override { return "std::pmr"; }

 private:
  std::pmr::memory_resource& resource_;
};

class ResourceOfArrow final : public MemoryResource {
 public:
  explicit ResourceOfArrow(const ArrowAllocator& allocator) : allocator_(allocator) {}

  Result<void*> allocate(size_t bytes) override {
    if (bytes > static_cast<size_t>(std::numeric_limits<int64_t>::max()) / 2) {
      return resource_exhausted("{} bytes requested from an Arrow allocator", bytes);
    }
    const auto size = static_cast<int64_t>(std::max<size_t>(bytes, 1));
    ArrowAllocator allocator = allocator_;
    uint8_t* const pointer = allocator.reallocate(&allocator, nullptr, 0, size);
    if (pointer == nullptr) {
      return resource_exhausted("an Arrow allocator could not provide {} bytes", bytes);
    }
    if (reinterpret_cast<uintptr_t>(pointer) % kAlignment != 0) {
      allocator.free(&allocator, pointer, size);
      return failed_precondition("an Arrow allocator returned a block that is not aligned to {}", kAlignment);
    }
    return pointer;
  }

  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    give_back_after(last_use, [allocator = allocator_, pointer, bytes]() mutable {
      allocator.free(&allocator, static_cast<uint8_t*>(pointer),
                     static_cast<int64_t>(std::max<size_t>(bytes, 1)));
    });
  }

  MemoryKind kind() const override { return MemoryKind::kHost; }
  std::string_view name() const override { return "Arrow"; }

 private:
  const ArrowAllocator allocator_;
};

MemoryResource& resource_in(const ArrowAllocator* allocator) {
  return *static_cast<MemoryResource*>(allocator->private_data);
}

void arrow_free(ArrowAllocator* allocator, uint8_t* pointer, int64_t bytes) {
  if (pointer != nullptr) {
    resource_in(allocator).deallocate(pointer, static_cast<size_t>(bytes), Fence{});
  }
}

uint8_t* arrow_reallocate(ArrowAllocator* allocator, uint8_t* pointer, int64_t old_bytes, int64_t new_bytes) {
  if (new_bytes < 0) {
    return nullptr;
  }
  const Result<void*> block = resource_in(allocator).allocate(static_cast<size_t>(new_bytes));
  if (!block.ok()) {
    return nullptr;
  }
  if (pointer != nullptr) {
    copy(*block, pointer, static_cast<size_t>(std::min(old_bytes, new_bytes)));
    arrow_free(allocator, pointer, old_bytes);
  }
  return static_cast<uint8_t*>(*block);
}

}  // namespace

PmrResource::PmrResource(std::shared_ptr<MemoryResource> resource) : resource_(std::move(resource)) {
  FOREBAY_CHECK(is_host_accessible(resource_->kind()));
}

void* PmrResource::do_allocate(size_t bytes, size_t alignment) {
  const Result<void*> pointer =
      alignment > kAlignment ? invalid_argument("an alignment of {}", alignment) : resource_->allocate(bytes);
  if (!pointer.ok()) {
    throw std::bad_alloc();
  }
  return *pointer;
}

void PmrResource::do_deallocate(void* pointer, size_t bytes, size_t) {
  resource_->deallocate(pointer, bytes, Fence{});
}

bool PmrResource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  const auto* const same_kind = dynamic_cast<const PmrResource*>(&other);
  return same_kind != nullptr && same_kind->resource_ == resource_;
}

std::shared_ptr<MemoryResource> resource_of(std::pmr::memory_resource& resource) {
  return std::make_shared<ResourceOfPmr>(resource);
}

ArrowAllocator arrow_allocator_of(MemoryResource& resource) {
  return {.reallocate = arrow_reallocate, .free = arrow_free, .private_data = &resource};
}

std::shared_ptr<MemoryResource> resource_of(const ArrowAllocator& allocator) {
  return std::make_shared<ResourceOfArrow>(allocator);
}

}  // namespace forebay::memory
