#include "forebay/memory/host/scratch.h"

#include "forebay/memory/host/host_pool.h"

namespace forebay::memory {
namespace {

thread_local MemoryResource* current = nullptr;  // null: the host pool

}  // namespace

ScratchScope::ScratchScope(MemoryResource& resource) : outer_(std::exchange(current, &resource)) {
}

ScratchScope::~ScratchScope() {
  current = outer_;
}

MemoryResource& scratch_resource() {
  return current == nullptr ? process_host_pool() : *current;
}

namespace scratch_detail {

void* take(MemoryResource& resource, size_t bytes) {
  MemoryResource& from = bytes <= kSmallScratchBytes ? process_host_pool() : resource;
  Result<void*> block = from.allocate(bytes);
  if (!block.ok()) {
    throw ThrownStatus(std::move(block).status());
  }
  return *block;
}

void give(MemoryResource& resource, void* pointer, size_t bytes) noexcept {
  MemoryResource& to = bytes <= kSmallScratchBytes ? process_host_pool() : resource;
  to.deallocate(pointer, bytes, Fence{});
}

}  // namespace scratch_detail
}  // namespace forebay::memory
