#include "forebay/memory/testing/failing_new.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

thread_local int64_t left_to_succeed = 0;  // before those that fail
thread_local int64_t left_to_fail = 0;
thread_local bool has_failed_now = false;

bool must_fail() {
  if (left_to_fail == 0) {
    return false;
  }
  if (left_to_succeed > 0) {
    --left_to_succeed;
    return false;
  }
  --left_to_fail;
  has_failed_now = true;
  return true;
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

namespace forebay::memory::testing {

FailingNew::FailingNew(int64_t at, int64_t count) {
  has_failed_now = false;
  left_to_succeed = at;
  left_to_fail = count;
}

FailingNew::~FailingNew() {
  left_to_fail = 0;
}

bool FailingNew::has_failed() const {
  return has_failed_now;
}

}  // namespace forebay::memory::testing
