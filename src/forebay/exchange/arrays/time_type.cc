#include "forebay/exchange/arrays/time_type.h"

#include <array>

#include "forebay/exchange/byte_order.h"

namespace forebay::exchange {
namespace {

using tensor::TimeUnit;
using tensor::TypeId;

constexpr std::array<std::string_view, 4> kUnitNames = {"s", "ms", "us", "ns"};  // indexed by TimeUnit

std::string_view unit_of(TimeType type) {
  return type.kind == TimeKind::kDay ? "D" : kUnitNames[static_cast<size_t>(type.unit)];
}

std::optional<TimeType> type_in_unit(bool is_duration, std::string_view unit) {
  if (unit == "D" && !is_duration) {
    return TimeType{TimeKind::kDay};
  }
  for (size_t i = 0; i < kUnitNames.size(); ++i) {
    if (kUnitNames[i] == unit) {
      return TimeType{is_duration ? TimeKind::kDuration : TimeKind::kMoment, static_cast<TimeUnit>(i)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string name_of(TimeType type) {
  return fmt::format("{}[{}]", type.kind == TimeKind::kDuration ? "timedelta64" : "datetime64",
                     unit_of(type));
}

std::string typestring_of(TimeType type) {
  return fmt::format("{}{}8[{}]", kNativeOrder, type.kind == TimeKind::kDuration ? 'm' : 'M', unit_of(type));
}

std::optional<TimeType> time_type_of(std::string_view typestring) {
  constexpr size_t kHead = std::string_view("<M8[").size();
  if (typestring.size() <= kHead || typestring.back() != ']' || typestring.substr(2, 2) != "8[") {
    return std::nullopt;
  }
  const bool is_native = typestring[0] == kNativeOrder || typestring[0] == '=';
  const bool is_time = typestring[1] == 'M' || typestring[1] == 'm';
  if (!is_native || !is_time) {
    return std::nullopt;
  }
  return type_in_unit(typestring[1] == 'm', typestring.substr(kHead, typestring.size() - kHead - 1));
}

tensor::ColumnTypeRef column_type_of(TimeType type) {
  switch (type.kind) {
    case TimeKind::kDay:
      return tensor::column_type(TypeId::kDate32);
    case TimeKind::kDuration:
      return tensor::duration_type(type.unit);
    default:
      return tensor::timestamp_type(type.unit);
  }
}

std::optional<TimeType> time_type_of(const tensor::ColumnType& type) {
  switch (type.id) {
    case TypeId::kDate32:
      return TimeType{TimeKind::kDay};
    case TypeId::kDate64:
      return TimeType{TimeKind::kMoment, TimeUnit::kMilli};
    case TypeId::kTimestamp:
      return TimeType{TimeKind::kMoment, type.unit};
    case TypeId::kDuration:
      return TimeType{TimeKind::kDuration, type.unit};
    default:
      return std::nullopt;
  }
}

}  // namespace forebay::exchange
