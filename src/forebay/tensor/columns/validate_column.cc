#include "forebay/tensor/columns/validate_column.h"

#include <limits>
#include <string>

#include <fmt/format.h>

#include "forebay/tensor/columns/utf8.h"

namespace forebay::tensor {
namespace {

constexpr std::string_view kValidity = "buffer 0 (validity)";
constexpr std::string_view kValues = "buffer 1 (values)";
constexpr std::string_view kOffsets = "buffer 1 (offsets)";
constexpr std::string_view kText = "buffer 2 (bytes)";

// A column of the tree and its path. The checks of a level rely on those of the levels before.
struct Node {
  const Column& column;
  const std::string& path;

  template <class... Args>
  Status error(fmt::format_string<Args...> format, Args&&... args) const {
    return invalid_argument("column '{}': {}", path, fmt::format(format, std::forward<Args>(args)...));
  }

  const ColumnType& type() const { return *column.type; }
  int64_t end() const { return column.offset + column.length; }
};

std::optional<int64_t> product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

// ---- kMinimal

Status check_range(const Node& node, std::string_view name, const BufferRange& buffer) {
  if (!buffer.is_present()) {
    return ok_status();
  }
  const size_t whole = buffer.owner->size_bytes();
  if (buffer.offset_bytes > whole || buffer.size_bytes > whole - buffer.offset_bytes) {
    return node.error("{} is {} bytes at {} of a block of {}", name, buffer.size_bytes, buffer.offset_bytes,
                      whole);
  }
  return ok_status();
}

// Checks a buffer of `count` values of `width` bytes (a power of two): it must be one piece, aligned to at
// most 8 bytes.
Status check_buffer(const Node& node, std::string_view name, const BufferRange& buffer, int64_t count,
                    int64_t width) {
  FOREBAY_RETURN_IF_ERROR(check_range(node, name, buffer));
  const std::optional<int64_t> bytes = product(count, width);
  if (!bytes || static_cast<uint64_t>(*bytes) > buffer.size_bytes) {
    return node.error("{} has {} bytes; {} values need {} bytes each", name, buffer.size_bytes, count, width);
  }
  constexpr int64_t kMaxAlignment = 8;
  const bool is_power = width > 0 && (width & (width - 1)) == 0;
  const int64_t alignment =
      is_power && node.type().id != TypeId::kFixedBinary ? std::min(width, kMaxAlignment) : 1;
  if (reinterpret_cast<uintptr_t>(buffer.data()) % alignment != 0) {
    return node.error("{} is not aligned to {} bytes", name, alignment);
  }
  return ok_status();
}

Status check_validity(const Node& node) {
  const Column& column = node.column;
  if (column.type->buffer_count() == 0) {
    const bool is_all = column.null_count == kUnknownNullCount || column.null_count == column.length;
    return is_all
               ? ok_status()
               : node.error("{} nulls of {} in a column of nothing else", column.null_count, column.length);
  }
  const BufferRange& validity = column.buffers[0];
  if (!validity.is_present()) {
    return column.null_count > 0
               ? node.error("{} is absent, but there are {} nulls", kValidity, column.null_count)
               : ok_status();
  }
  const int64_t bits = column.length == 0 ? 0 : node.end();
  return check_buffer(node, kValidity, validity, bits / 8 + (bits % 8 != 0), 1);
}

Status check_sizes(const Node& node) {
  const Column& column = node.column;
  const ColumnType& type = node.type();
  // A buffer may be absent or empty only if there are no rows.
  const int64_t rows = column.length == 0 ? 0 : node.end();
  switch (type.layout()) {
    case ColumnLayout::kBits:
      return check_buffer(node, kValues, column.buffers[1], rows / 8 + (rows % 8 != 0), 1);
    case ColumnLayout::kFixed:
      return check_buffer(node, kValues, column.buffers[1], rows, type.value_width());
    case ColumnLayout::kText:
      FOREBAY_RETURN_IF_ERROR(check_range(node, kText, column.buffers[2]));
      [[fallthrough]];
    case ColumnLayout::kList:
      return check_buffer(node, kOffsets, column.buffers[1], rows == 0 ? 0 : rows + 1, type.offset_width());
    default:
      return ok_status();
  }
}

Status check_numbers(const Node& node) {
  const Column& column = node.column;
  constexpr int64_t kMaxRows = std::numeric_limits<int64_t>::max() - 8;  // room for adding 1 and rounding up
  if (column.length < 0 || column.offset < 0 || column.offset > kMaxRows - column.length) {
    return node.error("{} rows from {}", column.length, column.offset);
  }
  if (column.null_count < kUnknownNullCount || column.null_count > column.length) {
    return node.error("{} nulls in {} rows", column.null_count, column.length);
  }
  const ColumnType& type = node.type();
  if (column.buffers.size() != static_cast<size_t>(type.buffer_count())) {
    return node.error("{} buffers; {} has {}", column.buffers.size(), type.to_string(), type.buffer_count());
  }
  if (column.children.size() != type.children.size()) {
    return node.error("{} children; {} has {}", column.children.size(), type.to_string(),
                      type.children.size());
  }
  if ((column.dictionary != nullptr) != (type.id == TypeId::kDictionary)) {
    return node.error("{} with{} a dictionary", type.to_string(), column.dictionary ? "" : "out");
  }
  return ok_status();
}

Status check_part(const Node& node, const ColumnRef& part, const ColumnTypeRef& type, std::string_view name) {
  if (part == nullptr || part->type == nullptr) {
    return node.error("'{}' is missing", name);
  }
  if (part->type != type && !(*type == *part->type)) {
    return node.error("'{}' is not of the type {}", name, type->to_string());
  }
  return ok_status();
}

Status check_parts(const Node& node) {
  const Column& column = node.column;
  const ColumnType& type = node.type();
  if (column.dictionary != nullptr) {
    FOREBAY_RETURN_IF_ERROR(check_part(node, column.dictionary, type.value_type, "dictionary"));
  }
  const bool is_fixed = type.layout() == ColumnLayout::kFixedList;
  const std::optional<int64_t> rows = product(node.end(), is_fixed ? type.list_size : 1);
  for (size_t i = 0; i < column.children.size(); ++i) {
    FOREBAY_RETURN_IF_ERROR(
        check_part(node, column.children[i], type.children[i].type, type.children[i].name));
    const bool is_by_row = is_fixed || type.layout() == ColumnLayout::kStruct;
    if (is_by_row && column.length > 0 && (!rows || column.children[i]->length < *rows)) {
      return node.error("child '{}' has {} rows; {} rows need {} each", type.children[i].name,
                        column.children[i]->length, node.end(), is_fixed ? type.list_size : 1);
    }
  }
  return ok_status();
}

// ---- kBounds

Status check_ends(const Node& node) {
  const Column& column = node.column;
  if (node.type().offset_width() == 0 || column.length == 0) {
    return ok_status();
  }
  const bool is_text = node.type().layout() == ColumnLayout::kText;
  const int64_t limit =
      is_text ? static_cast<int64_t>(column.buffers[2].size_bytes) : column.children[0]->length;
  const int64_t first = column.offset_at(column.offset);
  const int64_t last = column.offset_at(node.end());
  if (first < 0 || first > last || last > limit) {
    return node.error("{} goes from {} to {}, there {} {}", kOffsets, first, last,
                      is_text ? "are bytes up to" : "are elements up to", limit);
  }
  return ok_status();
}

// ---- kFull

Status check_nulls(const Node& node) {
  Column uncounted = node.column;
  uncounted.null_count = kUnknownNullCount;
  const int64_t counted = uncounted.count_nulls();
  if (node.column.null_count != kUnknownNullCount && node.column.null_count != counted) {
    return node.error("{} has {} nulls, the column says {}", kValidity, counted, node.column.null_count);
  }
  return ok_status();
}

Status check_offsets(const Node& node) {
  const Column& column = node.column;
  const bool is_utf8_text = node.type().id == TypeId::kUtf8 || node.type().id == TypeId::kLargeUtf8;
  const int64_t rows = node.type().offset_width() == 0 ? 0 : column.length;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = column.offset_at(column.offset + row);
    const int64_t end = column.offset_at(column.offset + row + 1);
    if (begin > end) {
      return node.error("{} goes back from {} to {} at row {}", kOffsets, begin, end, row);
    }
  }
  // After this check every offset lies between the first and the last, which kBounds has checked.
  for (int64_t row = 0; row < (is_utf8_text ? rows : 0); ++row) {
    if (!column.is_null(row) && !is_utf8(column.text_at(row))) {
      return node.error("{} is not UTF-8 at row {}", kText, row);
    }
  }
  return ok_status();
}

Status check_indices(const Node& node) {
  const Column& column = node.column;
  if (column.dictionary == nullptr) {
    return ok_status();
  }
  for (int64_t row = 0; row < column.length; ++row) {
    const int64_t index = column.is_null(row) ? 0 : column.index_at(row);
    if (!column.is_null(row) && (index < 0 || index >= column.dictionary->length)) {
      return node.error("{} at row {} is {}; the dictionary has {} rows", kValues, row, index,
                        column.dictionary->length);
    }
  }
  return ok_status();
}

// The first valid row of the parent under which `child`, which must not contain nulls, has a null; -1 if
// there is none.
int64_t row_with_null(const Column& column, const Column& child) {
  if (column.type->layout() == ColumnLayout::kFixedList && column.type->list_size == 0) {
    return -1;  // the number of rows is not limited by any buffer
  }
  for (int64_t row = 0; row < column.length; ++row) {
    if (column.is_null(row)) {
      continue;
    }
    const bool is_struct = column.type->layout() == ColumnLayout::kStruct;
    const Column::Range range = is_struct ? Column::Range{column.offset + row, 1} : column.list_at(row);
    for (int64_t i = 0; i < range.count; ++i) {
      if (child.is_null(range.first + i)) {
        return row;
      }
    }
  }
  return -1;
}

Status check_required(const Node& node) {
  for (size_t i = 0; i < node.column.children.size(); ++i) {
    const Field& field = node.type().children[i];
    const Column& child = *node.column.children[i];
    if (field.is_nullable || child.count_nulls() == 0) {
      continue;
    }
    const int64_t row = row_with_null(node.column, child);
    if (row >= 0) {
      return node.error("child '{}' may hold no nulls and has one in row {}", field.name, row);
    }
  }
  return ok_status();
}

// ---- walking the tree; its depth is bounded because types have been checked

Status walk(const Column& column, ValidationLevel level, const std::string& path) {
  const Node node{column, path};
  FOREBAY_RETURN_IF_ERROR(check_numbers(node));
  FOREBAY_RETURN_IF_ERROR(check_validity(node));
  FOREBAY_RETURN_IF_ERROR(check_sizes(node));
  FOREBAY_RETURN_IF_ERROR(check_parts(node));
  if (level >= ValidationLevel::kBounds) {
    FOREBAY_RETURN_IF_ERROR(check_ends(node));
  }
  if (level >= ValidationLevel::kFull) {
    FOREBAY_RETURN_IF_ERROR(check_nulls(node));
    FOREBAY_RETURN_IF_ERROR(check_offsets(node));
    FOREBAY_RETURN_IF_ERROR(check_indices(node));
  }
  for (size_t i = 0; i < column.children.size(); ++i) {
    FOREBAY_RETURN_IF_ERROR(walk(*column.children[i], level, path + "." + node.type().children[i].name));
  }
  if (column.dictionary != nullptr) {
    FOREBAY_RETURN_IF_ERROR(walk(*column.dictionary, level, path + ".dictionary"));
  }
  return level >= ValidationLevel::kFull ? check_required(node) : ok_status();
}

// Returns false if a buffer of the tree is in memory that the host cannot read.
bool is_readable(const Column& column) {
  for (const BufferRange& buffer : column.buffers) {
    if (buffer.is_present() && !memory::is_host_accessible(buffer.owner->kind())) {
      return false;
    }
  }
  for (const ColumnRef& child : column.children) {
    if (!is_readable(*child)) {
      return false;
    }
  }
  return column.dictionary == nullptr || is_readable(*column.dictionary);
}

}  // namespace

Status validate(const Column& column, ValidationLevel level, std::string_view name) {
  if (column.type == nullptr) {
    return invalid_argument("column '{}': no type", name);
  }
  FOREBAY_RETURN_IF_ERROR(annotate(check_type(*column.type), fmt::format("column '{}'", name)));
  const std::string path(name);
  FOREBAY_RETURN_IF_ERROR(walk(column, ValidationLevel::kMinimal, path));
  if (level == ValidationLevel::kMinimal) {
    return ok_status();
  }
  if (!is_readable(column)) {
    return failed_precondition("column '{}': not in the host's memory, so only its sizes can be checked",
                               name);
  }
  return walk(column, level, path);
}

Status validate(const Table& table, ValidationLevel level) {
  for (int i = 0; i < table.column_count(); ++i) {
    const Field& field = table.field(i);
    FOREBAY_RETURN_IF_ERROR(validate(table.column(i), level, field.name));
    if (level >= ValidationLevel::kFull && !field.is_nullable && table.column(i).count_nulls() != 0) {
      return invalid_argument("column '{}': may hold no nulls and has {}", field.name,
                              table.column(i).count_nulls());
    }
  }
  return ok_status();
}

}  // namespace forebay::tensor
