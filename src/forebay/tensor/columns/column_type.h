// The type of a column, in terms of Arrow's columnar format
// (https://arrow.apache.org/docs/format/Columnar.html), format version 1. Types are immutable and shared.
//
// Not supported: views (utf8_view, list_view), run-end encoding, unions, intervals, maps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"
#include "forebay/tensor/shape.h"

namespace forebay::tensor {

/// The numbers are part of the packed form (packed_table.h): only add at the end.
enum class TypeId : uint8_t {
  kNull = 0,  // no buffers; all values are null
  kBool = 1,  // one bit per value, least significant first
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUint8 = 6,
  kUint16 = 7,
  kUint32 = 8,
  kUint64 = 9,
  kFloat16 = 10,
  kFloat = 11,
  kFloat64 = 12,
  kFixedBinary = 13,  // byte_width bytes per value
  kDecimal128 = 14,   // precision, scale
  kDate32 = 15,       // days since 1970-01-01
  kDate64 = 16,       // milliseconds since 1970-01-01
  kTime32 = 17,       // seconds or milliseconds since midnight
  kTime64 = 18,       // microseconds or nanoseconds since midnight
  kTimestamp = 19,    // int64 units since 1970-01-01; timezone
  kDuration = 20,     // int64 units
  kUtf8 = 21,
  kLargeUtf8 = 22,  // "large": 64-bit offsets instead of 32-bit ones
  kBinary = 23,
  kLargeBinary = 24,
  kList = 25,
  kLargeList = 26,
  kFixedSizeList = 27,  // list_size elements per row; with a tensor shape, Arrow's fixed_shape_tensor
  kStruct = 28,
  kDictionary = 29,  // indices of type index_id into a column of type value_type
};
inline constexpr int kTypeIdCount = 30;

enum class TimeUnit : uint8_t { kSecond = 0, kMilli = 1, kMicro = 2, kNano = 3 };

struct ColumnType;
/// Never null where a header takes or returns one, unless documented.
using ColumnTypeRef = std::shared_ptr<const ColumnType>;

/// Keys and values of Arrow metadata, in order.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// A named child of a type, or a named column of a table.
struct Field {
  std::string name;
  ColumnTypeRef type;
  bool is_nullable = true;
  Metadata metadata = {};

  /// Compares names, types (recursively), nullability and metadata.
  friend bool operator==(const Field& a, const Field& b);
};

/// Arrow's canonical extension arrow.fixed_shape_tensor: the elements of a fixed-size list form a row-major
/// tensor of `shape`; logical axis i is physical axis permutation[i].
struct TensorShape {
  Shape shape;                         // physical shape of one row
  std::vector<std::string> dim_names;  // one per axis, or empty
  std::vector<int> permutation;        // one per axis, or empty

  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

/// How the values of a type are laid out in buffers. A column has the buffers in this order, with its
/// validity bitmap first.
enum class ColumnLayout : uint8_t {
  kNothing,    // no buffers
  kBits,       // validity, bits
  kFixed,      // validity, values of value_width() bytes
  kText,       // validity, offsets of offset_width() bytes, bytes
  kList,       // validity, offsets of offset_width() bytes; one child
  kFixedList,  // validity; one child with list_size elements per row
  kStruct,     // validity; one child per field
};

/// Only the members listed for the id in the comment of TypeId are used. Make types with the functions below,
/// or fill them in by hand (as importers do) and call check_type.
struct ColumnType {
  TypeId id = TypeId::kNull;
  int64_t byte_width = 0;  // kFixedBinary
  int64_t list_size = 0;   // kFixedSizeList
  int precision = 0;       // kDecimal128: 1 to 38
  int scale = 0;
  TimeUnit unit = TimeUnit::kSecond;  // kTime32, kTime64, kTimestamp, kDuration
  std::string timezone;               // kTimestamp; empty: no time zone
  std::vector<Field> children;        // lists: one; kStruct: any number; others: none
  TypeId index_id = TypeId::kInt32;   // kDictionary: an integer type
  ColumnTypeRef value_type;           // kDictionary; else null
  bool is_ordered = false;            // kDictionary: whether the order of values is meaningful
  std::optional<TensorShape> tensor;  // kFixedSizeList

  ColumnLayout layout() const;
  int buffer_count() const;
  /// Bytes of a value for kFixed (for kDictionary: of an index), else 0.
  int64_t value_width() const;
  /// 4 or 8 for kText and kList, else 0.
  int offset_width() const;
  /// "int32", "list<utf8>", "dictionary<int32, utf8>", "tensor<float, 3x224x224>", ...
  std::string to_string() const;

  /// Compares recursively.
  friend bool operator==(const ColumnType& a, const ColumnType& b);
};

/// Limits on the nesting depth and the number of nodes of a type. Types from outside are checked against
/// them, so walking a type is bounded.
inline constexpr int kMaxTypeDepth = 64;
inline constexpr int64_t kMaxTypeNodes = int64_t{1} << 16;

/// invalid_argument, with the path of the child, unless all members are valid for their ids, recursively.
Status check_type(const ColumnType& type);

/// A type without parameters: kBool, numbers, dates, text, binary, kNull.
ColumnTypeRef column_type(TypeId id);
/// The column type of a number or bool; a column's bools are bits.
ColumnTypeRef column_type(DType dtype);
ColumnTypeRef fixed_binary_type(int64_t byte_width);
ColumnTypeRef decimal128_type(int precision, int scale);
ColumnTypeRef timestamp_type(TimeUnit unit, std::string timezone = {});
ColumnTypeRef duration_type(TimeUnit unit);
/// kTime32 for seconds and milliseconds, kTime64 for finer units.
ColumnTypeRef time_type(TimeUnit unit);
ColumnTypeRef list_type(ColumnTypeRef element, bool elements_nullable = true);
ColumnTypeRef large_list_type(ColumnTypeRef element, bool elements_nullable = true);
ColumnTypeRef fixed_size_list_type(ColumnTypeRef element, int64_t size, bool elements_nullable = true);
ColumnTypeRef struct_type(std::vector<Field> fields);
ColumnTypeRef dictionary_type(TypeId index_id, ColumnTypeRef value_type, bool is_ordered = false);
/// A fixed-size list of `dtype` with row shape `row`: Arrow's fixed_shape_tensor.
ColumnTypeRef tensor_type(DType dtype, const Shape& row);

std::string_view name_of(TypeId id);
bool is_integer(TypeId id);
/// kNone for every type other than numbers and bool.
DType dtype_of(TypeId id);

}  // namespace forebay::tensor
