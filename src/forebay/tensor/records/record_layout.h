// Records, an array of structures (AoS): how the fields of one record are laid out in its bytes, described at
// run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"
#include "forebay/tensor/shape.h"

namespace forebay::tensor {

/// `count` consecutive elements of `dtype`, `offset_bytes` from the start of the record. No alignment is
/// required. Bools are bytes. `row` gives the extents of an array, row-major; if it is empty, several
/// elements form one axis and a single one is a number.
struct RecordField {
  std::string name;
  DType dtype = DType::kNone;
  int64_t count = 1;
  int64_t offset_bytes = 0;
  Shape row = {};  // has volume `count`, or no axes

  bool is_array() const { return count != 1 || row.rank() != 0; }
  /// `row`, or the single axis it stands for.
  Shape extents() const { return row.rank() == 0 ? Shape{count} : row; }
  int64_t size_bytes() const { return count * static_cast<int64_t>(size_of(dtype)); }
  friend bool operator==(const RecordField&, const RecordField&) = default;
};

inline constexpr int64_t kMaxRecordFields = 4096;
inline constexpr int64_t kMaxRecordBytes = int64_t{1} << 20;

/// Immutable. Bytes not covered by a field are padding.
class RecordLayout {
 public:
  /// invalid_argument unless there is at least one field, all lie within `stride_bytes`, none overlap, and
  /// names are distinct.
  static Result<RecordLayout> make(std::vector<RecordField> fields, int64_t stride_bytes);
  /// Places the fields back to back in this order, without padding; sets their offsets.
  static Result<RecordLayout> packed(std::vector<RecordField> fields);
  /// Places the fields as a C compiler would: each aligned to its element, the record to the widest.
  static Result<RecordLayout> aligned(std::vector<RecordField> fields);

  const std::vector<RecordField>& fields() const { return fields_; }
  int field_count() const { return static_cast<int>(fields_.size()); }
  int64_t stride_bytes() const { return stride_bytes_; }
  /// Bytes of a record that are not padding.
  int64_t payload_bytes() const;
  /// The field with that name, or -1.
  int find(std::string_view name) const;

  friend bool operator==(const RecordLayout&, const RecordLayout&) = default;

 private:
  RecordLayout(std::vector<RecordField> fields, int64_t stride_bytes)
      : fields_(std::move(fields)), stride_bytes_(stride_bytes) {}

  std::vector<RecordField> fields_;
  int64_t stride_bytes_;
};

// ---- C++ structures: record_layout_of(member("x", &Point::x), member("tags", &Point::tags))

template <class T>
struct MemberElement {
  using type = T;
  static constexpr int64_t kCount = 1;
  static void add_extents(Shape&) {}
};
template <class T, size_t size>
struct MemberElement<T[size]> {
  using type = typename MemberElement<T>::type;
  static constexpr int64_t kCount = MemberElement<T>::kCount * size;
  static void add_extents(Shape& row) {
    row.push_back(size);
    MemberElement<T>::add_extents(row);
  }
};
template <class T, size_t size>
struct MemberElement<std::array<T, size>> : MemberElement<T[size]> {};

/// The element type for any arithmetic or enumeration type of up to 8 bytes, and for Float16.
template <class T>
constexpr DType dtype_of_element() {
  if constexpr (std::is_enum_v<T>) {
    return dtype_of_element<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return DType::kBool;
  } else if constexpr (std::is_same_v<T, Float16>) {
    return DType::kFloat16;
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) <= sizeof(double), "no element type is wider than 8 bytes");
    return sizeof(T) == sizeof(float) ? DType::kFloat : DType::kFloat64;
  } else {
    static_assert(std::is_integral_v<T>, "a field is a number, a bool, an enumeration, or an array of them");
    constexpr DType kSigned[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
    constexpr DType kUnsigned[] = {DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64};
    constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kLog] : kUnsigned[kLog];
  }
}

/// A structure's member and its field name. A constant expression; all but the offset is known at compile
/// time.
template <class Record, class Member>
struct MemberField {
  static_assert(std::is_trivially_copyable_v<Record> && std::is_standard_layout_v<Record>);
  using Element = std::remove_cv_t<typename MemberElement<Member>::type>;
  static constexpr DType kDType = dtype_of_element<Element>();
  static constexpr int64_t kCount = MemberElement<Member>::kCount;

  std::string_view name;
  Member Record::*member;

  RecordField field() const {
    alignas(Record) static constexpr std::byte kPlace[sizeof(Record)] = {};
    const auto* record = reinterpret_cast<const Record*>(kPlace);
    const auto* at = reinterpret_cast<const std::byte*>(&(record->*member));
    RecordField field{std::string(name), kDType, kCount, at - kPlace};
    MemberElement<Member>::add_extents(field.row);
    return field;
  }
};

template <class Record, class Member>
constexpr MemberField<Record, Member> member(std::string_view name, Member Record::*member) {
  return {name, member};
}

/// The layout of `Record` with these members as fields; other members are padding.
template <class Record, class... Members>
Result<RecordLayout> record_layout_of(const MemberField<Record, Members>&... members) {
  return RecordLayout::make({members.field()...}, sizeof(Record));
}

}  // namespace forebay::tensor
