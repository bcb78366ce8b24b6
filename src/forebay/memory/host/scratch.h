// Scratch memory: what a function needs only while it runs. It comes from the resource set for the calling
// thread, so the code that runs an operator can count or refuse it without every function in between passing
// a resource along. docs/design/budget.md says why.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/caught.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// While it lives, this thread's scratch memory comes from `resource`, which must be host memory and outlive
/// the scope and everything taken from it. Scopes nest. Without a scope, the process's host pool is used.
class ScratchScope {
 public:
  explicit ScratchScope(MemoryResource& resource);
  ~ScratchScope();
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  MemoryResource* const outer_;
};

/// The resource that the calling thread's scratch memory comes from.
MemoryResource& scratch_resource();

/// Blocks up to this size (tables of a few taps) come from the host pool regardless of the scope: counting
/// them would cost more than they do.
inline constexpr size_t kSmallScratchBytes = 4096;

namespace scratch_detail {
void* take(MemoryResource& resource, size_t bytes);
void give(MemoryResource& resource, void* pointer, size_t bytes) noexcept;
}  // namespace scratch_detail

/// Allocates from the resource that the thread had when the container was made; aligned to kAlignment. A
/// container that uses it must not outlive the scope. A refusal is thrown as a ThrownStatus; kernels that
/// return a Status catch it (caught()), and so do the engine and whatever runs operators.
template <class T>
class ScratchAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  ScratchAllocator() : resource_(&scratch_resource()) {}
  template <class Other>
  ScratchAllocator(const ScratchAllocator<Other>& other) : resource_(other.resource()) {}

  T* allocate(size_t count) {
    if (count > static_cast<size_t>(-1) / sizeof(T)) {
      throw ThrownStatus(resource_exhausted("{} elements of working memory asked for at once", count));
    }
    return static_cast<T*>(scratch_detail::take(*resource_, count * sizeof(T)));
  }
  void deallocate(T* pointer, size_t count) noexcept {
    scratch_detail::give(*resource_, pointer, count * sizeof(T));
  }
  ScratchAllocator select_on_container_copy_construction() const { return {}; }

  MemoryResource* resource() const { return resource_; }
  template <class Other>
  bool operator==(const ScratchAllocator<Other>& other) const {
    return resource_ == other.resource();
  }

 private:
  MemoryResource* resource_;
};

template <class T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

/// `count` uninitialised elements, allocated as a ScratchVector would.
template <class T>
class ScratchArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit ScratchArray(size_t count)
      : size_(count), data_(count == 0 ? nullptr : allocator_.allocate(count)) {}
  ~ScratchArray() {
    if (data_ != nullptr) {
      allocator_.deallocate(data_, size_);
    }
  }
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t index) { return data_[index]; }
  const T& operator[](size_t index) const { return data_[index]; }

 private:
  ScratchAllocator<T> allocator_;
  const size_t size_;
  T* const data_;
};

}  // namespace forebay::memory
