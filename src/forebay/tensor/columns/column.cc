#include "forebay/tensor/columns/column.h"

#include <bit>
#include <cstring>

namespace forebay::tensor {
namespace {

template <class T>
T load(const BufferRange& buffer, int64_t index) {
  return buffer.as<T>()[index];
}

int64_t load_offset(const Column& column, int64_t index) {
  return column.type->offset_width() == sizeof(int32_t) ? load<int32_t>(column.buffers[1], index)
                                                        : load<int64_t>(column.buffers[1], index);
}

// Counts the ones among bits [first, first + count).
int64_t count_ones(const uint8_t* bitmap, int64_t first, int64_t count) {
  int64_t ones = 0;
  int64_t bit = first;
  const int64_t end = first + count;
  for (; bit < end && bit % 8 != 0; ++bit) {
    ones += bit_at(bitmap, bit);
  }
  constexpr int64_t kWordBits = 64;
  for (; bit + kWordBits <= end; bit += kWordBits) {
    uint64_t word;
    std::memcpy(&word, bitmap + bit / 8, sizeof(word));
    ones += std::popcount(word);
  }
  for (; bit < end; ++bit) {
    ones += bit_at(bitmap, bit);
  }
  return ones;
}

// Returns false if `column` has memory of another kind than `kind`, which the first buffer sets.
bool is_all_in(const Column& column, std::optional<memory::MemoryKind>& kind) {
  for (const BufferRange& buffer : column.buffers) {
    if (buffer.is_present() && kind.value_or(buffer.owner->kind()) != buffer.owner->kind()) {
      return false;
    }
    if (buffer.is_present()) {
      kind = buffer.owner->kind();
    }
  }
  for (const ColumnRef& child : column.children) {
    if (!is_all_in(*child, kind)) {
      return false;
    }
  }
  return column.dictionary == nullptr || is_all_in(*column.dictionary, kind);
}

}  // namespace

Result<Column> Column::slice(int64_t first, int64_t count) const {
  if (first < 0 || count < 0 || first > length || count > length - first) {
    return out_of_range("{} rows from row {} on, in a column of {}", count, first, length);
  }
  Column part = *this;
  part.offset += first;
  part.length = count;
  if (count != length && null_count != 0) {
    part.null_count = null_count == length ? count : kUnknownNullCount;
  }
  return part;
}

int64_t Column::count_nulls() const {
  if (null_count != kUnknownNullCount) {
    return null_count;
  }
  if (type->id == TypeId::kNull) {
    return length;
  }
  return has_validity() ? length - count_ones(buffers[0].as<uint8_t>(), offset, length) : 0;
}

std::string_view Column::text_at(int64_t row) const {
  const int64_t begin = load_offset(*this, offset + row);
  const int64_t end = load_offset(*this, offset + row + 1);
  return begin == end ? std::string_view() : std::string_view(buffers[2].as<char>() + begin, end - begin);
}

Column::Range Column::list_at(int64_t row) const {
  if (type->id == TypeId::kFixedSizeList) {
    return {(offset + row) * type->list_size, type->list_size};
  }
  const int64_t begin = load_offset(*this, offset + row);
  return {begin, load_offset(*this, offset + row + 1) - begin};
}

int64_t Column::index_at(int64_t row) const {
  const int64_t at = offset + row;
  switch (type->index_id) {
    case TypeId::kInt8:
      return load<int8_t>(buffers[1], at);
    case TypeId::kInt16:
      return load<int16_t>(buffers[1], at);
    case TypeId::kInt32:
      return load<int32_t>(buffers[1], at);
    case TypeId::kUint8:
      return load<uint8_t>(buffers[1], at);
    case TypeId::kUint16:
      return load<uint16_t>(buffers[1], at);
    case TypeId::kUint32:
      return load<uint32_t>(buffers[1], at);
    default:  // a uint64 too large for int64 is past the end of every dictionary, and so is a negative index
      return load<int64_t>(buffers[1], at);
  }
}

std::optional<memory::MemoryKind> Column::memory_kind() const {
  std::optional<memory::MemoryKind> kind;
  if (!is_all_in(*this, kind)) {
    return std::nullopt;
  }
  return kind.value_or(memory::MemoryKind::kHost);
}

Result<Column> column_of(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (!tensor.is_valid() || shape.rank() == 0) {
    return invalid_argument("a column needs a tensor with at least one axis");
  }
  if (tensor.dtype() == DType::kBool || tensor.dtype() == DType::kNone) {
    return invalid_argument("a tensor of {} cannot become a column without a copy{}", name_of(tensor.dtype()),
                            tensor.dtype() == DType::kBool ? ": bools of a column are bits" : "");
  }
  Column elements{.type = column_type(tensor.dtype()), .length = tensor.volume()};
  elements.buffers = {{}, {tensor.buffer(), tensor.offset_bytes(), tensor.size_bytes()}};
  if (shape.rank() == 1) {
    return elements;
  }
  const Shape row(shape.extents().subspan(1));
  Column rows{.type = tensor_type(tensor.dtype(), row), .length = shape[0], .buffers = {BufferRange()}};
  rows.children = {std::make_shared<const Column>(std::move(elements))};
  return rows;
}

Result<Tensor> tensor_of(const Column& column) {
  Shape shape{column.length};
  Column part = column;
  while (true) {
    if (part.null_count == kUnknownNullCount && part.has_validity() &&
        !memory::is_host_accessible(part.buffers[0].owner->kind())) {
      return invalid_argument("the nulls of the column have not been counted, and it is not in host memory");
    }
    if (part.count_nulls() != 0) {
      return invalid_argument("a column with {} nulls cannot become a tensor", part.count_nulls());
    }
    if (part.type->id != TypeId::kFixedSizeList) {
      break;
    }
    const ColumnType& list = *part.type;
    const Shape row = list.tensor ? list.tensor->shape : Shape{list.list_size};
    if (shape.rank() + row.rank() > kMaxRank) {
      return invalid_argument("a tensor has at most {} axes", kMaxRank);
    }
    for (const int64_t extent : row.extents()) {
      shape.push_back(extent);
    }
    FOREBAY_ASSIGN_OR_RETURN(
        Column child, part.children[0]->slice(part.offset * list.list_size, part.length * list.list_size));
    part = std::move(child);
  }
  const DType dtype = dtype_of(part.type->id);
  if (dtype == DType::kNone || dtype == DType::kBool) {
    return invalid_argument("a column of {} cannot become a tensor{}", part.type->to_string(),
                            dtype == DType::kBool ? " without a copy: its bools are bits" : "");
  }
  if (!part.buffers[1].is_present()) {  // no rows
    return Tensor::allocate({shape, dtype, {}});
  }
  const size_t first = part.length == 0 ? 0 : part.offset * size_of(dtype);
  return Tensor(part.buffers[1].owner, part.buffers[1].offset_bytes + first, {shape, dtype, {}});
}

}  // namespace forebay::tensor
