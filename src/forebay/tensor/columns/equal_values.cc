// Compares columns and tables by value.
#include <cstring>

#include "forebay/tensor/columns/column.h"
#include "forebay/tensor/columns/table.h"

namespace forebay::tensor {
namespace {

bool equal_rows(const Column& a, int64_t row_a, const Column& b, int64_t row_b);

bool equal_ranges(const Column& a, int64_t first_a, const Column& b, int64_t first_b, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!equal_rows(a, first_a + i, b, first_b + i)) {
      return false;
    }
  }
  return true;
}

bool equal_fixed(const Column& a, int64_t row_a, const Column& b, int64_t row_b, int64_t count) {
  const int64_t width = a.type->value_width();
  return width == 0 || count == 0 ||
         std::memcmp(a.buffers[1].data() + (a.offset + row_a) * width,
                     b.buffers[1].data() + (b.offset + row_b) * width, count * width) == 0;
}

bool equal_lists(const Column& a, int64_t row_a, const Column& b, int64_t row_b) {
  const Column::Range in_a = a.list_at(row_a);
  const Column::Range in_b = b.list_at(row_b);
  return in_a.count == in_b.count &&
         equal_ranges(*a.children[0], in_a.first, *b.children[0], in_b.first, in_a.count);
}

bool equal_structs(const Column& a, int64_t row_a, const Column& b, int64_t row_b) {
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!equal_rows(*a.children[i], a.offset + row_a, *b.children[i], b.offset + row_b)) {
      return false;
    }
  }
  return true;
}

bool equal_rows(const Column& a, int64_t row_a, const Column& b, int64_t row_b) {
  if (a.is_null(row_a) || b.is_null(row_b)) {
    return a.is_null(row_a) == b.is_null(row_b);
  }
  if (a.type->id == TypeId::kDictionary) {
    return equal_rows(*a.dictionary, a.index_at(row_a), *b.dictionary, b.index_at(row_b));
  }
  switch (a.type->layout()) {
    case ColumnLayout::kBits:
      return a.bool_at(row_a) == b.bool_at(row_b);
    case ColumnLayout::kFixed:
      return equal_fixed(a, row_a, b, row_b, 1);
    case ColumnLayout::kText:
      return a.text_at(row_a) == b.text_at(row_b);
    case ColumnLayout::kList:
    case ColumnLayout::kFixedList:
      return equal_lists(a, row_a, b, row_b);
    case ColumnLayout::kStruct:
      return equal_structs(a, row_a, b, row_b);
    default:
      return true;
  }
}

}  // namespace

bool equal_values(const Column& a, const Column& b) {
  if (a.length != b.length || !(*a.type == *b.type)) {
    return false;
  }
  const bool is_plain = a.type->layout() == ColumnLayout::kFixed && a.type->id != TypeId::kDictionary;
  if (is_plain && a.count_nulls() == 0 && b.count_nulls() == 0) {
    return equal_fixed(a, 0, b, 0, a.length);
  }
  return equal_ranges(a, 0, b, 0, a.length);
}

bool equal_values(const Table& a, const Table& b) {
  if (a.rows() != b.rows() || a.fields() != b.fields() || a.metadata() != b.metadata()) {
    return false;
  }
  for (int i = 0; i < a.column_count(); ++i) {
    if (!equal_values(a.column(i), b.column(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace forebay::tensor
