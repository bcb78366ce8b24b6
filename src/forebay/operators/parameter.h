// How the type of a struct member defines a parameter: its kind, its default as a Value, and how a Value sets
// it.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "forebay/operators/arg.h"
#include "forebay/operators/operator.h"
#include "forebay/operators/types.h"

namespace forebay::operators {

/// A layout given by name.
struct LayoutName {
  std::string names;
};

/// The value as T; invalid_argument says what was expected. Integers are accepted as floats, scalars as lists
/// of one, whole-number floats as integers.
Result<bool> to_bool(const Value& value);
Result<int64_t> to_int(const Value& value);
Result<double> to_float(const Value& value);
Result<std::string> to_text(const Value& value);
Result<std::vector<int64_t>> to_ints(const Value& value);
Result<std::vector<int32_t>> to_int32s(const Value& value);
Result<std::vector<DType>> to_dtypes(const Value& value);
Result<std::vector<double>> to_floats(const Value& value);
Result<std::vector<std::string>> to_texts(const Value& value);

/// Refuses unknown, missing and duplicate arguments, wrong numbers of inputs, values outside `choices`, and
/// numbers that are not finite, as floats, where the row does not take them.
Status check_arguments(const OperatorSpec& spec, const Arguments& arguments);

template <class T>
struct ParameterTraits;

#define FOREBAY_PARAMETER(type, kind, stored, convert)          \
  template <>                                                   \
  struct ParameterTraits<type> {                                \
    static constexpr ArgumentKind kKind = ArgumentKind::kind;   \
    static constexpr bool kAcceptsTensor = false;               \
    static Value to_value(const type& value) {                  \
      return Value(static_cast<stored>(value));                 \
    }                                                           \
    static Result<type> from_value(const Value& value) {        \
      FOREBAY_ASSIGN_OR_RETURN(auto converted, convert(value)); \
      return static_cast<type>(converted);                      \
    }                                                           \
  };
FOREBAY_PARAMETER(bool, kBool, bool, to_bool)
FOREBAY_PARAMETER(int64_t, kInt, int64_t, to_int)
FOREBAY_PARAMETER(float, kFloat, double, to_float)
FOREBAY_PARAMETER(double, kFloat, double, to_float)
FOREBAY_PARAMETER(std::string, kString, std::string, to_text)
FOREBAY_PARAMETER(std::vector<int64_t>, kIntList, std::vector<int64_t>, to_ints)
FOREBAY_PARAMETER(std::vector<std::string>, kStringList, std::vector<std::string>, to_texts)
FOREBAY_PARAMETER(DType, kDType, int64_t, to_int)
FOREBAY_PARAMETER(ImageType, kImageType, int64_t, to_int)
FOREBAY_PARAMETER(InterpType, kInterpType, int64_t, to_int)
#undef FOREBAY_PARAMETER

template <>
struct ParameterTraits<std::vector<float>> {
  static constexpr ArgumentKind kKind = ArgumentKind::kFloatList;
  static constexpr bool kAcceptsTensor = false;
  static Value to_value(const std::vector<float>& value) {
    return std::vector<double>(value.begin(), value.end());
  }
  static Result<std::vector<float>> from_value(const Value& value) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<double> values, to_floats(value));
    return std::vector<float>(values.begin(), values.end());
  }
};

/// A list of numbers that are stored as 64 bits.
#define FOREBAY_LIST_PARAMETER(element, convert)                         \
  template <>                                                            \
  struct ParameterTraits<std::vector<element>> {                         \
    static constexpr ArgumentKind kKind = ArgumentKind::kIntList;        \
    static constexpr bool kAcceptsTensor = false;                        \
    static Value to_value(const std::vector<element>& values) {          \
      std::vector<int64_t> numbers;                                      \
      for (const element value : values) {                               \
        numbers.push_back(static_cast<int64_t>(value));                  \
      }                                                                  \
      return numbers;                                                    \
    }                                                                    \
    static Result<std::vector<element>> from_value(const Value& value) { \
      return convert(value);                                             \
    }                                                                    \
  };
FOREBAY_LIST_PARAMETER(int32_t, to_int32s)
FOREBAY_LIST_PARAMETER(DType, to_dtypes)
#undef FOREBAY_LIST_PARAMETER

template <>
struct ParameterTraits<LayoutName> {
  static constexpr ArgumentKind kKind = ArgumentKind::kLayout;
  static constexpr bool kAcceptsTensor = false;
  static Value to_value(const LayoutName& value) { return value.names; }
  static Result<LayoutName> from_value(const Value& value) {
    FOREBAY_ASSIGN_OR_RETURN(std::string names, to_text(value));
    if (names.size() > tensor::kMaxRank) {
      return invalid_argument("the layout '{}' has more than {} axes", names, tensor::kMaxRank);
    }
    return LayoutName{std::move(names)};
  }
};

template <class T>
struct ParameterTraits<std::optional<T>> {
  static constexpr ArgumentKind kKind = ParameterTraits<T>::kKind;
  static constexpr bool kAcceptsTensor = false;
  static Value to_value(const std::optional<T>& value) {
    return value ? ParameterTraits<T>::to_value(*value) : Value();
  }
  static Result<std::optional<T>> from_value(const Value& value) {
    FOREBAY_ASSIGN_OR_RETURN(T converted, ParameterTraits<T>::from_value(value));
    return std::optional<T>(std::move(converted));
  }
};

template <class T>
struct ParameterTraits<Arg<T>> {
  static constexpr ArgumentKind kKind = ParameterTraits<T>::kKind;
  static constexpr bool kAcceptsTensor = true;
  static Value to_value(const Arg<T>& value) { return ParameterTraits<T>::to_value(value.constant()); }
};

template <class T>
struct IsArg : std::false_type {};
template <class T>
struct IsArg<Arg<T>> : std::true_type {};

/// Sets `target` from the constant or tensor given for `row`; keeps the default if neither is given.
template <class Member>
Status set_parameter(const ParameterSpec& row, Member& target, const Arguments& arguments) {
  const std::string& name = row.name;
  if constexpr (IsArg<Member>::value) {
    if (const auto slot = arguments.tensors.find(name); slot != arguments.tensors.end()) {
      target.give_slot(slot->second, {name, row.takes_odd});
      return ok_status();
    }
  }
  const auto constant = arguments.constants.find(name);
  if (constant == arguments.constants.end() || std::holds_alternative<std::monostate>(constant->second)) {
    return ok_status();
  }
  if constexpr (IsArg<Member>::value) {
    auto value = ParameterTraits<typename Member::value_type>::from_value(constant->second);
    FOREBAY_RETURN_IF_ERROR(annotate(value.status(), name));
    target.give(*std::move(value));
  } else {
    auto value = ParameterTraits<Member>::from_value(constant->second);
    FOREBAY_RETURN_IF_ERROR(annotate(value.status(), name));
    target = *std::move(value);
  }
  return ok_status();
}

}  // namespace forebay::operators
