// Two-level size classes: the power of two, and sixteen steps within it. Two bitmaps say which classes hold a
// free block, so the smallest class that surely fits is found in a few instructions, however many blocks
// there are (the method of TLSF: Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for
// real-time systems", ECRTS 2004).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace forebay::memory {

inline constexpr uint32_t kStepsPerDoubling = 16;
inline constexpr uint32_t kStepBits = 4;
inline constexpr uint32_t kSizeRows = 30;  // sizes up to 2^32 units
inline constexpr uint32_t kSizeClasses = kSizeRows * kStepsPerDoubling;
inline constexpr uint32_t kNoClass = ~0U;

/// The class of a block of `units`. Below 16 units each class is one size.
constexpr uint32_t floor_class(uint64_t units) {
  if (units < kStepsPerDoubling) {
    return static_cast<uint32_t>(units);
  }
  const auto exponent = static_cast<uint32_t>(std::bit_width(units)) - 1;
  const auto step = static_cast<uint32_t>(units >> (exponent - kStepBits)) % kStepsPerDoubling;
  return (exponent - kStepBits + 1) * kStepsPerDoubling + step;
}

/// The smallest class in which every block has at least `units`.
constexpr uint32_t ceil_class(uint64_t units) {
  if (units < kStepsPerDoubling) {
    return static_cast<uint32_t>(units);
  }
  const auto exponent = static_cast<uint32_t>(std::bit_width(units)) - 1;
  return floor_class(units + (uint64_t{1} << (exponent - kStepBits)) - 1);
}

/// The set of non-empty classes.
class ClassMap {
 public:
  void set(uint32_t size_class) {
    columns_[size_class / kStepsPerDoubling] |= static_cast<uint16_t>(1U << (size_class % kStepsPerDoubling));
    rows_ |= 1U << (size_class / kStepsPerDoubling);
  }

  void clear(uint32_t size_class) {
    uint16_t& columns = columns_[size_class / kStepsPerDoubling];
    columns &= static_cast<uint16_t>(~(1U << (size_class % kStepsPerDoubling)));
    if (columns == 0) {
      rows_ &= ~(1U << (size_class / kStepsPerDoubling));
    }
  }

  /// The first non-empty class from `size_class` on; kNoClass if there is none.
  uint32_t first_from(uint32_t size_class) const {
    const uint32_t row = size_class / kStepsPerDoubling;
    const uint32_t columns = columns_[row] & (0xFFFFU << (size_class % kStepsPerDoubling));
    if (columns != 0) {
      return row * kStepsPerDoubling + static_cast<uint32_t>(std::countr_zero(columns));
    }
    const uint32_t rows = rows_ & ~((2U << row) - 1);
    if (rows == 0) {
      return kNoClass;
    }
    const auto next = static_cast<uint32_t>(std::countr_zero(rows));
    return next * kStepsPerDoubling + static_cast<uint32_t>(std::countr_zero(columns_[next]));
  }

 private:
  uint32_t rows_ = 0;
  std::array<uint16_t, kSizeRows> columns_{};
};

}  // namespace forebay::memory
