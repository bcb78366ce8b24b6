// Reads protocol buffers field by field, for the few messages whose layout is known here. Nothing is
// allocated; what is found borrows the message. (Wire format: protobuf.dev/programming-guides/encoding.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

/// Reads a message field by field. Every read is checked; after an error nothing more is read.
class WireReader {
 public:
  explicit WireReader(Bytes bytes) : left_(bytes) {}

  bool is_at_end() const { return left_.empty(); }

  Result<uint64_t> varint() {
    uint64_t value = 0;
    for (size_t i = 0; i < std::min<size_t>(left_.size(), 10); ++i) {
      const auto byte = static_cast<uint64_t>(left_[i]);
      value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        left_ = left_.subspan(i + 1);
        return value;
      }
    }
    return data_loss("a damaged number");
  }

  Result<Bytes> take(uint64_t count) {
    if (count > left_.size()) {
      return data_loss("a field of {} bytes where {} are left", count, left_.size());
    }
    const Bytes taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

  /// Reads the next field's number and wire type.
  Status tag(uint64_t* number, uint64_t* type) {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t tag, varint());
    *number = tag >> 3;
    *type = tag & 7;
    return *number == 0 ? data_loss("a field without number") : ok_status();
  }

  Result<Bytes> length_delimited() {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, varint());
    return take(length);
  }

  Status skip(uint64_t type) {
    switch (type) {
      case kVarint:
        return varint().status();
      case kFixed64:
        return take(8).status();
      case kLengthDelimited:
        return length_delimited().status();
      case kFixed32:
        return take(4).status();
      default:
        return data_loss("a field of wire type {}", type);
    }
  }

 private:
  Bytes left_;
};

/// Calls `visit(bytes)` for every length-delimited field with that number.
template <class Visit>
Status for_each_message(Bytes message, uint64_t wanted, Visit&& visit) {
  WireReader reader(message);
  while (!reader.is_at_end()) {
    uint64_t number = 0;
    uint64_t type = 0;
    FOREBAY_RETURN_IF_ERROR(reader.tag(&number, &type));
    if (number != wanted || type != kLengthDelimited) {
      FOREBAY_RETURN_IF_ERROR(reader.skip(type));
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes body, reader.length_delimited());
    FOREBAY_RETURN_IF_ERROR(visit(body));
  }
  return ok_status();
}

}  // namespace forebay::dataset
