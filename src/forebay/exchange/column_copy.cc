#include "forebay/exchange/column_copy.h"

#include "forebay/base/metrics.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/column_builder.h"

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

// The bits of a column of bools, a byte each.
Result<Tensor> bytes_of(const Column& bits) {
  const auto kind = bits.memory_kind();
  if (!kind || !memory::is_host_accessible(*kind)) {
    return failed_precondition("the bools of a column that is not in host memory become no array");
  }
  if (bits.count_nulls() != 0) {
    return invalid_argument("a column with {} nulls is no tensor", bits.count_nulls());
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor bytes, Tensor::allocate({tensor::Shape{bits.length}, DType::kBool, {}}));
  auto* const values = static_cast<bool*>(bytes.mutable_data());
  for (int64_t row = 0; row < bits.length; ++row) {
    values[row] = bits.bool_at(row);
  }
  counter("bytes_copied").add(static_cast<uint64_t>(bits.length));
  return bytes;
}

// The chunks, one after another.
Result<Tensor> joined(const std::vector<Tensor>& parts) {
  tensor::TensorSpec spec = parts.front().spec();
  for (size_t i = 1; i < parts.size(); ++i) {
    spec.shape[0] += parts[i].shape()[0];
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor whole, Tensor::allocate(spec));
  auto* target = static_cast<std::byte*>(whole.mutable_data());
  for (const Tensor& part : parts) {
    memory::copy(target, part.data(), part.size_bytes());
    target += part.size_bytes();
  }
  return whole;
}

}  // namespace

Result<Column> copied(const Column& column) {
  const auto kind = column.memory_kind();
  if (!kind || !memory::is_host_accessible(*kind)) {
    return failed_precondition("only columns in host memory are copied");
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

Result<StridedArray> array_of(const ColumnChunks& column, bool may_copy) {
  std::vector<Tensor> parts;
  const bool has_bits = may_copy && column.field.type->id == tensor::TypeId::kBool;
  for (const Column& chunk : column.chunks) {
    FOREBAY_ASSIGN_OR_RETURN(Tensor part, has_bits ? bytes_of(chunk) : tensor::tensor_of(chunk));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    const DType dtype = tensor::dtype_of(column.field.type->id);
    if (dtype == DType::kNone || (dtype == DType::kBool && !has_bits)) {
      return invalid_argument("an empty column of {} has no array", column.field.type->to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(Tensor nothing, Tensor::allocate({tensor::Shape{0}, dtype, {}}));
    parts.push_back(std::move(nothing));
  }
  if (parts.size() > 1) {
    if (!may_copy) {
      return failed_precondition("a column of {} chunks becomes an array only by a copy", parts.size());
    }
    FOREBAY_ASSIGN_OR_RETURN(Tensor whole, joined(parts));
    FOREBAY_ASSIGN_OR_RETURN(StridedArray array, array_of(whole));
    array.is_copied = true;
    return array;
  }
  FOREBAY_ASSIGN_OR_RETURN(StridedArray array, array_of(parts.front()));
  array.is_read_only = !has_bits;
  array.is_copied = has_bits;
  return array;
}

Result<Column> column_of(const StridedArray& array, bool may_copy) {
  if (!array.is_on_host()) {
    return failed_precondition("an array on device type {} becomes no column here", array.device.device_type);
  }
  if (array.type.code == dlpack::kBool && !may_copy) {
    return failed_precondition(
        "the bools of a column are bits: an array of them becomes a column only by a copy");
  }
  FOREBAY_RETURN_IF_ERROR(wait_until_readable(array));
  FOREBAY_ASSIGN_OR_RETURN(const Tensor tensor, tensor_of(array, may_copy));
  if (tensor.dtype() == DType::kBool && tensor.shape().rank() == 1) {
    return bits_of(tensor);
  }
  return tensor::column_of(tensor);
}

}  // namespace forebay::exchange
