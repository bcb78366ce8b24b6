#include "forebay/operators/parameter.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "forebay/operators/int_of.h"

namespace forebay::operators {
namespace {

Status unexpected(const Value& value, const char* expected) {
  return invalid_argument("{} was given where {} is expected", to_string(value), expected);
}

template <class T>
std::string join(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    text += (text.empty() ? "" : ", ") + to_string(Value(value));
  }
  return "[" + text + "]";
}

std::string float_text(double value) {
  if (std::isinf(value) || std::isnan(value)) {
    return fmt::format("float('{}')", value);
  }
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.1f}", value)
                                                               : fmt::format("{}", static_cast<float>(value));
}

}  // namespace

std::string to_string(const Value& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return float_text(number); }
    std::string operator()(const std::string& text) const { return fmt::format("'{}'", text); }
    std::string operator()(const std::vector<int64_t>& values) const { return join(values); }
    std::string operator()(const std::vector<double>& values) const { return join(values); }
    std::string operator()(const std::vector<std::string>& values) const { return join(values); }
  };
  return std::visit(Printer{}, value);
}

std::string_view name_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kBool:
      return "bool";
    case ArgumentKind::kInt:
      return "int";
    case ArgumentKind::kFloat:
      return "float";
    case ArgumentKind::kString:
    case ArgumentKind::kLayout:
      return "str";
    case ArgumentKind::kIntList:
      return "int | Sequence[int]";
    case ArgumentKind::kFloatList:
      return "float | Sequence[float]";
    case ArgumentKind::kStringList:
      return "str | Sequence[str]";
    case ArgumentKind::kDType:
      return "DALIDataType";
    case ArgumentKind::kImageType:
      return "DALIImageType";
    case ArgumentKind::kInterpType:
      return "DALIInterpType";
  }
  return "object";
}

Result<bool> to_bool(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag;
  }
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return *number != 0;
  }
  return unexpected(value, "a bool");
}

Result<int64_t> to_int(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return *number;
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? 1 : 0;
  }
  if (const auto* number = std::get_if<double>(&value); number != nullptr && *number == std::floor(*number)) {
    if (const auto whole = int_of(*number); whole.ok()) {
      return whole;
    }
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value); list != nullptr && list->size() == 1) {
    return (*list)[0];
  }
  return unexpected(value, "an integer");
}

Result<double> to_float(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return *number;
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value); list != nullptr && list->size() == 1) {
    return (*list)[0];
  }
  auto whole = to_int(value);
  if (!whole.ok()) {
    return unexpected(value, "a number");
  }
  return static_cast<double>(*whole);
}

Result<std::string> to_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return *text;
  }
  return unexpected(value, "a string");
}

Result<std::vector<int64_t>> to_ints(const Value& value) {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return *list;
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    std::vector<int64_t> whole;
    for (const double number : *list) {
      FOREBAY_ASSIGN_OR_RETURN(const int64_t converted, to_int(Value(number)));
      whole.push_back(converted);
    }
    return whole;
  }
  auto single = to_int(value);
  if (!single.ok()) {
    return unexpected(value, "a list of integers");
  }
  return std::vector<int64_t>{*single};
}

Result<std::vector<int32_t>> to_int32s(const Value& value) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, to_ints(value));
  for (const int64_t number : numbers) {
    if (number != static_cast<int32_t>(number)) {
      return invalid_argument("{} is not an int32", number);
    }
  }
  return std::vector<int32_t>(numbers.begin(), numbers.end());
}

Result<std::vector<DType>> to_dtypes(const Value& value) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, to_ints(value));
  std::vector<DType> dtypes;
  for (const int64_t number : numbers) {
    if (number < 0 || number > static_cast<int64_t>(DType::kBool)) {
      return invalid_argument("{} is not an element type", number);
    }
    dtypes.push_back(static_cast<DType>(number));
  }
  return dtypes;
}

Result<std::vector<double>> to_floats(const Value& value) {
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    return *list;
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return std::vector<double>(list->begin(), list->end());
  }
  auto single = to_float(value);
  if (!single.ok()) {
    return unexpected(value, "a list of numbers");
  }
  return std::vector<double>{*single};
}

Result<std::vector<std::string>> to_texts(const Value& value) {
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return *list;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return std::vector<std::string>{*text};
  }
  const auto* empty = std::get_if<std::vector<int64_t>>(&value);
  if (empty != nullptr && empty->empty()) {
    return std::vector<std::string>{};
  }
  return unexpected(value, "a list of strings");
}

namespace {

/// The highest member of an enumeration; nullopt for other kinds. All start at 0.
std::optional<int64_t> last_member(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kDType:
      return static_cast<int64_t>(DType::kBool);
    case ArgumentKind::kImageType:
      return static_cast<int64_t>(ImageType::kAnyData);
    case ArgumentKind::kInterpType:
      return static_cast<int64_t>(InterpType::kGaussian);
    default:
      return std::nullopt;
  }
}

/// Enumerations are stored as numbers; refuses numbers that are not members.
Status check_member(const ParameterSpec& row, const Value& value) {
  const auto last = last_member(row.kind);
  const auto number = to_int(value);
  if (last && number.ok() && (*number < 0 || *number > *last)) {
    return invalid_argument("argument '{}': {} is not a {}", row.name, *number, name_of(row.kind));
  }
  return ok_status();
}

Status check_numbers(const ParameterSpec& row, const Value& value) {
  const auto* number = std::get_if<double>(&value);
  const auto* list = std::get_if<std::vector<double>>(&value);
  const std::span<const double> numbers =
      list != nullptr ? std::span(*list) : std::span(number, number != nullptr ? 1 : 0);
  for (const double each : numbers) {
    FOREBAY_RETURN_IF_ERROR(check_number(row.name, row.takes_odd, each));
  }
  return ok_status();
}

}  // namespace

Status check_arguments(const OperatorSpec& spec, const Arguments& arguments) {
  if (arguments.num_inputs < spec.min_inputs || arguments.num_inputs > spec.max_inputs) {
    return invalid_argument("{}: {} inputs given, {}{} expected", spec.name, arguments.num_inputs,
                            spec.min_inputs,
                            spec.max_inputs == spec.min_inputs ? "" : fmt::format(" to {}", spec.max_inputs));
  }
  for (const auto& [name, value] : arguments.constants) {
    const ParameterSpec* row = spec.find_parameter(name);
    if (row == nullptr) {
      return invalid_argument("{}: there is no argument '{}'", spec.name, name);
    }
    if (arguments.tensors.contains(name)) {
      return invalid_argument("{}: argument '{}' is given twice", spec.name, name);
    }
    if (arguments.constants.contains(row->newer_name)) {
      return invalid_argument("{}: '{}' is an old name of '{}', which is given too", spec.name, name,
                              row->newer_name);
    }
    FOREBAY_RETURN_IF_ERROR(annotate(check_member(*row, value), spec.name));
    FOREBAY_RETURN_IF_ERROR(annotate(check_numbers(*row, value), spec.name));
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && !row->choices.empty() &&
        std::ranges::find(row->choices, *text) == row->choices.end()) {
      return invalid_argument("{}: {}='{}' is not one of {}", spec.name, name, *text, join(row->choices));
    }
  }
  for (const auto& [name, slot] : arguments.tensors) {
    const ParameterSpec* row = spec.find_parameter(name);
    if (row == nullptr) {
      return invalid_argument("{}: there is no argument '{}'", spec.name, name);
    }
    if (!row->accepts_tensor) {
      return invalid_argument("{}: argument '{}' cannot be a tensor, only a constant", spec.name, name);
    }
  }
  for (const ParameterSpec& row : spec.parameters) {
    if (row.is_required && !arguments.constants.contains(row.name) && !arguments.tensors.contains(row.name)) {
      return invalid_argument("{}: argument '{}' must be given", spec.name, row.name);
    }
  }
  return ok_status();
}

}  // namespace forebay::operators
