// Arg<T>: an operator parameter given either as a constant or as a tensor with one value per sample.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/memory/host/scratch.h"
#include "forebay/operators/sample.h"
#include "forebay/operators/value.h"

namespace forebay::operators {

/// The elements of a numeric tensor of any dtype, converted (floats are truncated towards zero to become
/// integers).
Result<std::vector<float>> floats_of(const Tensor& tensor);
Result<std::vector<int64_t>> ints_of(const Tensor& tensor);

/// The same into memory for as many.
Status copy_floats(const Tensor& tensor, std::span<float> values);
Status copy_ints(const Tensor& tensor, std::span<int64_t> values);

/// invalid_argument where the argument `name` becomes, as a float, a number that is not finite and not taken.
Status check_number(std::string_view name, OddNumbers taken, double number);

/// What is said of a tensor argument that does not fit, and whether NaN and infinities fit.
struct ArgTraits {
  std::string name;
  OddNumbers takes_odd = OddNumbers::kNone;

  /// `numbers`, where they fit; else the error with the argument's name.
  template <class Numbers>
  Result<Numbers> checked(Result<Numbers> numbers) const {
    if constexpr (std::is_same_v<Numbers, float>) {
      FOREBAY_RETURN_IF_ERROR(
          check(numbers.status(), {numbers.ok() ? &*numbers : nullptr, size_t{numbers.ok()}}));
    } else if constexpr (std::is_convertible_v<const Numbers&, std::span<const float>>) {
      FOREBAY_RETURN_IF_ERROR(check(
          numbers.status(), numbers.ok() ? std::span<const float>(*numbers) : std::span<const float>()));
    } else {
      FOREBAY_RETURN_IF_ERROR(check(numbers.status(), {}));
    }
    return numbers;
  }

 private:
  Status check(const Status& status, std::span<const float> numbers) const;
};

/// The numbers of one argument for one sample, or of a tensor, as a range: without an allocation where they
/// are few or lie somewhere in the type that is asked for. Borrows from the sample and the argument. Not
/// thread safe while it is made, then immutable.
template <class Number>
class ArgumentValues {
 public:
  static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, int64_t>);

  ArgumentValues() = default;  // none
  explicit ArgumentValues(std::span<const Number> values) : borrowed_(values) {}
  static Result<ArgumentValues> of(const Tensor& tensor);

  std::span<const Number> span() const {
    if (num_few_ > 0) {
      return std::span<const Number>(few_).first(num_few_);
    }
    return converted_.empty() ? borrowed_ : std::span<const Number>(converted_);
  }
  operator std::span<const Number>() const { return span(); }  // NOLINT: it is one that may own

  size_t size() const { return span().size(); }
  bool empty() const { return span().empty(); }
  auto begin() const { return span().begin(); }
  auto end() const { return span().end(); }
  const Number& operator[](size_t index) const { return span()[index]; }
  const Number& back() const { return span().back(); }

 private:
  std::span<const Number> borrowed_;
  std::array<Number, 4> few_{};  // converted, where so many are enough
  size_t num_few_ = 0;
  memory::ScratchVector<Number> converted_;
};

using ArgumentFloats = ArgumentValues<float>;
using ArgumentIntegers = ArgumentValues<int64_t>;
extern template class ArgumentValues<float>;
extern template class ArgumentValues<int64_t>;

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
  /// Of a tensor argument.
  const ArgTraits& traits() const { return traits_; }

  void give(T value) {
    value_ = std::move(value);
    is_given_ = true;
  }
  void give_slot(int slot, ArgTraits traits) {
    slot_ = slot;
    traits_ = std::move(traits);
    is_given_ = true;
  }

  /// The value for this sample. invalid_argument if a scalar is needed and the tensor does not have exactly
  /// one element, and if a number is NaN or infinite and must not be. A tensor with one element is accepted
  /// as a list of one.
  Result<T> get(const Sample& sample) const {
    if (slot_ < 0) {
      return value_;
    }
    return traits_.checked(from_tensor(sample.argument(slot_)));
  }

  /// The same of a list, borrowed where that is possible.
  template <class List = T>
  Result<ArgumentValues<typename List::value_type>> values(const Sample& sample) const {
    using Values = ArgumentValues<typename List::value_type>;
    return slot_ < 0 ? Result<Values>(Values(std::span(value_)))
                     : traits_.checked(Values::of(sample.argument(slot_)));
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
  ArgTraits traits_;
  int slot_ = -1;
  bool is_given_ = false;
};

}  // namespace forebay::operators
