// Arguments of operators in C++: of any kind, as Pipeline::add() takes them, and of a parameter's kind, as
// the functions of forebay/fn.h do, so that `.size = "8"` does not compile.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/operators/types.h"
#include "forebay/operators/value.h"
#include "forebay/pipeline/data_node.h"
#include "forebay/tensor/dtype.h"

namespace forebay::pipeline {

/// An argument in C++: nothing, a constant, or a tensor. Numbers of any size are taken, and texts of any
/// kind.
class Argument {
 public:
  Argument() = default;
  template <class T>
  Argument(const T& value) : value_(widened(value)) {}  // NOLINT: constants read as arguments
  template <class T>
  Argument(const std::vector<T>& items) : value_(all_widened<T>(items)) {}  // NOLINT
  template <class T>
  Argument(std::initializer_list<T> items) : value_(all_widened<T>(items)) {}  // NOLINT
  Argument(DataNode node) : node_(node), is_node_(true) {}                     // NOLINT
  bool is_node() const { return is_node_; }
  const DataNode& node() const { return node_; }
  const Value& value() const { return value_; }

 private:
  template <class T>
  static auto widened(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      return static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return std::string(std::string_view(value));
    }
  }
  template <class T, class Items>
  static auto all_widened(const Items& items) {
    using Entry = std::conditional_t<std::is_same_v<T, bool>, int64_t, decltype(widened(std::declval<T>()))>;
    std::vector<Entry> all;
    for (const T& item : items) {
      all.push_back(widened(item));
    }
    return all;
  }

  Value value_;
  DataNode node_;
  bool is_node_ = false;
};

/// Whether a T is a constant of this kind, or an entry of one that is a list. Whole numbers are floats, too.
template <operators::ArgumentKind kKind, class T>
constexpr bool is_of_kind() {
  using enum operators::ArgumentKind;
  switch (kKind) {
    case kBool:
    case kInt:
      return std::is_integral_v<T>;
    case kIntList:  // of element types, too
      return std::is_integral_v<T> || std::is_same_v<T, tensor::DType>;
    case kFloat:
    case kFloatList:
      return std::is_arithmetic_v<T>;
    case kString:
    case kStringList:
    case kLayout:
      return std::is_convertible_v<T, std::string_view>;
    case kDType:
      return std::is_same_v<T, tensor::DType>;
    case kImageType:
      return std::is_same_v<T, operators::ImageType>;
    case kInterpType:
      return std::is_same_v<T, operators::InterpType>;
  }
  return false;
}

constexpr bool is_list(operators::ArgumentKind kind) {
  using enum operators::ArgumentKind;
  return kind == kIntList || kind == kFloatList || kind == kStringList;
}

inline constexpr bool kOrTensor = true;

/// An argument of a parameter: nothing, a constant of its kind (for a list also one entry), or a tensor if it
/// may be one.
template <operators::ArgumentKind kKind, bool kMayBeTensor = false>
class ArgumentOf {
 public:
  ArgumentOf() = default;
  template <class T>
    requires(is_of_kind<kKind, T>())
  ArgumentOf(T value) : untyped_(value) {}  // NOLINT: constants read as arguments
  template <class T>
    requires(is_list(kKind) && is_of_kind<kKind, T>())
  ArgumentOf(const std::vector<T>& values) : untyped_(values) {}  // NOLINT
  template <class T>
    requires(is_list(kKind) && is_of_kind<kKind, T>())
  ArgumentOf(std::initializer_list<T> values) : untyped_(values) {}  // NOLINT
  ArgumentOf(DataNode node)                                          // NOLINT
    requires(kMayBeTensor)
      : untyped_(node) {}

  const Argument& untyped() const { return untyped_; }

 private:
  Argument untyped_;
};

}  // namespace forebay::pipeline
