// Builds a column row by row. Buffers are aligned to 64 bytes and zero-padded to 64, as Arrow recommends.
// They can come from any resource with host-accessible memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/tensor/columns/column.h"

namespace forebay::tensor {

/// A byte buffer that grows by doubling; bytes moved while it grows are counted as copied.
class GrowingBytes {
 public:
  explicit GrowingBytes(std::shared_ptr<memory::MemoryResource> resource) : resource_(std::move(resource)) {}

  size_t size_bytes() const { return size_bytes_; }
  std::byte* data() const { return buffer_ ? static_cast<std::byte*>(buffer_->data()) : nullptr; }
  Status reserve(size_t size_bytes);
  /// Appends `bytes` bytes with unspecified content; the pointer is valid until the next call.
  Result<std::byte*> extend(size_t bytes);
  /// Returns the content, zero-padded to 64 bytes, and empties this object.
  BufferRange finish();

 private:
  std::shared_ptr<memory::MemoryResource> resource_;
  memory::BufferRef buffer_;
  size_t size_bytes_ = 0;
};

/// Not thread safe. The first error (no memory, overflow of 32-bit offsets, a call that does not fit the
/// type) is kept; later calls do nothing, and finish() returns it.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(ColumnTypeRef type,
                         std::shared_ptr<memory::MemoryResource> resource = memory::host_pool());
  ColumnBuilder(ColumnBuilder&&) = default;
  ColumnBuilder& operator=(ColumnBuilder&&) = default;

  const ColumnTypeRef& type() const { return type_; }
  int64_t length() const { return length_; }
  const Status& status() const { return status_; }

  /// Reserves room for `rows` rows of bits, values and offsets. Children and text grow on demand.
  void reserve(int64_t rows);

  /// Appends a null, also to the children of structs and fixed-size lists.
  void append_null();

  /// For kFixed: appends a value of exactly value_width() bytes.
  template <class T>
  void append(T value) {
    append_values(&value, 1, sizeof(T));
  }
  template <class T>
  void append_all(std::span<const T> values) {
    append_values(values.data(), static_cast<int64_t>(values.size()), sizeof(T));
  }
  void append_bool(bool value);
  /// For kText and fixed_binary (with exactly its length). A dictionary of texts looks the value up and adds
  /// it if it is new.
  void append_text(std::string_view value);

  /// Lists have one child, structs one per field. Append to the children, then close the row here.
  ColumnBuilder& child(int index = 0) { return *children_[index]; }
  /// Closes a row: for a list, the elements appended to the child since the last row (for a fixed-size list,
  /// exactly its size); for a struct, the one row appended to each child.
  void close_row();

  /// Returns the column, checked by ValidationLevel::kMinimal. Afterwards the builder is empty and usable
  /// again, and its error is cleared.
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
  std::unordered_map<std::string, int64_t> known_;  // texts already in the dictionary
};

}  // namespace forebay::tensor
