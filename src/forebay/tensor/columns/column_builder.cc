#include "forebay/tensor/columns/column_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/columns/validate_column.h"

namespace forebay::tensor {
namespace {

constexpr size_t kPadding = memory::kAlignment;
constexpr size_t kMaxBytes = std::numeric_limits<int64_t>::max() / 4;

size_t padded(size_t bytes) {
  return round_up(bytes, kPadding);
}

// The largest index that an index type can hold.
int64_t max_index(TypeId id) {
  constexpr int kBits = 8;
  const auto width = static_cast<int>(size_of(dtype_of(id)));
  const int bits = kBits * width - (is_signed(dtype_of(id)) ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
}

}  // namespace

Status GrowingBytes::reserve(size_t size_bytes) {
  const size_t capacity = buffer_ ? buffer_->size_bytes() : 0;
  if (size_bytes <= capacity && buffer_) {
    return ok_status();
  }
  if (size_bytes > kMaxBytes) {
    return resource_exhausted("a column cannot have {} bytes", size_bytes);
  }
  FOREBAY_ASSIGN_OR_RETURN(
      memory::BufferRef larger,
      memory::Buffer::allocate(padded(std::max({size_bytes, 2 * capacity, kPadding})), resource_));
  memory::copy(larger->data(), data(), size_bytes_);
  buffer_ = std::move(larger);
  return ok_status();
}

Result<std::byte*> GrowingBytes::extend(size_t bytes) {
  if (bytes > kMaxBytes) {
    return resource_exhausted("a column cannot have {} bytes", bytes);
  }
  FOREBAY_RETURN_IF_ERROR(reserve(size_bytes_ + bytes));
  std::byte* const begin = data() + size_bytes_;
  size_bytes_ += bytes;
  return begin;
}

BufferRange GrowingBytes::finish() {
  if (!buffer_) {
    return {};
  }
  std::memset(data() + size_bytes_, 0, padded(size_bytes_) - size_bytes_);
  BufferRange range(std::move(buffer_), 0, size_bytes_);
  buffer_ = nullptr;
  size_bytes_ = 0;
  return range;
}

ColumnBuilder::ColumnBuilder(ColumnTypeRef type, std::shared_ptr<memory::MemoryResource> resource)
    : type_(std::move(type)),
      resource_(std::move(resource)),
      status_(check_type(*type_)),
      validity_(resource_),
      values_(resource_),
      text_(resource_) {
  if (!memory::is_host_accessible(resource_->kind())) {
    keep(failed_precondition("a column is built in host memory, not in '{}'", resource_->name()));
  }
  if (!status_.ok()) {
    return;
  }
  for (const Field& field : type_->children) {
    children_.push_back(std::make_unique<ColumnBuilder>(field.type, resource_));
  }
  if (type_->id == TypeId::kDictionary) {
    dictionary_ = std::make_unique<ColumnBuilder>(type_->value_type, resource_);
  }
}

// Keeps the first error. Returns true while there is none.
bool ColumnBuilder::keep(Status status) {
  if (status_.ok() && !status.ok()) {
    status_ = std::move(status);
  }
  return status_.ok();
}

bool ColumnBuilder::is_of(ColumnLayout layout, std::string_view call) {
  if (status_.ok() && type_->layout() != layout) {
    keep(invalid_argument("{} is not for a column of {}", call, type_->to_string()));
  }
  return status_.ok();
}

void ColumnBuilder::reserve(int64_t rows) {
  if (!status_.ok() || rows <= 0) {
    return;
  }
  const size_t width = type_->layout() == ColumnLayout::kFixed ? type_->value_width() : type_->offset_width();
  if (width > 0 && static_cast<size_t>(rows) < kMaxBytes / width) {
    keep(values_.reserve((rows + 1) * width));
  }
}

void ColumnBuilder::set_bits(GrowingBytes& bitmap, int64_t first, int64_t count, bool value) {
  const size_t had = bitmap.size_bytes();
  const auto needed = static_cast<size_t>((first + count + 7) / 8);
  if (needed > had) {
    const auto added = bitmap.extend(needed - had);
    if (!keep(added.status())) {
      return;
    }
    std::memset(*added, 0, needed - had);
  }
  if (!value) {
    return;
  }
  auto* const bytes = reinterpret_cast<uint8_t*>(bitmap.data());
  int64_t bit = first;
  while (bit < first + count) {
    if (bit % 8 == 0 && first + count - bit >= 8) {
      bytes[bit / 8] = 0xFF;
      bit += 8;
    } else {
      bytes[bit / 8] |= static_cast<uint8_t>(1 << (bit % 8));
      ++bit;
    }
  }
}

// Appends validity for `count` rows that are about to be counted.
void ColumnBuilder::append_validity(bool is_valid, int64_t count) {
  if (!is_valid && null_count_ == 0) {
    set_bits(validity_, 0, length_, true);
  }
  null_count_ += is_valid ? 0 : count;
  if (null_count_ > 0) {
    set_bits(validity_, length_, count, is_valid);
  }
  length_ += count;
}

void ColumnBuilder::append_values(const void* values, int64_t count, size_t width) {
  if (!is_of(ColumnLayout::kFixed, "append")) {
    return;
  }
  if (width != static_cast<size_t>(type_->value_width())) {
    keep(invalid_argument("a value of {} bytes for a column of {}", width, type_->to_string()));
    return;
  }
  const auto added = values_.extend(count * width);
  if (!keep(added.status())) {
    return;
  }
  if (count == 1) {
    std::memcpy(*added, values, width);  // copy: one value
  } else {
    memory::copy(*added, values, count * width);
  }
  append_validity(true, count);
}

void ColumnBuilder::append_bool(bool value) {
  if (is_of(ColumnLayout::kBits, "append_bool")) {
    set_bits(values_, length_, 1, value);
    append_validity(true);
  }
}

int64_t ColumnBuilder::text_end() const {
  return type_->layout() == ColumnLayout::kText ? static_cast<int64_t>(text_.size_bytes())
                                                : children_[0]->length();
}

// Appends the end offset of the row that is about to be counted; before the first row also the initial 0.
void ColumnBuilder::append_offset() {
  const size_t width = type_->offset_width();
  const int64_t end = text_end();
  if (width == sizeof(int32_t) && end > std::numeric_limits<int32_t>::max()) {
    keep(resource_exhausted("a column of {} holds at most 2 GiB; use the large type", type_->to_string()));
    return;
  }
  const auto added = values_.extend(length_ == 0 ? 2 * width : width);
  if (!keep(added.status())) {
    return;
  }
  std::byte* at = *added;
  if (length_ == 0) {
    std::memset(at, 0, width);
    at += width;
  }
  std::memcpy(at, &end, width);  // copy: one value; little-endian
}

void ColumnBuilder::append_index(int64_t index) {
  if (index > max_index(type_->index_id)) {
    keep(
        resource_exhausted("a dictionary of {} has no more than {} values", name_of(type_->index_id), index));
    return;
  }
  append_values(&index, 1, type_->value_width());
}

void ColumnBuilder::append_text(std::string_view value) {
  if (!status_.ok()) {
    return;
  }
  if (type_->id == TypeId::kFixedBinary) {
    append_values(value.data(), 1, value.size());
    return;
  }
  if (dictionary_ && dictionary_->type()->layout() == ColumnLayout::kText) {
    const auto [found, is_new] = known_.try_emplace(std::string(value), dictionary_->length());
    if (is_new) {
      dictionary_->append_text(value);
    }
    append_index(found->second);
    return;
  }
  if (!is_of(ColumnLayout::kText, "append_text")) {
    return;
  }
  const auto added = text_.extend(value.size());
  if (keep(added.status())) {
    memory::copy(*added, value.data(), value.size());
    append_offset();
    append_validity(true);
  }
}

void ColumnBuilder::close_row() {
  if (!status_.ok()) {
    return;
  }
  const ColumnLayout layout = type_->layout();
  if (layout == ColumnLayout::kList) {
    append_offset();
  } else if (layout == ColumnLayout::kStruct || layout == ColumnLayout::kFixedList) {
    const int64_t needed = (length_ + 1) * (layout == ColumnLayout::kStruct ? 1 : type_->list_size);
    for (size_t i = 0; i < children_.size(); ++i) {
      if (children_[i]->length() != needed) {
        keep(invalid_argument("row {} of {} closes with {} rows in child '{}' instead of {}", length_,
                              type_->to_string(), children_[i]->length(), type_->children[i].name, needed));
      }
    }
  } else {
    keep(invalid_argument("close_row is not for a column of {}", type_->to_string()));
  }
  if (status_.ok()) {
    append_validity(true);
  }
}

void ColumnBuilder::append_null() {
  if (!status_.ok()) {
    return;
  }
  const int64_t width = type_->value_width();
  switch (type_->layout()) {
    case ColumnLayout::kBits:
      set_bits(values_, length_, 1, false);
      break;
    case ColumnLayout::kFixed:
      if (const auto added = values_.extend(width); keep(added.status())) {
        std::memset(*added, 0, width);
      }
      break;
    case ColumnLayout::kText:
    case ColumnLayout::kList:
      append_offset();
      break;
    case ColumnLayout::kFixedList:
      for (int64_t i = 0; i < type_->list_size && children_[0]->status().ok(); ++i) {
        children_[0]->append_null();
      }
      break;
    case ColumnLayout::kStruct:
      for (const auto& child : children_) {
        child->append_null();
      }
      break;
    default:
      ++length_;
      ++null_count_;
      return;
  }
  append_validity(false);
}

Result<Column> ColumnBuilder::take() {
  FOREBAY_RETURN_IF_ERROR(status_);
  Column column{.type = type_, .length = length_, .null_count = null_count_};
  const int buffers = type_->buffer_count();
  if (buffers > 0) {
    column.buffers.push_back(validity_.finish());
  }
  if (buffers > 1) {
    column.buffers.push_back(values_.finish());
  }
  if (buffers > 2) {
    column.buffers.push_back(text_.finish());
  }
  for (const auto& child : children_) {
    FOREBAY_ASSIGN_OR_RETURN(Column part, child->finish());
    column.children.push_back(std::make_shared<const Column>(std::move(part)));
  }
  if (dictionary_) {
    FOREBAY_ASSIGN_OR_RETURN(Column values, dictionary_->finish());
    column.dictionary = std::make_shared<const Column>(std::move(values));
  }
  FOREBAY_RETURN_IF_ERROR(validate(column, ValidationLevel::kMinimal, type_->to_string()));
  return column;
}

Result<Column> ColumnBuilder::finish() {
  Result<Column> column = take();
  *this = ColumnBuilder(type_, resource_);
  return column;
}

}  // namespace forebay::tensor
