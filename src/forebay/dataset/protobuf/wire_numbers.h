// The values of repeated numbers, packed or not.
#pragma once

#include <cstring>
#include <type_traits>

#include "forebay/dataset/protobuf/wire_reader.h"

namespace forebay::dataset {

/// Calls `take(value)` for each value of one occurrence of a repeated field, whose tag has been read: varints
/// as integers, or floats of 32 bits.
template <class T, class Take>
Status take_numbers(WireReader& reader, uint64_t type, Take&& take) {
  constexpr bool kIsFloat = std::is_floating_point_v<T>;
  const auto one = [&take](WireReader& from) -> Status {
    if constexpr (kIsFloat) {
      FOREBAY_ASSIGN_OR_RETURN(const Bytes bytes, from.take(sizeof(T)));
      T value;
      std::memcpy(&value, bytes.data(), sizeof(value));
      take(value);
    } else {
      FOREBAY_ASSIGN_OR_RETURN(const uint64_t value, from.varint());
      take(static_cast<T>(value));
    }
    return ok_status();
  };
  if (type == (kIsFloat ? kFixed32 : kVarint)) {
    return one(reader);
  }
  if (type != kLengthDelimited) {
    return data_loss("numbers of wire type {}", type);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Bytes body, reader.length_delimited());
  WireReader packed(body);
  while (!packed.is_at_end()) {
    FOREBAY_RETURN_IF_ERROR(one(packed));
  }
  return ok_status();
}

}  // namespace forebay::dataset
