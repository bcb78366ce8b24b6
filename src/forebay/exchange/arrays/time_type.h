// NumPy's datetime64 and timedelta64 at a border: 64-bit integers that count units of time. The smallest
// number means a missing time (NaT).
//
// Source: numpy.org/doc/stable/reference/arrays.datetime.html. Arrow has the same numbers, with nulls instead
// of NaT; its days are 32-bit numbers. DLPack and the buffer protocol have no times.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/tensor/columns/column_type.h"

namespace forebay::exchange {

/// The element type of times; their TimeType has the details. It is opaque, so a protocol that does not know
/// times cannot mistake them for numbers.
inline constexpr dlpack::DataType kTimeElement{dlpack::kOpaque, 64, 1};

/// What to do with protocols that have no times.
inline constexpr const char* kTimesAsNumbers = "hand over the numbers, array.view(\"int64\") in NumPy";

inline constexpr int64_t kNotATime = std::numeric_limits<int64_t>::min();

enum class TimeKind : uint8_t {
  kDay,       // since 1970-01-01; the unit is ignored
  kMoment,    // units since 1970-01-01, UTC
  kDuration,  // units
};

struct TimeType {
  TimeKind kind = TimeKind::kMoment;
  tensor::TimeUnit unit = tensor::TimeUnit::kSecond;

  friend bool operator==(const TimeType&, const TimeType&) = default;
};

/// "datetime64[ns]", "datetime64[D]", "timedelta64[s]": NumPy's name.
std::string name_of(TimeType type);

/// "<M8[ns]", in this machine's byte order.
std::string typestring_of(TimeType type);
/// nullopt if it is not a time, counts other units, or has foreign byte order.
std::optional<TimeType> time_type_of(std::string_view typestring);

/// date32, timestamp without time zone, or duration.
tensor::ColumnTypeRef column_type_of(TimeType type);
/// For dates, timestamps (the zone only affects display) and durations; nullopt for all others.
std::optional<TimeType> time_type_of(const tensor::ColumnType& type);

}  // namespace forebay::exchange
