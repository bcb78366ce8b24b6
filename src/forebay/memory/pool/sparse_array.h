// An array with its maximum size from the start: its memory is committed page by page as it is touched, and
// its elements never move.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "forebay/base/round_up.h"
#include "forebay/memory/host/pages.h"

namespace forebay::memory {

/// Elements start as zero bytes; T must allow that and need no destructor. Empty if the system has no address
/// space.
template <class T>
class SparseArray {
 public:
  SparseArray() = default;
  explicit SparseArray(size_t count)
      : bytes_(round_up(count * sizeof(T), kPageBytes)),
        elements_(static_cast<T*>(map_sparse_pages(bytes_))) {}
  SparseArray(SparseArray&& other) noexcept { *this = std::move(other); }
  SparseArray& operator=(SparseArray&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~SparseArray() {
    if (elements_ != nullptr) {
      unmap_pages(elements_, bytes_);
    }
  }

  bool is_empty() const { return elements_ == nullptr; }
  T& operator[](size_t index) { return elements_[index]; }
  const T& operator[](size_t index) const { return elements_[index]; }

 private:
  size_t bytes_ = 0;
  T* elements_ = nullptr;
};

}  // namespace forebay::memory
