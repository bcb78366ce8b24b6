// A column: values of one type in exactly Arrow's columnar layout, so any consumer of Arrow's C Data
// Interface can read it in place. All fields are public; code that fills in a column by hand calls validate()
// (validate_column.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/status.h"
#include "forebay/memory/buffer.h"
#include "forebay/tensor/columns/column_type.h"
#include "forebay/tensor/tensor.h"

namespace forebay::tensor {

/// A part of a buffer in any kind of memory; shares the buffer's ownership. Without an owner it is absent.
struct BufferRange {
  memory::BufferRef owner;
  size_t offset_bytes = 0;
  size_t size_bytes = 0;

  BufferRange() = default;
  BufferRange(memory::BufferRef whole)  // NOLINT: a buffer is a range of itself
      : owner(std::move(whole)), size_bytes(owner ? owner->size_bytes() : 0) {}
  BufferRange(memory::BufferRef whole, size_t offset, size_t size)
      : owner(std::move(whole)), offset_bytes(offset), size_bytes(size) {}

  bool is_present() const { return owner != nullptr; }
  /// nullptr if absent.
  const std::byte* data() const {
    return owner ? static_cast<const std::byte*>(owner->data()) + offset_bytes : nullptr;
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }
};

/// Returns bit `index` of a bitmap, least significant bit first.
inline bool bit_at(const void* bitmap, int64_t index) {
  return (static_cast<const uint8_t*>(bitmap)[index >> 3] >> (index & 7)) & 1;
}

inline constexpr int64_t kUnknownNullCount = -1;

struct Column;
using ColumnRef = std::shared_ptr<const Column>;

/// Corresponds to an ArrowArray with its ArrowSchema: rows [offset, offset + length) of the buffers and, for
/// kStruct and kFixedSizeList, of the children. Cheap to copy; shares buffers, children and dictionary. The
/// content is treated as immutable, so any number of threads may read it.
///
/// The accessors below read host memory and check neither row nor layout: the column must be valid
/// (ValidationLevel::kFull if it came from outside) and the row in [0, length).
struct Column {
  ColumnTypeRef type;
  int64_t length = 0;
  int64_t null_count = 0;  // of these rows; kUnknownNullCount: not counted yet
  int64_t offset = 0;
  // Type->buffer_count() buffers, in the order of ColumnLayout. The validity bitmap is absent if nothing is
  // null, other buffers if they would be empty.
  std::vector<BufferRange> buffers;
  std::vector<ColumnRef> children;  // in the order of type->children
  ColumnRef dictionary;             // the values of a kDictionary column, else null

  /// Returns rows [first, first + count) without a copy; out_of_range if they do not exist.
  Result<Column> slice(int64_t first, int64_t count) const;

  bool has_validity() const { return !buffers.empty() && buffers[0].is_present(); }
  bool is_null(int64_t row) const {
    return type->id == TypeId::kNull || (has_validity() && !bit_at(buffers[0].data(), offset + row));
  }
  /// Returns null_count, counting now if it is unknown.
  int64_t count_nulls() const;

  /// The values of a fixed-width column, including (unspecified) values of nulls; sizeof(T) must be
  /// value_width().
  template <class T>
  std::span<const T> values() const {
    FOREBAY_CHECK(type->layout() == ColumnLayout::kFixed && type->value_width() == sizeof(T));
    return {length == 0 ? nullptr : buffers[1].as<T>() + offset, static_cast<size_t>(length)};
  }
  /// For kBool.
  /// Entry `index` of the offsets, of the whole buffer: kText and kList.
  int64_t offset_at(int64_t index) const {
    return type->offset_width() == sizeof(int32_t) ? buffers[1].as<int32_t>()[index]
                                                   : buffers[1].as<int64_t>()[index];
  }
  bool bool_at(int64_t row) const { return bit_at(buffers[1].data(), offset + row); }
  /// For kText: the bytes of a row.
  std::string_view text_at(int64_t row) const;
  /// For lists of any kind: the rows of children[0] that make up a row, counted within the child's own slice.
  struct Range {
    int64_t first = 0;
    int64_t count = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  Range list_at(int64_t row) const;
  /// For kDictionary: the row of `dictionary`.
  int64_t index_at(int64_t row) const;

  /// The kind of memory that holds all buffers of this column and its children; kHost if there are none;
  /// nullopt if they are in several kinds of memory.
  std::optional<memory::MemoryKind> memory_kind() const;
};

/// Whether types, lengths, nulls and values are equal, regardless of where they are stored and how they are
/// sliced. Values under nulls are ignored, floats are compared bit by bit, dictionaries by the values they
/// represent. Both must be valid columns in host memory.
bool equal_values(const Column& a, const Column& b);

/// Makes a column over a tensor's memory, without a copy: rank 1 gives numbers, a higher rank one fixed-shape
/// tensor per row. invalid_argument for rank 0, for bools (a column's bools are bits) and for kNone.
Result<Column> column_of(const Tensor& tensor);

/// Makes a tensor over a column's memory, without a copy: numbers give rank 1, fixed-size lists (also nested)
/// a higher rank, with the shape of the tensor type if there is one. invalid_argument, with the reason, if
/// there are nulls, for bools, and for everything that is not of fixed width.
Result<Tensor> tensor_of(const Column& column);

}  // namespace forebay::tensor
