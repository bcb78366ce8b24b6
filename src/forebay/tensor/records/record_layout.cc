#include "forebay/tensor/records/record_layout.h"

#include <algorithm>
#include <set>

#include "forebay/base/round_up.h"

namespace forebay::tensor {
namespace {

Status check_field(const RecordField& field, int64_t stride_bytes) {
  if (field.dtype == DType::kNone || size_of(field.dtype) == 0) {
    return invalid_argument("field '{}' has no element type", field.name);
  }
  if (field.count < 1 || field.count > kMaxRecordBytes) {
    return invalid_argument("field '{}' has {} elements", field.name, field.count);
  }
  if (field.row.rank() != 0 && field.row.checked_volume() != field.count) {
    return invalid_argument("field '{}' has {} elements, which do not fill the shape {}", field.name,
                            field.count, field.row.to_string());
  }
  if (field.offset_bytes < 0 || field.offset_bytes > stride_bytes - field.size_bytes()) {
    return invalid_argument("field '{}' of {} bytes at {} is not within a record of {}", field.name,
                            field.size_bytes(), field.offset_bytes, stride_bytes);
  }
  return ok_status();
}

Status check_apart(const std::vector<RecordField>& fields) {
  std::vector<const RecordField*> sorted;
  std::set<std::string_view> names;
  for (const RecordField& field : fields) {
    sorted.push_back(&field);
    if (!names.insert(field.name).second) {
      return invalid_argument("two fields are called '{}'", field.name);
    }
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const RecordField* a, const RecordField* b) { return a->offset_bytes < b->offset_bytes; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->offset_bytes + sorted[i - 1]->size_bytes() > sorted[i]->offset_bytes) {
      return invalid_argument("fields '{}' and '{}' overlap", sorted[i - 1]->name, sorted[i]->name);
    }
  }
  return ok_status();
}

// Sets the offsets one after the other; make() finds anything wrong with the fields.
Result<RecordLayout> placed(std::vector<RecordField> fields, bool is_aligned) {
  int64_t end = 0;
  int64_t widest = 1;
  for (RecordField& field : fields) {
    const bool is_sound = field.dtype != DType::kNone && field.count >= 1 && field.count <= kMaxRecordBytes;
    const int64_t alignment = is_aligned && is_sound ? static_cast<int64_t>(size_of(field.dtype)) : 1;
    field.offset_bytes = round_up(end, alignment);
    end = field.offset_bytes + (is_sound ? field.size_bytes() : 0);
    widest = std::max(widest, alignment);
  }
  const int64_t stride = round_up(end, widest);
  return RecordLayout::make(std::move(fields), stride);
}

}  // namespace

Result<RecordLayout> RecordLayout::make(std::vector<RecordField> fields, int64_t stride_bytes) {
  if (fields.empty() || static_cast<int64_t>(fields.size()) > kMaxRecordFields) {
    return invalid_argument("a record of {} fields; it has 1 to {}", fields.size(), kMaxRecordFields);
  }
  if (stride_bytes < 1 || stride_bytes > kMaxRecordBytes) {
    return invalid_argument("a record of {} bytes; it has 1 to {}", stride_bytes, kMaxRecordBytes);
  }
  for (RecordField& field : fields) {
    FOREBAY_RETURN_IF_ERROR(check_field(field, stride_bytes));
    if (field.is_array()) {
      field.row = field.extents();
    }
  }
  FOREBAY_RETURN_IF_ERROR(check_apart(fields));
  return RecordLayout(std::move(fields), stride_bytes);
}

Result<RecordLayout> RecordLayout::packed(std::vector<RecordField> fields) {
  return placed(std::move(fields), /*is_aligned=*/false);
}

Result<RecordLayout> RecordLayout::aligned(std::vector<RecordField> fields) {
  return placed(std::move(fields), /*is_aligned=*/true);
}

int64_t RecordLayout::payload_bytes() const {
  int64_t bytes = 0;
  for (const RecordField& field : fields_) {
    bytes += field.size_bytes();
  }
  return bytes;
}

int RecordLayout::find(std::string_view name) const {
  for (int i = 0; i < field_count(); ++i) {
    if (fields_[i].name == name) {
      return i;
    }
  }
  return -1;
}

}  // namespace forebay::tensor
