// Thrift's compact protocol, of which Parquet's metadata is made.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
//
// Readers of values return zeros from the first mistake on, and failed() says that there was one: whoever
// reads a message checks once, at its end. No number from outside decides what is allocated: a list has at
// most as many elements as bytes are left.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"

namespace forebay::dataset {

class ThriftReader {
 public:
  /// The types of fields that Parquet uses; the numbers are the protocol's.
  enum Type : uint8_t {
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kI16 = 4,
    kI32 = 5,
    kI64 = 6,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStruct = 12
  };

  explicit ThriftReader(Bytes bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  /// How many bytes have been read.
  size_t position() const { return position_; }

  /// Reads a struct: calls `field` for each of its fields, which must read or skip() the value.
  void structure(absl::FunctionRef<void(int16_t id, uint8_t type)> field);
  /// Reads a list whose elements are of `element`: calls `each` for each of them.
  void list(uint8_t type, uint8_t element, absl::FunctionRef<void()> each);

  /// Reads the value of a field of this type; any other type than an integer, a truth or a text is a mistake.
  int64_t integer(uint8_t type);
  bool boolean(uint8_t type);
  std::string text(uint8_t type);
  /// The same of an element of a list.
  int64_t integer_element() { return zigzag(); }
  std::string text_element();

  void skip(uint8_t type);
  void fail() { failed_ = true; }

 private:
  uint8_t byte();
  uint64_t varint();
  int64_t zigzag();
  void skip_bytes(uint64_t count);
  void skip_elements(uint8_t type);

  Bytes bytes_;
  size_t position_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace forebay::dataset
