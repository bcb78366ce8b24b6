// Stands in for the array of pages: Relacy's atomics are objects that want to be made.
#pragma once

#include <cstddef>
#include <vector>

namespace forebay::memory {

template <class T>
class SparseArray {
 public:
  SparseArray() = default;
  explicit SparseArray(size_t count) : elements_(count) {}

  bool is_empty() const { return elements_.empty(); }
  T& operator[](size_t index) { return elements_[index]; }
  const T& operator[](size_t index) const { return elements_[index]; }

 private:
  std::vector<T> elements_;
};

}  // namespace forebay::memory
