// Arg<T>: an operator parameter given either as a constant or as a tensor with one value per sample.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The elements of a numeric tensor of any dtype, converted (floats are truncated towards zero to become
/// integers).
Result<std::vector<float>> floats_of(const Tensor& tensor);
Result<std::vector<int64_t>> ints_of(const Tensor& tensor);

/// The same into memory for as many.
Status copy_floats(const Tensor& tensor, std::span<float> values);
Status copy_ints(const Tensor& tensor, std::span<int64_t> values);

template <class T>
class Arg {
 public:
  using value_type = T;

  Arg() = default;                            // not given; the value is T{}
  Arg(T value) : value_(std::move(value)) {}  // NOLINT: lets a default be written as a plain value

  /// Whether the user gave it, as a constant or as a tensor.
  bool is_given() const { return is_given_; }
  bool is_tensor() const { return slot_ >= 0; }
  /// The index of a tensor argument among the sample's, for operators that need its shape; -1 for constants.
  int slot() const { return slot_; }
  /// The constant or default; meaningless for a tensor argument.
  const T& constant() const { return value_; }

  void give(T value) {
    value_ = std::move(value);
    is_given_ = true;
  }
  void give_slot(int slot) {
    slot_ = slot;
    is_given_ = true;
  }

  /// The value for this sample. invalid_argument if a scalar is needed and the tensor does not have exactly
  /// one element. A tensor with one element is accepted as a list of one.
  Result<T> get(const Sample& sample) const {
    if (slot_ < 0) {
      return value_;
    }
    return from_tensor(sample.argument(slot_));
  }

 private:
  static Result<T> from_tensor(const Tensor& tensor) {
    if constexpr (std::is_same_v<T, std::vector<float>>) {
      return floats_of(tensor);
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
      return ints_of(tensor);
    } else {
      if (tensor.volume() != 1) {
        return invalid_argument("an argument that is one number was given a tensor of {}",
                                tensor.spec().to_string());
      }
      if constexpr (std::is_floating_point_v<T>) {
        float value = 0;
        FOREBAY_RETURN_IF_ERROR(copy_floats(tensor, {&value, 1}));
        return static_cast<T>(value);
      } else {
        int64_t value = 0;
        FOREBAY_RETURN_IF_ERROR(copy_ints(tensor, {&value, 1}));
        return static_cast<T>(value);
      }
    }
  }

  T value_{};
  int slot_ = -1;
  bool is_given_ = false;
};

}  // namespace forebay::operators
