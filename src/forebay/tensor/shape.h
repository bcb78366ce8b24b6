// The extents of a tensor, outermost first, stored inline.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "forebay/base/check.h"

namespace forebay::tensor {

inline constexpr int kMaxRank = 8;

class Shape {
 public:
  Shape() = default;  // rank 0: one element
  Shape(std::initializer_list<int64_t> extents)
      : Shape(std::span<const int64_t>(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const int64_t> extents) {
    FOREBAY_CHECK(extents.size() <= kMaxRank);
    for (const int64_t extent : extents) {
      push_back(extent);
    }
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return extents_[axis]; }
  int64_t& operator[](int axis) { return extents_[axis]; }
  int64_t back() const { return extents_[rank_ - 1]; }
  const int64_t* begin() const { return extents_.data(); }
  const int64_t* end() const { return extents_.data() + rank_; }
  std::span<const int64_t> extents() const { return {extents_.data(), static_cast<size_t>(rank_)}; }

  void push_back(int64_t extent) {
    FOREBAY_CHECK(rank_ < kMaxRank);
    extents_[rank_++] = extent;
  }

  /// The product of the extents of the axes [first, last).
  int64_t volume(int first, int last) const {
    int64_t product = 1;
    for (int axis = first; axis < last; ++axis) {
      product *= extents_[axis];
    }
    return product;
  }
  int64_t volume() const { return volume(0, rank_); }

  /// The number of elements, or nullopt if an extent is negative or the product exceeds 2^62: the check for
  /// shapes from outside.
  std::optional<int64_t> checked_volume() const {
    int64_t product = 1;
    for (const int64_t extent : extents()) {
      if (extent < 0 || (extent != 0 && product > (int64_t{1} << 62) / extent)) {
        return std::nullopt;
      }
      product *= extent;
    }
    return product;
  }

  /// "2x3x4"; "scalar" for rank 0.
  std::string to_string() const {
    std::string text;
    for (const int64_t extent : extents()) {
      text += (text.empty() ? "" : "x") + std::to_string(extent);
    }
    return rank_ == 0 ? "scalar" : text;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::array<int64_t, kMaxRank> extents_{};
  int rank_ = 0;
};

}  // namespace forebay::tensor
