// Records (arrays of structures) at a border: PEP 3118's formats "T{...}", used by NumPy's structured arrays
// and ctypes' structures.
//
// Source: PEP 3118 and the `struct` module's codes. What both leave open (padding, names, '^') follows NumPy.
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

/// One number, bool or text, or an array of them, in each record. Nested records are flattened: their members
/// are named "outer.inner", and if the nested record is an array its extents come first.
struct RecordMember {
  std::string name;
  dlpack::DataType type;  // for text: its characters, uint8 or uint32, which form the last extent
  Extents shape;          // empty: one element
  Extents strides_bytes;  // as long as `shape`
  int64_t offset_bytes = 0;
};

/// Immutable.
struct RecordType {
  std::string format;      // "T{...}" as received, with all padding at the end
  int64_t item_bytes = 0;  // of one record, padding included
  std::vector<RecordMember> members;

  /// The member with that name, or null.
  const RecordMember* find(std::string_view name) const;
};

using RecordTypeRef = std::shared_ptr<const RecordType>;

/// Whether the format describes records.
bool is_record_format(std::string_view format);

/// Parses a format of records of `item_bytes` bytes. Missing bytes at the end are padding, unless the format
/// names a byte order: then its author omits other padding, too. invalid_argument, with the position, for a
/// format that is malformed, describes another number of bytes, has objects, pointers, bit fields or numbers
/// of foreign byte order, has two members of one name, or exceeds the limits above or those of
/// tensor::RecordLayout.
Result<RecordTypeRef> parse_record_format(std::string_view format, int64_t item_bytes);

/// Makes a record type from a layout; bytes not covered by a field are padding.
Result<RecordTypeRef> record_type_of(const tensor::RecordLayout& layout);

/// The layout for conversion to columns. invalid_argument for members that a layout cannot have: complex
/// numbers, and arrays that are not contiguous or have more than tensor::kMaxRank dimensions.
Result<tensor::RecordLayout> record_layout_of(const RecordType& type);

}  // namespace forebay::exchange
