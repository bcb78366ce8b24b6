// Parameters of operators in libraries: how the type of a struct's member says what it takes, and Arg<T>,
// which is a constant or a tensor with a value a sample.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/plugin/sample.h"

namespace forebay::plugin {
inline namespace v1 {

/// A layout given by name, "HWC".
struct LayoutName {
  std::string names;
};

/// DALIImageType.
enum class ImageType : int64_t { kRGB = 0, kBGR = 1, kGRAY = 2, kYCbCr = 3, kAnyData = 4 };

/// DALIInterpType.
enum class InterpType : int64_t {
  kNearest = 0,
  kLinear = 1,
  kCubic = 2,
  kLanczos3 = 3,
  kTriangular = 4,
  kGaussian = 5
};

namespace detail {

/// A constant with the memory that it points to; stays where it is.
struct Constant {
  Constant() = default;
  Constant(const Constant&) = delete;
  Constant& operator=(const Constant&) = delete;

  ForebayPluginValue value{};
  std::string text;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> strings;
  std::vector<ForebayPluginText> texts;
};

/// By the type of a member: `kKind`; `put`, which writes a default; `get`, which reads what was given.
template <class T, class = void>
struct ParameterTraits;

/// Numbers that are kept in 64 bits.
template <class T, int32_t kKindOfT>
struct IntegerTraits {
  static constexpr int32_t kKind = kKindOfT;
  static void put(const T& value, Constant* to) { to->value.integer = static_cast<int64_t>(value); }
  static T get(const ForebayPluginValue& value) {
    if constexpr (std::is_same_v<T, int32_t>) {
      if (value.integer < std::numeric_limits<int32_t>::min() ||
          value.integer > std::numeric_limits<int32_t>::max()) {
        throw Error(invalid_argument(value.integer, " is not an int32"));
      }
    }
    return static_cast<T>(value.integer);
  }
};
template <>
struct ParameterTraits<bool> : IntegerTraits<bool, kForebayPluginKindBool> {};
template <>
struct ParameterTraits<int64_t> : IntegerTraits<int64_t, kForebayPluginKindInt> {};
template <>
struct ParameterTraits<int32_t> : IntegerTraits<int32_t, kForebayPluginKindInt> {};
template <>
struct ParameterTraits<DType> : IntegerTraits<DType, kForebayPluginKindDType> {};
template <>
struct ParameterTraits<ImageType> : IntegerTraits<ImageType, kForebayPluginKindImageType> {};
template <>
struct ParameterTraits<InterpType> : IntegerTraits<InterpType, kForebayPluginKindInterpType> {};

template <class T>
struct ParameterTraits<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr int32_t kKind = kForebayPluginKindFloat;
  static void put(const T& value, Constant* to) { to->value.number = static_cast<double>(value); }
  static T get(const ForebayPluginValue& value) { return static_cast<T>(value.number); }
};

inline std::string string_of(const ForebayPluginText& text) {
  return text.bytes == 0 ? std::string() : std::string(text.data, text.bytes);
}

template <>
struct ParameterTraits<std::string> {
  static constexpr int32_t kKind = kForebayPluginKindString;
  static void put(const std::string& value, Constant* to) {
    to->text = value;
    to->value.text = {to->text.data(), to->text.size()};
  }
  static std::string get(const ForebayPluginValue& value) { return string_of(value.text); }
};

template <>
struct ParameterTraits<LayoutName> {
  static constexpr int32_t kKind = kForebayPluginKindLayout;
  static void put(const LayoutName& value, Constant* to) {
    ParameterTraits<std::string>::put(value.names, to);
  }
  static LayoutName get(const ForebayPluginValue& value) { return {string_of(value.text)}; }
};

template <class T>
struct ParameterTraits<std::vector<T>,
                       std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>> {
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  static constexpr int32_t kKind = kIsFloat ? kForebayPluginKindFloatList : kForebayPluginKindIntList;
  static void put(const std::vector<T>& values, Constant* to) {
    to->value.count = values.size();
    if constexpr (kIsFloat) {
      to->numbers.assign(values.begin(), values.end());
      to->value.numbers = to->numbers.data();
    } else {
      to->integers.assign(values.begin(), values.end());
      to->value.integers = to->integers.data();
    }
  }
  static std::vector<T> get(const ForebayPluginValue& value) {
    std::vector<T> values;
    for (size_t i = 0; i < value.count; ++i) {
      if constexpr (kIsFloat) {
        values.push_back(static_cast<T>(value.numbers[i]));
      } else {
        ForebayPluginValue item{};
        item.integer = value.integers[i];
        values.push_back(ParameterTraits<T>::get(item));
      }
    }
    return values;
  }
};

template <>
struct ParameterTraits<std::vector<std::string>> {
  static constexpr int32_t kKind = kForebayPluginKindStringList;
  static void put(const std::vector<std::string>& values, Constant* to) {
    to->strings = values;
    for (const std::string& text : to->strings) {
      to->texts.push_back({text.data(), text.size()});
    }
    to->value.count = to->texts.size();
    to->value.texts = to->texts.data();
  }
  static std::vector<std::string> get(const ForebayPluginValue& value) {
    std::vector<std::string> values;
    for (size_t i = 0; i < value.count; ++i) {
      values.push_back(string_of(value.texts[i]));
    }
    return values;
  }
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// The elements of a tensor argument, converted to T.
template <class T>
std::vector<T> read_elements(const Sample& sample, uint32_t argument) {
  const ForebayPluginSample& c_sample = sample.c_sample();
  const auto count = static_cast<size_t>(spec_of(*c_sample.arguments[argument]).shape.volume());
  using Read = std::conditional_t<std::is_floating_point_v<T>, float, int64_t>;
  std::vector<Read> elements(count);
  if constexpr (std::is_floating_point_v<T>) {
    check_host(c_sample.host->read_floats(c_sample.call, argument, elements.data(), count));
  } else {
    check_host(c_sample.host->read_integers(c_sample.call, argument, elements.data(), count));
  }
  if constexpr (std::is_same_v<T, Read>) {
    return elements;
  } else {
    std::vector<T> values;
    for (const Read element : elements) {
      values.push_back(static_cast<T>(element));
    }
    return values;
  }
}

}  // namespace detail

/// A parameter given as a constant, or as a tensor with a value a sample. T: bool, int64_t, float, double, or
/// a std::vector of int64_t, float or double.
template <class T>
class Arg {
 public:
  using value_type = T;

  Arg() = default;                            // not given; the value is T{}
  Arg(T value) : value_(std::move(value)) {}  // NOLINT: lets a default be written as a plain value

  /// Whether the user gave it, as a constant or as a tensor.
  bool is_given() const { return is_given_; }
  bool is_tensor() const { return argument_ >= 0; }
  /// The constant or default; meaningless for a tensor.
  const T& constant() const { return value_; }

  void give(T value) {
    value_ = std::move(value);
    is_given_ = true;
  }
  void give_tensor(uint32_t argument) {
    argument_ = argument;
    is_given_ = true;
  }

  /// The value for this sample. Throws if one number is needed and the tensor does not have exactly one
  /// element; a tensor of one element is taken for a list of one.
  T get(const Sample& sample) const {
    if (argument_ < 0) {
      return value_;
    }
    const auto argument = static_cast<uint32_t>(argument_);
    if constexpr (detail::IsVector<T>::value) {
      return detail::read_elements<typename T::value_type>(sample, argument);
    } else {
      using Element = std::conditional_t<std::is_same_v<T, bool>, int64_t, T>;
      const std::vector<Element> elements = detail::read_elements<Element>(sample, argument);
      if (elements.size() != 1) {
        throw Error(
            invalid_argument("an argument that is one number was given a tensor of ", elements.size()));
      }
      return static_cast<T>(elements[0]);
    }
  }

 private:
  T value_{};
  int64_t argument_ = -1;
  bool is_given_ = false;
};

namespace detail {

/// What a member's type says of its parameter.
template <class Member>
struct MemberTraits {
  using Value = Member;
  static constexpr bool kTakesTensor = false;
  static const Value* default_of(const Member& member) { return &member; }
  static void set(Member* member, const ForebayPluginArgument& argument, uint32_t) {
    *member = ParameterTraits<Member>::get(*argument.value);
  }
};

template <class T>
struct MemberTraits<std::optional<T>> {
  using Value = T;
  static constexpr bool kTakesTensor = false;
  static const Value* default_of(const std::optional<T>& member) { return member ? &*member : nullptr; }
  static void set(std::optional<T>* member, const ForebayPluginArgument& argument, uint32_t) {
    *member = ParameterTraits<T>::get(*argument.value);
  }
};

template <class T>
struct MemberTraits<Arg<T>> {
  using Value = T;
  static constexpr bool kTakesTensor = true;
  static const Value* default_of(const Arg<T>& member) { return &member.constant(); }
  static void set(Arg<T>* member, const ForebayPluginArgument& argument, uint32_t index) {
    if (argument.is_tensor != 0) {
      member->give_tensor(index);
    } else if (argument.is_given != 0) {
      member->give(ParameterTraits<T>::get(*argument.value));
    }
  }
};

}  // namespace detail

}  // namespace v1
}  // namespace forebay::plugin
