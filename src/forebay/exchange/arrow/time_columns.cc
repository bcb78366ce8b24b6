#include "forebay/exchange/arrow/time_columns.h"

#include <algorithm>
#include <limits>
#include <span>

#include "forebay/base/metrics/metrics.h"

namespace forebay::exchange {
namespace {

using tensor::BufferRange;
using tensor::Column;
using tensor::DType;
using tensor::Tensor;
using tensor::TypeId;

Result<Tensor> new_counts(int64_t length) {
  return Tensor::allocate({tensor::Shape{length}, DType::kInt64, {}});
}

void mark_valid(std::span<const int64_t> counts, std::span<std::byte> bits) {
  std::fill(bits.begin(), bits.end(), std::byte{0});
  for (size_t row = 0; row < counts.size(); ++row) {
    const bool is_valid = counts[row] != kNotATime;
    bits[row / 8] |= static_cast<std::byte>(static_cast<int>(is_valid) << (row % 8));
  }
}

// Marks missing times as null; the values stay unchanged.
Status add_nulls(std::span<const int64_t> counts, Column& column) {
  column.null_count = std::count(counts.begin(), counts.end(), kNotATime);
  if (column.null_count == 0) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef bits, memory::Buffer::allocate((counts.size() + 7) / 8));
  mark_valid(counts, bits->mutable_bytes());
  column.buffers[0] = BufferRange(std::move(bits));
  return ok_status();
}

Result<BufferRange> days_of_32_bits(std::span<const int64_t> counts) {
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer,
                           memory::Buffer::allocate(counts.size() * sizeof(int32_t)));
  auto* const days = static_cast<int32_t*>(buffer->data());
  for (size_t row = 0; row < counts.size(); ++row) {
    const bool fits = counts[row] >= std::numeric_limits<int32_t>::min() &&
                      counts[row] <= std::numeric_limits<int32_t>::max();
    if (!fits && counts[row] != kNotATime) {
      return invalid_argument("day {} of row {} needs more than the 32 bits of a date", counts[row], row);
    }
    days[row] = fits ? static_cast<int32_t>(counts[row]) : 0;
  }
  counter("bytes_copied").add(counts.size() * sizeof(int32_t));
  return BufferRange(std::move(buffer));
}

bool is_not_a_time_under_nulls(const Column& column) {
  const auto counts = column.values<int64_t>();
  for (int64_t row = 0; row < column.length; ++row) {
    if (column.is_null(row) && counts[static_cast<size_t>(row)] != kNotATime) {
      return false;
    }
  }
  return true;
}

// Reinterprets the same memory as plain numbers.
Result<Tensor> shared_counts(Column column) {
  column.type = tensor::column_type(TypeId::kInt64);
  column.buffers[0] = BufferRange();
  column.null_count = 0;
  return tensor::tensor_of(column);
}

template <class Number>
Result<Tensor> copied_counts(const Column& column) {
  FOREBAY_ASSIGN_OR_RETURN(Tensor counts, new_counts(column.length));
  const auto from = column.values<Number>();
  auto* const to = static_cast<int64_t*>(counts.mutable_data());
  for (int64_t row = 0; row < column.length; ++row) {
    to[row] = column.is_null(row) ? kNotATime : int64_t{from[static_cast<size_t>(row)]};
  }
  counter("bytes_copied").add(counts.size_bytes());
  return counts;
}

Status check_readable(const Column& column) {
  const auto kind = column.memory_kind();
  if (kind && memory::is_host_accessible(*kind)) {
    return ok_status();
  }
  return failed_precondition(
      "the dates and nulls of a column that is not in host memory cannot become an array");
}

}  // namespace

Result<Column> column_of_times(const Tensor& counts, TimeType type, bool may_copy) {
  if (counts.shape().rank() != 1) {
    return invalid_argument("times of {} dimensions cannot become a column, which has one",
                            counts.shape().rank());
  }
  if (type.kind == TimeKind::kDay && !may_copy) {
    return failed_precondition(
        "the days of a column have 32 bits: datetime64[D] needs a copy to become a column");
  }
  const auto values = counts.view().span<int64_t>();
  FOREBAY_ASSIGN_OR_RETURN(Column column, tensor::column_of(counts));
  column.type = column_type_of(type);
  FOREBAY_RETURN_IF_ERROR(add_nulls(values, column));
  if (type.kind == TimeKind::kDay) {
    FOREBAY_ASSIGN_OR_RETURN(column.buffers[1], days_of_32_bits(values));
  }
  return column;
}

Result<TimeCounts> counts_of_times(const Column& column, bool may_copy) {
  const bool has_days = column.type->id == TypeId::kDate32;
  if (has_days || column.null_count != 0) {
    FOREBAY_RETURN_IF_ERROR(check_readable(column));
  }
  const bool may_share = !has_days && (column.count_nulls() == 0 || is_not_a_time_under_nulls(column));
  if (may_share) {
    FOREBAY_ASSIGN_OR_RETURN(Tensor counts, shared_counts(column));
    return TimeCounts{std::move(counts), false};
  }
  if (!may_copy) {
    return failed_precondition("{} need a copy to become an array",
                               has_days ? "the days of a column, which have 32 bits,"
                                        : "times with nulls, for which NaT stands in an array,");
  }
  FOREBAY_ASSIGN_OR_RETURN(Tensor counts,
                           has_days ? copied_counts<int32_t>(column) : copied_counts<int64_t>(column));
  return TimeCounts{std::move(counts), true};
}

}  // namespace forebay::exchange
