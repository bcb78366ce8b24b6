#include "forebay/tensor/records/convert_records.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "forebay/base/round_up.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/copy_past_cache.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/tensor/records/record_windows.h"

namespace forebay::tensor {
namespace {

bool is_aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % memory::kAlignment == 0;
}

template <class Column>
Status check_sizes(const RecordLayout& layout, size_t record_bytes, std::span<const Column> columns) {
  const auto stride = static_cast<size_t>(layout.stride_bytes());
  if (record_bytes % stride != 0) {
    return invalid_argument("{} bytes are not a whole number of records of {}", record_bytes, stride);
  }
  if (columns.size() != layout.fields().size()) {
    return invalid_argument("{} columns for {} fields", columns.size(), layout.field_count());
  }
  const size_t count = record_bytes / stride;
  for (size_t i = 0; i < columns.size(); ++i) {
    const RecordField& field = layout.fields()[i];
    if (!columns[i].empty() && columns[i].size() < count * field.size_bytes()) {
      return invalid_argument("column '{}' has {} bytes; {} records need {}", field.name, columns[i].size(),
                              count, count * field.size_bytes());
    }
  }
  return ok_status();
}

template <class Column>
std::vector<bool> wanted_of(std::span<const Column> columns) {
  std::vector<bool> wanted;
  for (const Column& column : columns) {
    wanted.push_back(!column.empty());
  }
  return wanted;
}

// Whether records consist of one field only: then both forms have the same bytes.
bool is_one_field(const RecordLayout& layout) {
  return layout.field_count() == 1 && layout.fields()[0].size_bytes() == layout.stride_bytes();
}

// The number of records in whole tiles among `count`.
int64_t whole_tiles(int64_t count) {
  return std::max<int64_t>(0, count) / kRecordTile * kRecordTile;
}

bool should_stream(Stores stores, int64_t output_bytes) {
  return stores == Stores::kStreaming || (stores == Stores::kAuto && output_bytes >= kStreamingBytes);
}

}  // namespace

Status split_records(const RecordLayout& layout, Bytes records, std::span<const MutableBytes> columns,
                     Stores stores) {
  FOREBAY_RETURN_IF_ERROR(check_sizes(layout, records.size(), columns));
  const int64_t stride = layout.stride_bytes();
  const int64_t count = static_cast<int64_t>(records.size()) / stride;
  if (is_one_field(layout)) {
    const size_t bytes = columns[0].empty() ? 0 : records.size();
    const auto copy =
        should_stream(stores, static_cast<int64_t>(bytes)) ? memory::copy_past_cache : memory::copy;
    copy(columns[0].data(), records.data(), bytes);
    return ok_status();
  }
  const WindowPlan plan = plan_split(layout, wanted_of(columns));
  bool stream = should_stream(stores, count * layout.payload_bytes());
  std::vector<std::byte*> starts;
  for (const MutableBytes& column : columns) {
    starts.push_back(column.empty() ? nullptr : column.data());
    stream = stream && is_aligned(column.data());
  }
  const int64_t done = whole_tiles(count - plan.spare_records);
  split_tiles({layout, plan, records.data(), starts.data(), done, stream});
  for (int i = 0; i < layout.field_count(); ++i) {
    const RecordField& field = layout.fields()[i];
    const int64_t width = field.size_bytes();
    if (!columns[i].empty()) {
      copy_elements(records.data() + done * stride + field.offset_bytes, stride, starts[i] + done * width,
                    width, width, count - done);
    }
  }
  return ok_status();
}

Status join_records(const RecordLayout& layout, std::span<const Bytes> columns, MutableBytes records,
                    Stores stores) {
  FOREBAY_RETURN_IF_ERROR(check_sizes(layout, records.size(), columns));
  const int64_t stride = layout.stride_bytes();
  const int64_t count = static_cast<int64_t>(records.size()) / stride;
  if (is_one_field(layout) && !columns[0].empty()) {
    const bool stream = should_stream(stores, static_cast<int64_t>(records.size()));
    const auto copy = stream ? memory::copy_past_cache : memory::copy;
    copy(records.data(), columns[0].data(), records.size());
    return ok_status();
  }
  const WindowPlan plan = plan_join(layout, wanted_of(columns));
  const bool stream = should_stream(stores, count * stride) && is_aligned(records.data());
  std::vector<const std::byte*> starts;
  for (const Bytes& column : columns) {
    starts.push_back(column.empty() ? nullptr : column.data());
  }
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef scratch,
                           memory::Buffer::allocate(records_at_once(layout) * stride + kWindowBytes));
  std::ranges::fill(scratch->mutable_bytes(), std::byte{0});
  const int64_t done = whole_tiles(count);
  join_tiles({layout, plan, starts.data(), records.data(), scratch->mutable_bytes().data(), done, stream});
  std::fill(records.begin() + done * stride, records.end(), std::byte{0});
  for (int i = 0; i < layout.field_count(); ++i) {
    const RecordField& field = layout.fields()[i];
    const int64_t width = field.size_bytes();
    if (!columns[i].empty()) {
      copy_elements(starts[i] + done * width, width, records.data() + done * stride + field.offset_bytes,
                    stride, width, count - done);
    }
  }
  return ok_status();
}

Result<ColumnPlaces> place_columns(const RecordLayout& layout, int64_t rows) {
  constexpr int64_t kPage = 4096;
  constexpr int64_t kMaxBytes = int64_t{1} << 62;
  if (rows < 0 || rows > kMaxBytes / layout.stride_bytes()) {
    return resource_exhausted("columns of {} records of {} bytes", rows, layout.stride_bytes());
  }
  ColumnPlaces places;
  int64_t end = 0;
  for (int i = 0; i < layout.field_count(); ++i) {
    const int64_t skew = i * kColumnSkewBytes % kPage;
    const int64_t within_page = end % kPage;
    end += (skew - within_page + kPage) % kPage;
    places.offsets_bytes.push_back(end);
    const int64_t bytes = rows * layout.fields()[i].size_bytes();
    end += round_up(bytes, memory::kAlignment);
  }
  places.total_bytes = end;
  return places;
}

}  // namespace forebay::tensor
