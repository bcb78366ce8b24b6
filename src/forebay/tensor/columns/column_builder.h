// Makes a column row by row. Buffers are aligned to 64 bytes and padded to 64 with zeroes, as Arrow
// recommends; they come from any resource whose memory the host may touch.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/tensor/columns/column.h"

namespace forebay::tensor {

/// Bytes at the end of a buffer that grows by doubling (what it moves then is counted as copied).
class GrowingBytes {
 public:
  explicit GrowingBytes(std::shared_ptr<memory::MemoryResource> resource) : resource_(std::move(resource)) {}

  size_t size_bytes() const { return size_bytes_; }
  std::byte* data() const { return buffer_ ? static_cast<std::byte*>(buffer_->data()) : nullptr; }
  Status reserve(size_t size_bytes);
  /// `bytes` more bytes, content unspecified; valid until the next call.
  Result<std::byte*> extend(size_t bytes);
  /// All of it, padded to 64 bytes with zeroes; empty afterwards.
  BufferRange finish();

 private:
  std::shared_ptr<memory::MemoryResource> resource_;
  memory::BufferRef buffer_;
  size_t size_bytes_ = 0;
};

/// Not thread safe. The first error (no memory, offsets of 32 bits that are too small, a call that does not
/// fit the type) is kept, later calls do nothing, and finish() returns it.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(ColumnTypeRef type,
                         std::shared_ptr<memory::MemoryResource> resource = memory::host_pool());
  ColumnBuilder(ColumnBuilder&&) = default;
  ColumnBuilder& operator=(ColumnBuilder&&) = default;

  const ColumnTypeRef& type() const { return type_; }
  int64_t length() const { return length_; }
  const Status& status() const { return status_; }

  /// Room for so many rows of bits, values and offsets; children and bytes of text grow as they come.
  void reserve(int64_t rows);

  /// A null; children of structs and fixed-size lists get theirs.
  void append_null();

  /// kFixed: a value of exactly value_width() bytes.
  template <class T>
  void append(T value) {
    append_values(&value, 1, sizeof(T));
  }
  template <class T>
  void append_all(std::span<const T> values) {
    append_values(values.data(), static_cast<int64_t>(values.size()), sizeof(T));
  }
  void append_bool(bool value);
  /// kText and fixed_binary (of that length). A dictionary of texts looks the value up, and takes it in when
  /// it is new.
  void append_text(std::string_view value);

  /// Lists have one child, structs one a field. Append there, then close the row here.
  ColumnBuilder& child(int index = 0) { return *children_[index]; }
  /// A list of the elements that the child has got since the last row (fixed-size lists: just as many as they
  /// take); a struct of the one row that each child has got.
  void close_row();

  /// The column, checked by ValidationLevel::kMinimal; the builder is empty and usable again, its errors
  /// forgotten.
  Result<Column> finish();

 private:
  void append_values(const void* values, int64_t count, size_t width);
  void append_index(int64_t index);
  void append_offset();
  void append_validity(bool is_valid, int64_t count = 1);
  void set_bits(GrowingBytes& bitmap, int64_t first, int64_t count, bool value);
  bool keep(Status status);
  bool is_of(ColumnLayout layout, std::string_view call);
  int64_t text_end() const;
  Result<Column> take();

  ColumnTypeRef type_;
  std::shared_ptr<memory::MemoryResource> resource_;
  Status status_;
  int64_t length_ = 0;
  int64_t null_count_ = 0;
  GrowingBytes validity_;  // empty until the first null
  GrowingBytes values_;    // bits, values or offsets
  GrowingBytes text_;
  std::vector<std::unique_ptr<ColumnBuilder>> children_;
  std::unique_ptr<ColumnBuilder> dictionary_;
  std::unordered_map<std::string, int64_t> known_;  // texts of the dictionary
};

}  // namespace forebay::tensor
