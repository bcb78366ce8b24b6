#include "forebay/operators/testing/failing_new.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Allocations left until one fails; negative: none fails.
thread_local int64_t allocations_left = -1;
thread_local bool has_failed_now = false;

bool must_fail() {
  if (allocations_left < 0) {
    return false;
  }
  has_failed_now = has_failed_now || allocations_left == 0;
  return allocations_left-- == 0;
}

void* allocate(size_t bytes, size_t alignment) {
  void* const memory = must_fail() ? nullptr
                       : alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes == 0 ? 1 : bytes)
                           : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

// The array forms call these; so do the non-throwing ones, but for sanitizers' own.
void* operator new(size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return must_fail() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace forebay::operators::testing {

FailingNew::FailingNew(int64_t at) {
  has_failed_now = false;
  allocations_left = at;
}

FailingNew::~FailingNew() {
  allocations_left = -1;
}

bool FailingNew::has_failed() const {
  return has_failed_now;
}

}  // namespace forebay::operators::testing
