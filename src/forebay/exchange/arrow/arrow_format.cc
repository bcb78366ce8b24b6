// The format strings of types.
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "forebay/exchange/arrow/arrow_schema.h"

namespace forebay::exchange {
namespace {

using tensor::ColumnType;
using tensor::TimeUnit;
using tensor::TypeId;

struct Plain {
  const char* format;
  TypeId id;
  TimeUnit unit = TimeUnit::kSecond;
};

constexpr std::array<Plain, 32> kPlain = {{
    {"n", TypeId::kNull},
    {"b", TypeId::kBool},
    {"c", TypeId::kInt8},
    {"C", TypeId::kUint8},
    {"s", TypeId::kInt16},
    {"S", TypeId::kUint16},
    {"i", TypeId::kInt32},
    {"I", TypeId::kUint32},
    {"l", TypeId::kInt64},
    {"L", TypeId::kUint64},
    {"e", TypeId::kFloat16},
    {"f", TypeId::kFloat},
    {"g", TypeId::kFloat64},
    {"u", TypeId::kUtf8},
    {"U", TypeId::kLargeUtf8},
    {"z", TypeId::kBinary},
    {"Z", TypeId::kLargeBinary},
    {"tdD", TypeId::kDate32},
    {"tdm", TypeId::kDate64, TimeUnit::kMilli},
    {"tts", TypeId::kTime32, TimeUnit::kSecond},
    {"ttm", TypeId::kTime32, TimeUnit::kMilli},
    {"ttu", TypeId::kTime64, TimeUnit::kMicro},
    {"ttn", TypeId::kTime64, TimeUnit::kNano},
    {"tDs", TypeId::kDuration, TimeUnit::kSecond},
    {"tDm", TypeId::kDuration, TimeUnit::kMilli},
    {"tDu", TypeId::kDuration, TimeUnit::kMicro},
    {"tDn", TypeId::kDuration, TimeUnit::kNano},
    {"+l", TypeId::kList},
    {"+L", TypeId::kLargeList},
    {"+s", TypeId::kStruct},
    {"+m", TypeId::kList},  // a list of structs of key and value
    {"vu", TypeId::kLargeUtf8},
}};

constexpr std::string_view kUnitLetters = "smun";

bool has_own_unit(TypeId id) {
  return id == TypeId::kTime32 || id == TypeId::kTime64 || id == TypeId::kDuration;
}

// Parses all of `text` as a number.
std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional<int64_t>(number) : std::nullopt;
}

// "19,10" or "19,10,128"; empty if a part is not a number.
std::vector<int64_t> numbers_of(std::string_view text) {
  std::vector<int64_t> numbers;
  while (numbers.size() < 4) {
    const size_t comma = text.find(',');
    const auto number = number_of(text.substr(0, comma));
    if (!number) {
      return {};
    }
    numbers.push_back(*number);
    if (comma == std::string_view::npos) {
      return numbers;
    }
    text.remove_prefix(comma + 1);
  }
  return {};
}

bool takes(std::string_view& format, std::string_view prefix) {
  if (!format.starts_with(prefix)) {
    return false;
  }
  format.remove_prefix(prefix.size());
  return true;
}

std::optional<ColumnType> type_with_parameters(std::string_view rest) {
  ColumnType type;
  if (takes(rest, "w:")) {
    type.id = TypeId::kFixedBinary;
    const auto width = number_of(rest);
    type.byte_width = width.value_or(-1);
    return width && *width >= 0 ? std::optional(type) : std::nullopt;
  }
  if (takes(rest, "+w:")) {
    type.id = TypeId::kFixedSizeList;
    const auto size = number_of(rest);
    type.list_size = size.value_or(-1);
    return size && *size >= 0 ? std::optional(type) : std::nullopt;
  }
  if (takes(rest, "d:")) {
    const std::vector<int64_t> numbers = numbers_of(rest);
    const bool is_decimal128 = numbers.size() == 2 || (numbers.size() == 3 && numbers[2] == 128);
    if (!is_decimal128 || numbers[0] < 1 || numbers[0] > 38 || numbers[1] < -1000 || numbers[1] > 1000) {
      return std::nullopt;
    }
    type.id = TypeId::kDecimal128;
    type.precision = static_cast<int>(numbers[0]);
    type.scale = static_cast<int>(numbers[1]);
    return type;
  }
  if (rest.size() >= 4 && rest.starts_with("ts") && rest[3] == ':') {
    const size_t unit = kUnitLetters.find(rest[2]);
    type.id = TypeId::kTimestamp;
    type.unit = static_cast<TimeUnit>(unit);
    type.timezone = rest.substr(4);
    return unit != std::string_view::npos ? std::optional(type) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<ColumnType> type_of_format(std::string_view format) {
  for (const Plain& plain : kPlain) {
    if (plain.format == format) {
      ColumnType type;
      type.id = plain.id;
      type.unit = has_own_unit(plain.id) ? plain.unit : TimeUnit::kSecond;
      return type;
    }
  }
  if (format == "vz") {
    ColumnType type;
    type.id = TypeId::kLargeBinary;
    return type;
  }
  if (const auto type = type_with_parameters(format)) {
    return *type;
  }
  return invalid_argument("the Arrow format '{}' has no counterpart among Forebay's column types",
                          format.substr(0, 64));
}

std::string format_of(const ColumnType& type) {
  switch (type.id) {
    case TypeId::kFixedBinary:
      return fmt::format("w:{}", type.byte_width);
    case TypeId::kFixedSizeList:
      return fmt::format("+w:{}", type.list_size);
    case TypeId::kDecimal128:
      return fmt::format("d:{},{}", type.precision, type.scale);
    case TypeId::kTimestamp:
      return fmt::format("ts{}:{}", kUnitLetters[static_cast<size_t>(type.unit)], type.timezone);
    case TypeId::kDictionary: {
      ColumnType index;
      index.id = type.index_id;
      return format_of(index);
    }
    default:
      break;
  }
  for (const Plain& plain : kPlain) {
    if (plain.id == type.id && (!has_own_unit(type.id) || plain.unit == type.unit)) {
      return plain.format;
    }
  }
  return "n";
}

bool is_text_view(std::string_view format) {
  return format == "vu" || format == "vz";
}

}  // namespace forebay::exchange
