// Working memory: what a function needs only while it runs. It comes from the resource that the caller has
// set for the thread, so that who runs an operator can count it, or refuse it, without every function between
// the two passing a resource on. docs/design/budget.md says why.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {

/// For its life, working memory of this thread comes from `resource`, which must be of the host's memory and
/// outlive it and all that was taken. Scopes nest. Without one it is the process's host pool.
class ScratchScope {
 public:
  explicit ScratchScope(MemoryResource& resource);
  ~ScratchScope();
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  MemoryResource* const outer_;
};

/// Where working memory of the calling thread comes from.
MemoryResource& scratch_resource();

/// Blocks of at most so many bytes (tables of a few taps) come from the host pool whatever the scope:
/// counting them would cost more than they do.
inline constexpr size_t kSmallScratchBytes = 4096;

/// What a container throws whose memory was refused. It does not leave with_scratch().
class ScratchRefused final : public std::bad_alloc {
 public:
  explicit ScratchRefused(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }

 private:
  Status status_;
};

namespace scratch_detail {
void* take(MemoryResource& resource, size_t bytes);  // throws ScratchRefused
void give(MemoryResource& resource, void* pointer, size_t bytes) noexcept;
}  // namespace scratch_detail

/// Takes from the resource that the thread had when the container was made; aligned to kAlignment. A
/// container with it must not outlive the scope.
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
      throw ScratchRefused(resource_exhausted("{} elements of working memory asked for at once", count));
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

/// The Status or Result of `body`, or the refusal of working memory that it met. For the public functions of
/// kernels, which let no exception out.
template <class Body>
auto with_scratch(Body&& body) -> std::invoke_result_t<Body> {
  try {
    return std::forward<Body>(body)();
  } catch (const ScratchRefused& refused) {
    return refused.status();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("the system has no more memory to work with");
  }
}

}  // namespace forebay::memory
