// Records (arrays of structures) at a border: what PEP 3118's formats "T{...}" say, which NumPy's structured
// arrays and ctypes' structures have.
//
// Source: PEP 3118 and the `struct` module's codes; what both leave open (padding, names, '^') as NumPy does
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/dlpack_abi.h"
#include "forebay/exchange/arrays/extents.h"
#include "forebay/tensor/records/record_layout.h"

namespace forebay::exchange {

inline constexpr size_t kMaxFormatBytes = size_t{1} << 18;
inline constexpr int kMaxRecordDepth = 16;
inline constexpr int kMaxMemberRank = 16;

/// One number, bool or text, or an array of them, in each record. A record within a record is taken apart:
/// its members are named "outer.inner", and where it is an array they have its extents in front.
struct RecordMember {
  std::string name;
  dlpack::DataType type;  // of text: its characters, uint8 or uint32, which are its last extent
  Extents shape;          // empty: one element
  Extents strides_bytes;  // as long as `shape`
  int64_t offset_bytes = 0;
};

/// Immutable.
struct RecordType {
  std::string format;      // "T{...}", as it came, with all padding at the end
  int64_t item_bytes = 0;  // of one record, padding included
  std::vector<RecordMember> members;

  /// The member of that name, or null.
  const RecordMember* find(std::string_view name) const;
};

using RecordTypeRef = std::shared_ptr<const RecordType>;

/// True for formats that are those of records.
bool is_record_format(std::string_view format);

/// Reads a format of records of `item_bytes` bytes; what is missing at the end is padding, unless the format
/// names a byte order: then it is somebody's who leaves out other padding too. invalid_argument, with the
/// place, for one that is broken, does not describe as many bytes, has objects, pointers, bit fields or
/// numbers of foreign byte order, two members of one name, or exceeds the limits above or those of
/// tensor::RecordLayout.
Result<RecordTypeRef> parse_record_format(std::string_view format, int64_t item_bytes);

/// A layout as a record type: what no field covers is padding.
Result<RecordTypeRef> record_type_of(const tensor::RecordLayout& layout);

/// The layout for conversion to columns. invalid_argument for members that it has not: complex numbers,
/// arrays that do not lie in a piece or have more than tensor::kMaxRank dimensions.
Result<tensor::RecordLayout> record_layout_of(const RecordType& type);

}  // namespace forebay::exchange
