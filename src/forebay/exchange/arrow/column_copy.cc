#include "forebay/exchange/arrow/column_copy.h"

#include "forebay/base/metrics/metrics.h"
#include "forebay/exchange/arrow/time_columns.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/column_builder.h"

namespace forebay::exchange {
namespace {

using tensor::BufferRange;
using tensor::Column;
using tensor::DType;
using tensor::Tensor;

Result<BufferRange> copied_range(const BufferRange& range) {
  if (!range.is_present()) {
    return BufferRange();
  }
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(range.size_bytes));
  memory::copy(buffer->data(), range.data(), range.size_bytes);
  return BufferRange(std::move(buffer), 0, range.size_bytes);
}

Result<Column> bits_of(const Tensor& bools) {
  const auto values = bools.view().span<bool>();
  tensor::ColumnBuilder builder(tensor::column_type(tensor::TypeId::kBool));
  builder.reserve(static_cast<int64_t>(values.size()));
  for (const bool value : values) {
    builder.append_bool(value);
  }
  counter("bytes_copied").add(values.size());
  return builder.finish();
}

// Expands the bits of a column of bools to bytes.
Result<Tensor> bytes_of(const Column& bits) {
  const auto kind = bits.memory_kind();
  if (!kind || !memory::is_host_accessible(*kind)) {
    return failed_precondition("the bools of a column that is not in host memory cannot become an array");
  }
  if (bits.count_nulls() != 0) {
    return invalid_argument("a column with {} nulls cannot become a tensor", bits.count_nulls());
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor bytes, Tensor::allocate({tensor::Shape{bits.length}, DType::kBool, {}}));
  auto* const values = static_cast<bool*>(bytes.mutable_data());
  for (int64_t row = 0; row < bits.length; ++row) {
    values[row] = bits.bool_at(row);
  }
  counter("bytes_copied").add(static_cast<uint64_t>(bits.length));
  return bytes;
}

struct Part {
  Tensor tensor;
  bool is_copied = false;
};

Result<Part> part_of(const Column& chunk, bool may_copy) {
  if (time_type_of(*chunk.type)) {
    FOREBAY_ASSIGN_OR_RETURN(TimeCounts times, counts_of_times(chunk, may_copy));
    return Part{std::move(times.counts), times.is_copied};
  }
  const bool has_bits = may_copy && chunk.type->id == tensor::TypeId::kBool;
  FOREBAY_ASSIGN_OR_RETURN(Tensor tensor, has_bits ? bytes_of(chunk) : tensor::tensor_of(chunk));
  return Part{std::move(tensor), has_bits};
}

Result<Part> nothing_of(const tensor::ColumnType& type, bool may_copy) {
  const DType dtype = time_type_of(type) ? DType::kInt64 : tensor::dtype_of(type.id);
  if (dtype == DType::kNone || (dtype == DType::kBool && !may_copy)) {
    return invalid_argument("an empty column of {} has no array", type.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor nothing, Tensor::allocate({tensor::Shape{0}, dtype, {}}));
  return Part{std::move(nothing), dtype == DType::kBool};
}

// Joins the chunks.
Result<Part> joined(const std::vector<Part>& parts) {
  tensor::TensorSpec spec = parts.front().tensor.spec();
  for (size_t i = 1; i < parts.size(); ++i) {
    spec.shape[0] += parts[i].tensor.shape()[0];
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor whole, Tensor::allocate(spec));
  auto* target = static_cast<std::byte*>(whole.mutable_data());
  for (const Part& part : parts) {
    memory::copy(target, part.tensor.data(), part.tensor.size_bytes());
    target += part.tensor.size_bytes();
  }
  return Part{std::move(whole), true};
}

Result<Part> whole_of(const ColumnChunks& column, bool may_copy) {
  if (column.chunks.empty()) {
    return nothing_of(*column.field.type, may_copy);
  }
  if (column.chunks.size() > 1 && !may_copy) {
    return failed_precondition("a column of {} chunks needs a copy to become an array", column.chunks.size());
  }
  std::vector<Part> parts;
  for (const Column& chunk : column.chunks) {
    FOREBAY_ASSIGN_OR_RETURN(Part part, part_of(chunk, may_copy));
    parts.push_back(std::move(part));
  }
  return parts.size() == 1 ? std::move(parts.front()) : joined(parts);
}

}  // namespace

Result<Column> copied(const Column& column) {
  const auto kind = column.memory_kind();
  if (!kind || !memory::is_host_accessible(*kind)) {
    return failed_precondition("only columns in host memory can be copied");
  }
  Column copy = column;
  for (BufferRange& range : copy.buffers) {
    FOREBAY_ASSIGN_OR_RETURN(range, copied_range(range));
  }
  for (tensor::ColumnRef& child : copy.children) {
    FOREBAY_ASSIGN_OR_RETURN(Column own, copied(*child));
    child = std::make_shared<const Column>(std::move(own));
  }
  if (copy.dictionary != nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(Column own, copied(*copy.dictionary));
    copy.dictionary = std::make_shared<const Column>(std::move(own));
  }
  return copy;
}

Result<ColumnChunks> with_child(const ColumnChunks& table, int64_t place, const Column& child) {
  ColumnChunks result = table;
  auto type = std::make_shared<tensor::ColumnType>(*table.field.type);
  type->children[static_cast<size_t>(place)].type = child.type;
  result.field.type = type;
  int64_t first = 0;
  for (Column& chunk : result.chunks) {
    FOREBAY_ASSIGN_OR_RETURN(const tensor::Table columns, tensor::Table::from_struct(chunk));
    chunk = columns.as_struct();
    FOREBAY_ASSIGN_OR_RETURN(Column part, child.slice(first, chunk.length));
    chunk.children[static_cast<size_t>(place)] = std::make_shared<const Column>(std::move(part));
    chunk.type = type;
    first += chunk.length;
  }
  return result;
}

Result<StridedArray> array_of(const ColumnChunks& column, bool may_copy) {
  FOREBAY_ASSIGN_OR_RETURN(const Part whole, whole_of(column, may_copy));
  FOREBAY_ASSIGN_OR_RETURN(StridedArray array, array_of(whole.tensor));
  array.is_read_only = !whole.is_copied;
  array.is_copied = whole.is_copied;
  array.time = time_type_of(*column.field.type);
  if (array.time) {
    array.type = kTimeElement;
  }
  return array;
}

Result<Column> column_of(const StridedArray& array, bool may_copy) {
  if (!array.is_on_host()) {
    return failed_precondition("an array on device type {} cannot become a column", array.device.device_type);
  }
  if (array.type.code == dlpack::kBool && !may_copy) {
    return failed_precondition(
        "the bools of a column are bits: an array of bools needs a copy to become a column");
  }
  FOREBAY_RETURN_IF_ERROR(wait_until_readable(array));
  if (array.time) {
    FOREBAY_ASSIGN_OR_RETURN(const Tensor counts, tensor_of(as_numbers(array), may_copy));
    return column_of_times(counts, *array.time, may_copy);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Tensor tensor, tensor_of(array, may_copy));
  if (tensor.dtype() == DType::kBool && tensor.shape().rank() == 1) {
    return bits_of(tensor);
  }
  return tensor::column_of(tensor);
}

}  // namespace forebay::exchange
